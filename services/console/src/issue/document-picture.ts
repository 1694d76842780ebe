import { attributes, button, card, csrfField, html, type Markup, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  picture: { he: 'כך ייראה המסמך', en: 'What the document looks like' },
  show: { he: 'הצגת המסמך', en: 'Show the document' },
  larger: { he: 'תצוגה מוגדלת', en: 'Larger view' },
} as const satisfies Record<string, Words>;

/**
 * The draft in a frame, as wide as its column, and larger in a window of its own. Its form has the frame as its target: the script
 * sends it at once, and a person without it by its button.
 */
export function pictureCard(
  { csrfToken, t }: MemberVisit,
  { action, fields }: { readonly action: string; readonly fields: readonly Markup[] },
): Markup {
  const larger = attributes({ class: 'secondary', formtarget: '_blank' });
  return card({
    id: 'picture',
    title: t(texts.picture),
    content: html`<form method="post" action="${action}" target="picture" data-picture>
  ${csrfField(csrfToken)}
  ${fields}
  <div class="buttons">
    ${button({ text: t(texts.show), kind: 'secondary' })}
    <button${larger}>${t(texts.larger)}</button>
  </div>
</form>
<div class="preview">
  <iframe name="picture" title="${t(texts.picture)}" sandbox=""></iframe>
</div>`,
  });
}
