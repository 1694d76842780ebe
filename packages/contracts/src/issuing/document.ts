import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Business } from '../schema/business.js';
import {
  AllocationOutcome,
  DocumentHead,
  DocumentState,
  IssuedDocument,
  ListedDocument,
} from '../schema/document.js';
import { Nullable, Strict, Uuid } from '../schema/fields.js';
import { Sha256 } from '../trail.js';
import { SetOff } from './set-off.js';
import { Withheld } from './withheld.js';

/** A document with what is known of it now. */
export const DocumentView = Strict({ document: IssuedDocument, state: DocumentState });
export type DocumentView = Static<typeof DocumentView>;

/** One document of one business. */
export const getDocument = defineContract('issuing.document.get', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** Whether the state has what only its page shows: how far it is settled, zero included, and why it was cancelled. */
    detailed: Type.Optional(Type.Boolean()),
    /** Whether the reply has the document as lists show it. */
    listed: Type.Optional(Type.Boolean()),
  }),
  reply: Strict({
    ...DocumentView.properties,
    /** Where the state is detailed: what is recorded of its allocation number; null: nothing yet. */
    allocation: Type.Optional(Nullable(AllocationOutcome)),
    /** Where the state is detailed: who issued it. */
    issuer: Type.Optional(Strict({ kind: Type.Enum(['key', 'person']), id: Uuid })),
    /** Where the state is detailed, and a key issued it. */
    idempotency_key: Type.Optional(Type.String()),
    /** Where it is asked for. */
    listed: Type.Optional(ListedDocument),
    /** Where the state is detailed: what is set against it, the latest first; absent where nothing is. */
    set_offs: Type.Optional(Type.Array(SetOff)),
    /** The same of tax that was withheld of it, and of a receipt with it. */
    withheld: Type.Optional(Type.Array(Withheld)),
  }),
  errors: ['not_found'],
});

/** The document that an idempotency key has issued in a book, whenever that was. */
export const findDocumentByKey = defineContract('issuing.document.find_by_key', {
  request: Strict({ business_id: Uuid, idempotency_key: Type.String({ minLength: 1, maxLength: 128 }) }),
  reply: Strict({
    /** Null: it has issued none. */
    found: Nullable(Strict({ document: DocumentHead, state: DocumentState })),
    /** Whether a request with the key is being worked on now. */
    in_progress: Type.Boolean(),
  }),
});

/** A document of any business, or of one, with all that is sent to the tax authority about it. */
export const getDocumentFacts = defineContract('issuing.document_facts.get', {
  request: Strict({
    document_id: Uuid,
    /** Only a document of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
  }),
  reply: Strict({
    ...DocumentView.properties,
    /** As it was at issue. */
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
  errors: ['not_found'],
});

/** The document behind a public address; the address itself is the permission. */
export const findPublicDocument = defineContract('issuing.document.find', {
  request: Strict({ public_id: Type.String({ minLength: 1, maxLength: 64 }) }),
  reply: Strict({
    ...DocumentView.properties,
    /** As it was at issue. */
    business: Business,
    /** Of the PDF that was made when the document was issued. */
    artifact_sha256: Sha256,
  }),
  errors: ['not_found'],
});

/** The most documents that one call asks for. */
export const missingPageMax = 500;

/** Which of some documents, of whatever businesses, are in no book. */
export const listMissingDocuments = defineContract('issuing.missing_document.list', {
  request: Strict({
    documents: Type.Array(Strict({ business_id: Uuid, document_id: Uuid }), { maxItems: missingPageMax }),
  }),
  reply: Strict({ document_ids: Type.Array(Uuid) }),
});
