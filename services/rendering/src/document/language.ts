import type { Business } from '@pinkas/contracts';

/** The language of a document: its business's. */
export type Language = Business['language'];
