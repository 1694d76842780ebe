import Type, { type Static } from 'typebox';
import { defineContract } from './define.js';
import { CalendarDate, Instant, Nullable, Strict, Uuid } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

/** A PDF in the object store that is in no row: of a document that a restore has lost, or of one that was never issued. */
export const LostArtifact = Strict({
  business_id: Uuid,
  document_id: Uuid,
  /** The day on which it was made. */
  day: CalendarDate,
  object_key: Type.String(),
  modified_at: Instant,
});
export type LostArtifact = Static<typeof LostArtifact>;

/** Lists PDFs of all books in the object store that are in no row, a page of the store at a time. Only what was listed is ever deleted. */
export const listLostArtifacts = defineContract('rendering.artifact.list_lost', {
  request: Strict({
    /** Those behind a key, which begins with the day; empty: from the beginning. */
    after: Type.String(),
  }),
  reply: Strict({
    files: Type.Array(LostArtifact),
    /** For the next call; null: this was the last. */
    next: Nullable(Type.String()),
  }),
  /** `engine_error`: the object store does not answer. `validation_error`: there is none. */
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});
