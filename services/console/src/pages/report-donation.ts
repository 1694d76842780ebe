import { getDocument, reportDonation } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { amount, button, form, html, isolate, linkButton, pageHead, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { canReportLate } from './document/donation.js';
import { documentName, effectList } from './parts.js';
import { words } from './words.js';

const texts = {
  title: { he: 'דיווח על תרומה שלא דווחה', en: 'Report a donation that was not reported' },
  what: { he: 'מה יקרה', en: 'What happens' },
  reported: {
    he: 'התרומה תדווח לרשות המסים, ומספר הדיווח יופיע בקבלה: PDF חדש, והודעה לתורם.',
    en: 'The donation is reported to the tax authority, and the number appears on the receipt: a new PDF, and a message to the donor.',
  },
  twice: {
    he: 'אם דיווחתם על הקבלה באתר הרשות, אל תדווחו כאן: שני דיווחים הם שתי תרומות.',
    en: "If you have reported the receipt at the authority's site, do not report it here: two reports are two donations.",
  },
  confirm: { he: 'דיווח עכשיו', en: 'Report now' },
} as const satisfies Record<string, Words>;

/** Explains what a late report does: the institution may have reported the donation by hand. */
@ConsolePage({
  method: 'GET',
  path: '/documents/:id/report-donation',
  access: 'owner',
  changes: 'book',
  books: true,
})
export class PreviewDonationReport {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { book, bookId, csrfToken, language, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const { document, state } = await this.rpc.call(getDocument, key);
    const at = visit.link(`/documents/${document.id}`);
    if (!canReportLate(document, state, book)) {
      return redirect(at);
    }
    const name = documentName(document, language);
    const title = `${texts.title[language]}: ${name}`;
    const back = linkButton({ href: at, text: words.back[language], kind: 'quiet' });
    const lead = html`${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}`;
    return page(
      title,
      html`${pageHead({ title, language, crumbs: [{ text: name, href: at }], lead })}
<section class="card">
  <h2>${texts.what[language]}</h2>
  ${effectList([texts.reported, texts.twice].map((effect) => effect[language]))}
  ${form({
    action: `${at}/report-donation`,
    csrfToken,
    content: html``,
    acts: html`${button({ text: texts.confirm[language] })}${back}`,
  })}
</section>`,
    );
  }
}

/** Reports a donation whose institution was not connected to the tax authority when its receipt was issued. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/report-donation',
  access: 'owner',
  changes: 'book',
  books: true,
})
export class ReportDonationNow {
  constructor(private readonly rpc: RpcClient) {}

  async handle({ book, link, params, session }: MemberVisit): Promise<PageReply> {
    const document_id = params.id ?? '';
    const { donation } = await this.rpc.call(reportDonation, {
      document_id,
      person_id: session.personId,
      business: book,
    });
    const outcome = donation.status === 'not_required' ? 'donation_not_required' : 'donation_reporting';
    return redirect(link(`/documents/${document_id}`), { outcome });
  }
}
