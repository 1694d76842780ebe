import { type ErrorCode, type ErrorEntry, errorCatalogue, publicRoutes } from '@pinkas/contracts';
import { errorExample, problemsOf } from '@pinkas/contracts/openapi';
import { html, join, type Markup } from '@pinkas/ui';
import { fixedDocsPage } from './reference/docs-page.js';

const entries = Object.entries(errorCatalogue) as [ErrorCode, ErrorEntry][];

/** The meaning of each HTTP status of the HTTP API. */
const statusMeanings: Readonly<Record<number, { en: string; he: string }>> = {
  400: { en: 'Malformed request', he: 'בקשה שגויה' },
  401: { en: 'Key missing, invalid or revoked', he: 'מפתח חסר, שגוי או מבוטל' },
  402: { en: 'Subscription inactive', he: 'מנוי לא פעיל' },
  403: { en: 'Not available for this business or key', he: 'לא זמין לעסק או למפתח זה' },
  404: { en: 'Not found in this business', he: 'לא נמצא בעסק זה' },
  409: { en: 'Idempotency or customer identity conflict', he: 'התנגשות מפתח או זהות לקוח' },
  413: { en: 'Too large', he: 'גדול מדי' },
  422: {
    en: 'A business rule refuses; this attempt issued nothing',
    he: 'כלל עסקי מונע; הניסיון הזה לא הפיק דבר',
  },
  429: { en: 'Limit reached', he: 'מכסה נוצלה' },
  500: { en: 'Our fault; send it again with the same key', he: 'תקלה אצלנו; יש לשלוח שוב עם אותו מפתח' },
  502: { en: 'Our fault; send it again with the same key', he: 'תקלה אצלנו; יש לשלוח שוב עם אותו מפתח' },
  503: { en: 'Temporarily off', he: 'מושבת זמנית' },
};

const statuses = [...new Set(entries.map(([, entry]) => entry.httpStatus))].sort((a, b) => a - b);
const codesOf = (status: number) => entries.filter(([, entry]) => entry.httpStatus === status);

/** The operations that can respond with a code. */
function answeredBy(code: ErrorCode, docsPath: string): Markup {
  const routes = publicRoutes.filter((route) => problemsOf(route).includes(code));
  if (routes.length === publicRoutes.length) {
    return html`Every operation.`;
  }
  const withKey = publicRoutes.filter((route) => route.access === 'key');
  if (routes.length === withKey.length && routes.every((route) => route.access === 'key')) {
    return html`Every operation that needs a key.`;
  }
  const links = routes.map(({ method, path, operation }) => {
    return html`<a href="${docsPath}#operation/${operation}">${method} ${path.replace(':id', '{id}')}</a>`;
  });
  return join(links, ', ');
}

/** One code; the `doc_url` of an error refers to it. */
function section([code, entry]: [ErrorCode, ErrorEntry], docsUrl: string, docsPath: string): Markup {
  const details = entry.details.map((member) => html`<code>details.${member}</code>`);
  const again = entry.retryable
    ? html`<span class="mark again">send it again with the same key</span>`
    : html`<span class="mark">do not send it again unchanged</span>`;
  const hint = entry.hint !== undefined && html`<p><strong>What to do:</strong> ${entry.hint}</p>`;
  const carries = details.length > 0 && html`Carries ${join(details, ', ')}. `;
  return html`<section id="${code}">
<h3><a href="#${code}"><code>${code}</code></a> <span class="mark">HTTP ${entry.httpStatus}</span> ${again}</h3>
<p>${entry.message}</p>
<p lang="he" dir="rtl">${entry.messageHe}</p>
${hint}
<p class="more">${carries}Answered by: ${answeredBy(code, docsPath)}</p>
<details>
<summary>Example</summary>
<pre>${JSON.stringify(errorExample(code, docsUrl), null, 2)}</pre>
</details>
</section>
`;
}

/** The codes of a status, each a link. */
function indexOf(status: number): Markup {
  const links = codesOf(status).map(([code]) => html`<a href="#${code}">${code}</a> `);
  return html`<dt>${status}</dt>
<dd>${links}</dd>
`;
}

function chapter(status: number, docsUrl: string, docsPath: string): Markup {
  const meaning = statusMeanings[status];
  return html`<h2>${status} · ${meaning?.en ?? ''} · <span lang="he" dir="rtl">${meaning?.he ?? ''}</span></h2>
${codesOf(status).map((entry) => section(entry, docsUrl, docsPath))}`;
}

/** The error codes for people: the meaning of each, and what to do about it. */
export const showErrors = fixedDocsPage('/errors', ({ docsUrl }, docsPath) => ({
  title: 'Errors',
  body: html`<main>
<h1>Errors · <span lang="he" dir="rtl">שגיאות</span></h1>
<p>Every answer outside 2xx is one object with one of these codes in <code>error.code</code>.
Where <code>error.retryable</code> is true, the same request may be sent again with the same
<code>Idempotency-Key</code>.</p>
<p>After an answer of 4xx, and after <code>document_generation_failed</code>, this attempt issued nothing; an earlier
attempt with the same key may have.
After <code>engine_error</code> and <code>internal_error</code>, as after no answer at all, it is not known
whether the document was issued.
Whatever the answer, keep the <code>Idempotency-Key</code> of the order, and send the next attempt with it: the same
request is answered with the document that was issued, and there is never a second one.</p>
<p lang="he" dir="rtl">כל תשובה שאינה 2xx היא אובייקט אחד עם אחד מהקודים האלה.
כאשר <code dir="ltr">error.retryable</code> הוא true אפשר לשלוח שוב את אותה בקשה
עם אותו <code dir="ltr">Idempotency-Key</code>.
אחרי תשובת 4xx ואחרי <code dir="ltr">document_generation_failed</code> הניסיון הזה לא הפיק מסמך;
ייתכן שניסיון קודם עם אותו מפתח כבר הפיק.
אחרי <code dir="ltr">engine_error</code> ואחרי <code dir="ltr">internal_error</code>,
כמו בהיעדר תשובה, לא ידוע אם המסמך הופק.
בכל מקרה יש לשמור את ה-<code dir="ltr">Idempotency-Key</code> של ההזמנה ולשלוח איתו גם את הניסיון הבא.
מסמך שכבר הופק יוחזר בתשובה; לעולם לא יופק מסמך שני.</p>
<dl class="index">
${statuses.map(indexOf)}
</dl>
${statuses.map((status) => chapter(status, docsUrl, docsPath))}
</main>`,
}));
