import { type FullRequest, linesOfBody, maskedText, removedSecret } from '@pinkas/contracts';
import { html, isolate, type Language, leftToRight, type Markup, type Words } from '@pinkas/ui';

const texts = {
  masked: {
    he: `מה שעשוי להיות פרט אישי מוצג כ-${maskedText}.`,
    en: `What may be personal is shown as ${maskedText}.`,
  },
  secret: {
    he: `במקום ${removedSecret} נשלח מה שנראה כמפתח, כסוד או כמספר כרטיס; הוא לא נשמר.`,
    en: `Where ${removedSecret} is, something was sent that looks like a key, a secret or the number of a card; it was not stored.`,
  },
  truncated: { he: 'רק חלק מהגוף נשמר.', en: 'Only a part of the body is kept.' },
  noBody: {
    he: 'אין גוף: לא נשלח גוף, או שלא היה אובייקט JSON, או שהיה גדול מדי, או שנשמרו היום גופים של בקשות רבות אחרות.',
    en: 'There is no body: none was sent, it was no JSON object, it was too large, or those of many other requests are kept of that day.',
  },
} as const satisfies Record<string, Words>;

/** Whether something of a body is masked. */
export const isMasked = ({ body }: FullRequest): boolean =>
  body?.includes(JSON.stringify(maskedText)) ?? false;

/** The body of a refused request with what is wrong at its place, and what is wrong elsewhere. */
export function requestBody(request: FullRequest, language: Language): Markup {
  const { body, body_truncated: isTruncated, errors } = request;
  const elsewhere = errors.filter(({ path }) => body === null || /^\/(?:query|headers)\//.test(path));
  const hints = [
    isMasked(request) ? texts.masked : null,
    body?.includes(removedSecret) ? texts.secret : null,
    isTruncated && body !== null ? texts.truncated : null,
    body === null ? texts.noBody : null,
  ].filter((hint) => hint !== null);
  return html`${errorList(elsewhere, language)}
${body === null ? null : bodyLines(body, errors, language)}
${hints.map(
  (hint) => html`<p class="hint">${hint[language]}</p>
`,
)}`;
}

const messageOf = ({ message, message_he }: FullRequest['errors'][number], language: Language) =>
  language === 'he' ? message_he : message;

function errorList(errors: FullRequest['errors'], language: Language): Markup | null {
  const items = errors.map(
    (
      error,
    ) => html`<li><code>${leftToRight(error.path)}</code> ${isolate(messageOf(error, language), language)}</li>
  `,
  );
  return items.length === 0
    ? null
    : html`<ul class="faults">
  ${items}
</ul>`;
}

/** A body as JSON, which can be scrolled by keys as well. */
function bodyLines(body: string, errors: FullRequest['errors'], language: Language): Markup {
  const lines = linesOfBody(JSON.parse(body), errors).map(({ text, errors: wrong }) => {
    const indent = /^ */.exec(text)?.[0] ?? '';
    const faults = wrong.map(
      (error) =>
        html`${indent}<strong class="fault">✗ ${isolate(messageOf(error, language), language)}</strong>\n`,
    );
    return wrong.length === 0 ? html`${text}\n` : html`${indent}<mark>${text.trimStart()}</mark>\n${faults}`;
  });
  return html`<pre class="body" dir="ltr" tabindex="0">${lines}</pre>`;
}
