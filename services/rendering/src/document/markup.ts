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
 * Escapes a text for HTML, inside elements and quoted attributes. Control characters that HTML forbids, and halves of
 * surrogate pairs, are dropped: they have no picture and would only confuse what reads the text back.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cs}\p{Noncharacter_Code_Point}]|(?![\n\t])\p{Cc}/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
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
