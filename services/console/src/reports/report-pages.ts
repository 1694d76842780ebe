import { type Call, listPayments, printReport, type ReplyOf, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael, isPaymentMethod, vatReportMonth } from '@pinkas/domain';
import { type VatDetailSummary, withheldCsv, withheldPages } from '@pinkas/exports';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import {
  button,
  card,
  choice,
  dateRange,
  emptyState,
  filterForm,
  html,
  isolate,
  join,
  largeAmount,
  leftToRight,
  linkButton,
  type Markup,
  pageHead,
  pager,
  paymentDetails,
  paymentMethodName,
  stats,
  table,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import { typeName } from '../frame/parts.js';
import { sheetTable } from '../frame/sheet.js';
import { words } from '../frame/words.js';
import { bookPosition } from '../http/address-dates.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import { csvFile, pdfFile } from '../http/file-replies.js';
import type { MemberVisit } from '../http/visit.js';
import { fileNameOf, periodsUntil, periodTitle, type ReportPeriod } from './period.js';
import {
  hasVat,
  monthsSheet,
  periodOf,
  printedPeriod,
  type Report,
  readReport,
  receiptsSheet,
  reportedFacts,
  reportFile,
  reportTexts,
  salesSheet,
  withheldPart,
} from './report.js';
import { latestVatDetail } from './vat-detail.repository.js';
import { differenceNote } from './vat-detail-notes.js';

const texts = {
  period: { he: 'תקופה', en: 'Period' },
  show: { he: 'הצגה', en: 'Show' },
  none: { he: 'אין בתקופה חשבוניות.', en: 'There are no invoices in this period.' },
  noReceipts: { he: 'לא התקבלו תשלומים בתקופה.', en: 'Nothing was received in this period.' },
  pdf: { he: 'PDF להדפסה', en: 'PDF to print' },
  csv: { he: 'CSV', en: 'CSV' },
  latestFile: {
    he: 'הדיווח המפורט (PCN874) האחרון שהוכן לתקופה:',
    en: 'The latest detailed report (PCN874) that was made of the period:',
  },
  detailed: { he: 'דיווח מפורט (PCN874)', en: 'Detailed report (PCN874)' },
  noneOfMethod: { he: 'אין תקבולים כאלה בתקופה.', en: 'There are no such receipts in this period.' },
  withheldYear: { he: 'פירוט לשנת', en: 'All of the year' },
  withheldPeriod: { he: 'פירוט לתקופה (CSV)', en: 'All of the period (CSV)' },
  document: { he: 'מסמך', en: 'Document' },
  date: { he: 'תאריך', en: 'Date' },
  customer: { he: 'לקוח', en: 'Customer' },
  details: { he: 'פרטי התשלום', en: 'Payment' },
} as const satisfies Record<string, Words>;

/** Receipts of one page. */
const pageSize = 50;

/** The VAT and the income of a period, and what was received by each means of payment. */
@PageController({ access: 'reader', path: '/reports', books: true })
export class ReportPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { language } = visit;
    const now = this.clock.now();
    const period = periodOf(visit, now);
    const [report, detailed] = await Promise.all([
      readReport(this.rpc, visit, period),
      // Of the live book alone.
      visit.isTest
        ? undefined
        : latestVatDetail(forTenant(this.db, visit.business.id), visit.business.id, period),
    ]);
    return page(
      `${words.reports[language]} – ${periodTitle(period, language)}`,
      html`
${head(visit, period)}
${periodForm(visit, period, dayInIsrael(now))}
${figures(report, visit)}
${hasVat(visit.book) && salesCard(visit, report, period)}
${hasVat(visit.book) && reportedCard(visit, report, detailed?.vat_detail ?? null)}
${receiptsCard(visit, report, period)}
${report.withheld ? withheldCard(visit, report.withheld, period) : null}
${report.months.length > 1 ? monthsCard(visit, report) : null}`,
    );
  }

  /** The documents behind a figure of the report: what was received by one means of payment. */
  @ConsolePage({ method: 'GET', path: '/receipts' })
  async receipts(visit: MemberVisit): Promise<PageReply> {
    const { book, bookId, language, t, link, query } = visit;
    const method = query.get('method') ?? 'cash';
    if (!isPaymentMethod(method)) {
      throw new ApiError('not_found');
    }
    const period = periodOf(visit, this.clock.now());
    const after = bookPosition(query);
    const { from, to } = period;
    const list = await this.rpc.call(listPayments, {
      ...{ business_id: bookId, method, from, to, limit: pageSize, after },
    });
    const own = { method, period: period.name };
    const { next_after: end } = list;
    const links = {
      first: after === null ? null : link('/reports/receipts', own),
      next: end && link('/reports/receipts', { ...own, after: `${end.date}~${end.position}` }),
    };
    const title = html`${paymentMethodName(method, book.wallet_labels, language)}, ${periodTitle(period, language)}`;
    return page(
      t(reportTexts.receipts),
      html`
${pageHead({
  title,
  language,
  crumbs: [{ text: t(words.reports), href: link('/reports', { period: period.name }) }],
})}
${list.documents.length === 0 ? emptyState({ title: t(texts.noneOfMethod) }) : paidTable(visit, list.documents)}
${pager(links, language, t(reportTexts.receipts))}`,
    );
  }

  @ConsolePage({ method: 'GET', path: '/pdf', timeoutMs: timeLimitsMs.operatorCall })
  async pdf(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const period = periodOf(visit, now);
    const report = await readReport(this.rpc, visit, period);
    const { pdf } = await this.rpc.call(printReport, {
      business_id: visit.bookId,
      title: `Report ${period.name}`,
      html: printedPeriod(visit, period, report, dayInIsrael(now)),
    });
    return pdfFile(`report-${fileNameOf(period)}.pdf`, Buffer.from(pdf, 'base64'));
  }

  /** What customers have withheld at source in a period, customer by customer: a year of it belongs to the annual return. */
  @ConsolePage({ method: 'GET', path: '/withheld/csv' })
  async withheld(visit: MemberVisit): Promise<PageReply> {
    const period = periodOf(visit, this.clock.now());
    const call: Call = (contract, request) => this.rpc.call(contract, request);
    const pages = withheldPages(call, { businessId: visit.bookId, from: period.from, to: period.to });
    return csvFile(`withheld-${fileNameOf(period)}.csv`, withheldCsv(pages));
  }

  /** The same figures as a table for a spreadsheet. */
  @ConsolePage({ method: 'GET', path: '/csv' })
  async csv(visit: MemberVisit): Promise<PageReply> {
    const period = periodOf(visit, this.clock.now());
    const report = await readReport(this.rpc, visit, period);
    return csvFile(`report-${fileNameOf(period)}.csv`, [reportFile(visit, report)]);
  }
}

