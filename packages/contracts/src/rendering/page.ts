import Type from 'typebox';
import { defineContract } from '../define.js';
import { Business } from '../schema/business.js';
import { DocumentState, DraftDocument, IssuedDocument } from '../schema/document.js';
import { Strict } from '../schema/fields.js';

/** The hosted page of a document, as HTML. */
export const renderPage = defineContract('rendering.page.render', {
  request: Strict({
    document: IssuedDocument,
    state: DocumentState,
    business: Business,
    pdf_url: Type.String(),
    /** The language that the reader requested; without it, the language of the business. */
    language: Type.Optional(Type.Enum(['he', 'en'])),
    /** Where the file is checked; absent: the page has no link to it. */
    verify_url: Type.Optional(Type.String()),
  }),
  reply: Strict({ html: Type.String() }),
});

/** The sheet of a document that is not issued, as a page that states it: without a number, unsigned and stored nowhere. */
export const renderDraft = defineContract('rendering.draft.render', {
  request: Strict({ draft: DraftDocument, business: Business }),
  reply: Strict({ html: Type.String() }),
});
