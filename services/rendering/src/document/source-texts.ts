import type { SourceText } from '@pinkas/pdf';
import { type Language, type Markup } from '@pinkas/ui';

export type { SourceText } from '@pinkas/pdf';

const tagOrText = /<(\/?)(\w+)([^>]*)>|([^<]+)/g;
const voidTags = new Set(['br', 'hr', 'img', 'wbr']);
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** A text without its entities. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|(amp|lt|gt|quot|nbsp));/g, (_whole, point?: string, name = '') =>
    point === undefined ? (entities[name] ?? '') : String.fromCodePoint(Number(point)),
  );
}

/**
 * The texts of markup that our templates have written, in their order, as a browser shows them, each with the language that the element
 * around it states.
 */
export function sourceTexts(markup: Markup, language: Language): SourceText[] {
  const texts: SourceText[] = [];
  const languages: string[] = [language];
  for (const [, closing, tag = '', attributes = '', text] of markup.text.matchAll(tagOrText)) {
    const inherited = languages.at(-1) ?? language;
    if (text !== undefined) {
      const shown = unescaped(text).replace(/[ \t\r\n\f]+/g, ' ');
      texts.push({ text: shown, language: inherited });
    } else if (closing) {
      languages.pop();
    } else if (!voidTags.has(tag)) {
      languages.push(/\slang="(\w+)"/.exec(attributes)?.[1] ?? inherited);
    }
  }
  return texts;
}
