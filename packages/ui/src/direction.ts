import type { TextDirection } from '@pinkas/domain';
import type { Language } from './language.js';

/** Writing direction by language, for the `dir` attribute. */
export const directions = { he: 'rtl', en: 'ltr' } as const satisfies Record<Language, TextDirection>;
