import { attributes, html, type Language, type Markup, type Words } from '@pinkas/ui';

const texts = {
  copy: { he: 'העתקה', en: 'Copy' },
  copied: { he: 'הועתק', en: 'Copied' },
} as const satisfies Record<string, Words>;

/** A text with a button that copies it, which works where scripts run. */
export function copyable(label: string, text: string, id: string, language: Language): Markup {
  const area = attributes({
    id,
    readonly: true,
    dir: 'ltr',
    rows: text.length > 80 ? 6 : 2,
    spellcheck: 'false',
  });
  const copy = attributes({
    type: 'button',
    class: 'secondary',
    'data-copy': id,
    'data-copied': texts.copied[language],
    hidden: true,
  });
  return html`<div class="copyable">
  <label for="${id}">${label}</label>
  <textarea${area}>${text}</textarea>
  <button${copy}>${texts.copy[language]}</button>
</div>`;
}
