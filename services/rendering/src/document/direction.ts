import type { Language } from './language.js';

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The direction of a text by its first letter (Unicode bidirectional algorithm, P2), or undefined where it has none. */
export function directionOf(text: string): 'rtl' | 'ltr' | undefined {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter === undefined) return undefined;
  return rightToLeft.test(letter) ? 'rtl' : 'ltr';
}

/** Writing direction by language, for the `dir` attribute. */
export const directions = { he: 'rtl', en: 'ltr' } as const satisfies Record<Language, 'rtl' | 'ltr'>;
