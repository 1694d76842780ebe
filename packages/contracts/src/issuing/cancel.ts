import Type from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import { Business } from '../schema/business.js';
import { DocumentHead, DocumentState, IssuedDocument } from '../schema/document.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** Cancels a document that is no accounting document. */
export const cancelDocument = defineContract('issuing.document.cancel', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    reason: Nullable(Type.String({ maxLength: 200 })),
    /** Whether the business wants events, by its settings now. */
    events: Type.Optional(Type.Boolean()),
    /** The API key of the caller, for the trail. */
    key_id: Type.Optional(Uuid),
    person_id: PersonId,
  }),
  reply: Strict({ document: DocumentHead, state: DocumentState }),
  errors: ['not_found', 'use_credit_note', 'already_cancelled', 'linked_document_closed'],
  // It may have to wait for a document that is being based on this one, and rendered.
  timeoutMs: timeLimitsMs.cancelDocument,
});

/** A document was cancelled; its page and its PDF say so. */
export const documentCancelled = defineEvent(
  'issuing.document.cancelled',
  Strict({
    document: IssuedDocument,
    business: Business,
    cancelled_at: Instant,
    /** As its caller gave it. */
    reason: Type.Optional(Type.String()),
  }),
);
