import type { Business } from '@pinkas/contracts';

/** The language of a document: its business's. */
export type Language = Business['language'];

/** Writing direction by language, for the `dir` attribute. */
export const directions = { he: 'rtl', en: 'ltr' } as const satisfies Record<Language, 'rtl' | 'ltr'>;
