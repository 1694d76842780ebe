/** Text that is HTML already. Everything else that enters a template is escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What a template takes: markup as it is, words and figures escaped, nothing for null and false. */
export type Insert = Markup | readonly Markup[] | string | number | null | false;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * What embeds and overrides directions, and what ends an isolate: with any of them a text could turn round the words beside
 * it, `<bdi>` or not, or show an amount's digits in another order than they are stored in.
 */
const directionControls = '\\u202a-\\u202e\\u2066-\\u2069\\u206a-\\u206f';
const withoutPicture = new RegExp(
  `[\\p{Cs}\\p{Noncharacter_Code_Point}${directionControls}]|(?![\\n\\t])[\\p{Cc}\\u2028\\u2029]`,
  'gu',
);

/**
 * A text without what has no picture of its own and only confuses what shows it or reads it back: control characters that
 * HTML forbids, halves of surrogate pairs, and controls of direction. The marks of direction (U+200E, U+200F) stay: they
 * reach no further than the text that they stand in.
 */
export function plainText(text: string): string {
  return text.replace(withoutPicture, '');
}

/** Escapes a text for HTML, inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function render(value: Insert): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if (value === null || value === false) return '';
  return value.map((part) => part.text).join('');
}

/** The template tag of this service: html`<td>${text}</td>` cannot forget to escape. */
export function html(parts: TemplateStringsArray, ...values: readonly Insert[]): Markup {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return new Markup(text);
}

/**
 * A text that a person typed, isolated from its surroundings: whatever its direction, and whatever direction marks are
 * in it, the words around it stay in their places (Unicode bidirectional algorithm, isolates).
 */
export function given(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** Figures and identifiers, which read from left to right also in a Hebrew sentence. */
export function figures(text: string): Markup {
  return html`<bdi dir="ltr">${text}</bdi>`;
}

/** Places something between the parts that are there. */
export function joined(parts: readonly (Markup | null)[], between: string): Markup {
  const present = parts.filter((part) => part !== null);
  return new Markup(present.map((part) => part.text).join(escapeHtml(between)));
}

/** Parts of which each is isolated already, kept in the order in which a text of this direction is read. */
export function inDirection(direction: 'rtl' | 'ltr' | undefined, content: Markup): Markup {
  return direction === undefined ? content : html`<span dir="${direction}">${content}</span>`;
}
