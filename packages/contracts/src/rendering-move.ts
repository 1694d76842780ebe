import Type, { type Static } from 'typebox';
import { defineContract } from './define.js';
import { Nullable, Strict, Uuid } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

/** A revision of a document's PDF, as a place in the order of all of them. */
const ArtifactCursor = Strict({
  business_id: Uuid,
  document_id: Uuid,
  revision: Type.Integer({ minimum: 1 }),
});
export type ArtifactCursor = Static<typeof ArtifactCursor>;

/** Where files are stored. */
export const artifactPlaces = ['database', 'store'] as const;

/** Moves the next files of all books to a place; those that are there stay. */
export const moveArtifacts = defineContract('rendering.artifact.move', {
  request: Strict({
    to: Type.Enum([...artifactPlaces]),
    /** Where the call before has ended; null: from the beginning. */
    after: Nullable(ArtifactCursor),
    /** How many files are moved at most. */
    files: Type.Integer({ minimum: 1, maximum: 1_000 }),
  }),
  reply: Strict({
    moved: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    /** Files that stay where they are, since they are not what was signed. */
    failed: Type.Array(Strict({ ...ArtifactCursor.properties, message: Type.String() })),
    /** For the next call; null: this was the last. */
    next: Nullable(ArtifactCursor),
    /** Where the files of new documents go. */
    new_files: Type.Enum([...artifactPlaces]),
  }),
  /** `engine_error`: the object store does not answer. */
  errors: ['validation_error'],
  timeoutMs: timeLimitsMs.operatorCall,
});