function head({ book, language, t, link, isTest }: MemberVisit, period: ReportPeriod): Markup {
  const query = { period: period.name };
  const file = (kind: 'pdf' | 'csv') =>
    linkButton({ href: link(`/reports/${kind}`, query), text: t(texts[kind]), download: true });
  // Of a year there is none.
  const isDetailed = !isTest && hasVat(book) && vatReportMonth(period.from, period.to) !== null;
  const detailed = linkButton({
    href: link('/exports', { format: 'pcn874', from: period.from, to: period.to }),
    text: t(texts.detailed),
    kind: 'quiet',
  });
  return pageHead({
    title: html`${t(reportTexts.title)}: ${periodTitle(period, language)}`,
    language,
    lead: dateRange(period.from, period.to, language),
    secondary: [file('pdf'), file('csv'), isDetailed ? detailed : null],
  });
}

function periodForm({ language, t, link }: MemberVisit, period: ReportPeriod, today: string): Markup {
  const { months, pairs, years } = periodsUntil(today);
  const known = [...months, ...pairs, ...years];
  // One that an address names may be older than the list.
  const shown = known.some(({ name }) => name === period.name) ? known : [period, ...known];
  return filterForm({
    action: link('/reports'),
    content: choice({
      name: 'period',
      label: t(texts.period),
      value: period.name,
      options: shown.map((each) => [each.name, periodTitle(each, language)]),
    }),
    acts: button({ text: t(texts.show), kind: 'secondary' }),
  });
}

