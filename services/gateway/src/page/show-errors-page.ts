import { type ErrorEntry, errorCatalogue } from '@pinkas/contracts';
import { HttpPage, type PageReply } from '../http/http-page.js';
import { htmlHeaders } from './page-headers.js';
import { escapeHtml, plainPage } from './plain-page.js';

/** One code, where the `doc_url` of an error leads. */
function section([code, entry]: [string, ErrorEntry]): string {
  const details = entry.details.map((member) => `<code>details.${escapeHtml(member)}</code>`).join(', ');
  return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a> <small>HTTP ${entry.httpStatus}, ${entry.retryable ? 'may be sent again' : 'do not send again unchanged'}</small></h2>
<p>${escapeHtml(entry.message)}</p>
<p lang="he" dir="rtl">${escapeHtml(entry.messageHe)}</p>
${entry.hint === undefined ? '' : `<p>${escapeHtml(entry.hint)}</p>`}${details && `<p><small>Carries ${details}.</small></p>`}
</section>`;
}

const html = plainPage(
  'Errors',
  `<main>
<h1>Errors</h1>
<p>Every refusal of the interface carries one of these codes.</p>
${Object.entries(errorCatalogue).map(section).join('\n')}
</main>`,
);

/** The error codes for people: what each means and what to do about it. */
@HttpPage((config) => config.docsUrl, '/errors')
export class ShowErrorsPage {
  async handle(): Promise<PageReply> {
    return { status: 200, headers: htmlHeaders, body: html };
  }
}
