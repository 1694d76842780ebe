import { directionRuns, fieldDirection, type TextDirection } from '@pinkas/domain';
import { escapeHtml } from './escape-html.js';
import type { Language } from './language.js';

/** Text that is HTML already. Everything else that enters a template is escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A template's value: markup is inserted as it is, text and numbers escaped, null and false as nothing. */
export type Insert = Markup | readonly Markup[] | string | number | null | false;

/**
 * Embeddings, overrides and isolates (Unicode UAX #9). With them a text could reorder the words beside it, even inside `<bdi>`, or
 * the digits of an amount.
 */
const directionControls = '\\u202a-\\u202e\\u2066-\\u2069\\u206a-\\u206f';
const unprintable = new RegExp(
  `[\\p{Cs}\\p{Noncharacter_Code_Point}${directionControls}]|(?![\\n\\t])[\\p{Cc}\\u2028\\u2029]`,
  'gu',
);

/**
 * A text without control characters that HTML forbids, halves of surrogate pairs, and controls of direction. The direction marks
 * U+200E and U+200F stay: they affect only the text that contains them.
 */
export function plainText(text: string): string {
  return text.replace(unprintable, '');
}

/** Text as markup. */
function textMarkup(text: string): string {
  return escapeHtml(plainText(text));
}

function render(value: Insert): string {
  if (value instanceof Markup) {
    return value.text;
  }
  if (typeof value === 'string' || typeof value === 'number') {
    return textMarkup(String(value));
  }
  if (value === null || value === false) {
    return '';
  }
  return value.map((part) => part.text).join('');
}

/** The template tag of this service: html`<td>${text}</td>` cannot forget to escape. */
export function html(parts: TemplateStringsArray, ...values: readonly Insert[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += render(value) + (parts[index + 1] ?? '');
  }
  return new Markup(text);
}

const compactParts = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/**
 * As `html`, but line breaks and the indentation after them are no part of the markup, as in JSX: one element a line is read, and the
 * page has no space between them. A space at the end of a line is written as a value.
 */
export function compact(parts: TemplateStringsArray, ...values: readonly Insert[]): Markup {
  let joined = compactParts.get(parts);
  if (joined === undefined) {
    const texts = parts.map((part) => part.replaceAll(/\n */g, ''));
    joined = Object.assign(texts, { raw: texts });
    compactParts.set(parts, joined);
  }
  return html(joined, ...values);
}

/** Attributes with their values; those that are null, undefined or false are left out, true has no value. */
export function attributes(
  pairs: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Markup {
  return html`${Object.entries(pairs).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) {
      return [];
    }
    return [value === true ? html` ${name}` : html` ${name}="${value}"`];
  })}`;
}

/** Letters of each language, with what is between them. */
const languageRuns: Readonly<Record<Language, RegExp>> = {
  he: /([\u0590-\u05ff](?:[\u0590-\u05ff\d"'./ –-]*[\u0590-\u05ff])?)/,
  en: /([A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f](?:[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\d'’.,&@/_+ -]*[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f])?)/,
};
const otherLanguage = { he: 'en', en: 'he' } as const satisfies Record<Language, Language>;

/** Text whose runs in the other language say so to screen readers (WCAG 2.1, 3.1.2). A span does not change the order of its letters. */
function inLanguages(text: string, language: Language): Markup {
  const other = otherLanguage[language];
  const runs = text
    .split(languageRuns[other])
    .map((run, index) => (index % 2 === 1 ? html`<span lang="${other}">${run}</span>` : html`${run}`));
  return html`${runs}`;
}

/** The language of a field that has letters of the other language alone, as an attribute. */
function languageOfField(text: string, language: Language): Markup | null {
  const other = otherLanguage[language];
  const isOther = languageRuns[other].test(text) && !languageRuns[language].test(text);
  return isOther ? html` lang="${other}"` : null;
}

/**
 * A text that a person typed, in a document of a language: isolated, so that its direction does not reorder the words around it
 * (Unicode UAX #9), and with its signed numbers and phone numbers isolated within it.
 */
export function isolate(text: string, language: Language): Markup {
  const plain = plainText(text);
  const direction = fieldDirection(plain, language);
  const whole = languageOfField(plain, language);
  const words = (run: string) => (whole ? html`${run}` : inLanguages(run, language));
  const runs =
    direction === 'ltr'
      ? words(plain)
      : directionRuns(plain).map((run) => (run.isolated ? leftToRight(run.text) : words(run.text)));
  return html`<bdi dir="${direction}"${whole}>${runs}</bdi>`;
}

/** What a browser would break at its hyphens and spaces: a phone number, or another one in groups of digits. */
const groupsOfDigits = /^\+?\d[\d()]*(?:[- ][\d()]+)+$/;

/** Figures and identifiers, which read from left to right also in a Hebrew sentence. */
export function leftToRight(text: string): Markup {
  const language = languageRuns.en.test(text) && !languageRuns.he.test(text) ? html` lang="en"` : null;
  const whole = groupsOfDigits.test(text) && text.length <= 24 ? html` class="whole"` : null;
  return html`<bdi dir="ltr"${language}${whole}>${text}</bdi>`;
}

/** Joins the parts that are not null. */
export function join(parts: readonly (Markup | null)[], between: string): Markup {
  const present = parts.filter((part) => part !== null);
  return new Markup(present.map((part) => part.text).join(textMarkup(between)));
}

/** Sets the order of parts that are isolated each. */
export function inDirection(direction: TextDirection, content: Markup): Markup {
  return html`<span dir="${direction}">${content}</span>`;
}