function figures({ sales, income, received }: Report, { book, language, t }: MemberVisit): Markup {
  const basis = income.basis === 'invoices' ? reportTexts.byInvoices : reportTexts.byReceipts;
  return stats([
    {
      label: t(reportTexts.income),
      value: largeAmount(income.amount, language),
      detail: t(basis),
    },
    ...(hasVat(book) ? [{ label: t(reportTexts.vatAmount), value: largeAmount(sales.vat, language) }] : []),
    { label: t(reportTexts.received), value: largeAmount(received, language) },
  ]);
}

function salesCard(visit: MemberVisit, report: Report, { from, to }: ReportPeriod): Markup {
  const { t, link } = visit;
  const list = sheetTable(salesSheet(report, visit, (type) => link('/documents', { type, from, to })));
  return card({
    id: 'vat',
    title: t(reportTexts.vat),
    kind: 'flush',
    content: html`
<p class="hint">${t(reportTexts.vatHint)}</p>
${report.types.length === 0 ? emptyState({ title: t(texts.none) }) : list}`,
  });
}

function reportedCard(visit: MemberVisit, report: Report, detailed: VatDetailSummary | null): Markup {
  const { t } = visit;
  const difference = detailed && differenceNote(visit, detailed);
  return card({
    id: 'reported',
    title: t(reportTexts.reported),
    content: html`
${reportedFacts(report, visit)}
<p class="hint">${t(reportTexts.reportedHint)}</p>
${difference ? null : html`<p class="hint">${t(reportTexts.roundedRows)}</p>`}
${difference && html`<p>${t(texts.latestFile)}</p>${difference}`}`,
  });
}

function receiptsCard(visit: MemberVisit, report: Report, { name }: ReportPeriod): Markup {
  const { t, link } = visit;
  const list = sheetTable(
    receiptsSheet(report, visit, (method) => link('/reports/receipts', { method, period: name })),
  );
  return card({
    id: 'receipts',
    title: t(reportTexts.receipts),
    kind: 'flush',
    content: report.receipts.length === 0 ? emptyState({ title: t(texts.noReceipts) }) : list,
  });
}

function withheldCard(
  visit: MemberVisit,
  withheld: NonNullable<Report['withheld']>,
  { from, name }: ReportPeriod,
): Markup {
  const { t, link } = visit;
  const year = from.slice(0, 4);
  const file = (period: string, text: string) =>
    linkButton({ href: link('/reports/withheld/csv', { period }), text, download: true });
  return card({
    id: 'withheld',
    title: t(withheldWords.withheld),
    kind: 'flush',
    aside: html`<div class="buttons">
  ${name === year ? null : file(name, t(texts.withheldPeriod))}
  ${file(year, `${t(texts.withheldYear)} ${year} (CSV)`)}
</div>`,
    content: html`
${withheldPart(withheld, visit, (id) => link(`/customers/${id}/statement`))}`,
  });
}

function monthsCard(visit: MemberVisit, report: Report): Markup {
  return card({
    id: 'months',
    title: visit.t(reportTexts.months),
    kind: 'flush',
    content: sheetTable(monthsSheet(report, visit)),
  });
}

type Paid = ReplyOf<typeof listPayments>['documents'][number];

function paidTable({ language, t, link }: MemberVisit, documents: readonly Paid[]): Markup {
  const name = ({ document: { type, number } }: Paid) =>
    html`${typeName(type, language)} ${leftToRight(String(number))}`;
  const details = ({ payments }: Paid) =>
    join(
      payments.map((payment) => paymentDetails(payment, language)),
      '; ',
    );
  return table<Paid>({
    caption: t(reportTexts.receipts),
    language,
    rows: documents,
    columns: [
      {
        head: t(texts.document),
        value: (row) => html`<a href="${link(`/documents/${row.document.id}`)}">${name(row)}</a>`,
      },
      { head: t(texts.date), kind: 'date', value: (row) => row.document.date },
      { head: t(texts.customer), value: (row) => isolate(row.document.customer.name, language) },
      { head: t(texts.details), value: details },
      { head: t(reportTexts.amount), kind: 'money', value: (row) => row.amount },
    ],
  });
}
