import { type Business, type ReplyOf, reportPeriod } from '@pinkas/contracts';
import { dayInIsrael, mayIssue, type PaymentMethod, walletMethods } from '@pinkas/domain';
import { csvRow, escaped } from '@pinkas/exports';
import type { RpcClient } from '@pinkas/service-kit';
import {
  dateRange,
  facts,
  formatPercent,
  html,
  isolate,
  type Language,
  leftToRight,
  type Markup,
  paymentMethodName,
  type Words,
  withheldWords,
} from '@pinkas/ui';
import { printedPage } from '../frame/printed-page.js';
import { type Sheet, sheetFile, sheetTable } from '../frame/sheet.js';
import { typeName } from '../frame/type-name.js';
import { wrongAddress } from '../http/address-dates.js';
import type { MemberVisit } from '../http/visit.js';
import { monthTitle, periodsUntil, periodTitle, type ReportPeriod, readPeriod } from './period.js';

export const reportTexts = {
  title: { he: 'דוח תקופתי', en: 'Period report' },
  period: { he: 'תקופה', en: 'Period' },
  vat: { he: 'מע"מ עסקאות', en: 'VAT on sales' },
  vatHint: {
    he: 'חשבוניות פחות חשבוניות זיכוי, לפי תאריך המסמך.',
    en: 'Invoices less credit notes, by document date.',
  },
  type: { he: 'סוג מסמך', en: 'Document type' },
  rate: { he: 'שיעור', en: 'Rate' },
  documents: { he: 'מסמכים', en: 'Documents' },
  net: { he: 'לפני מע"מ', en: 'Before VAT' },
  vatAmount: { he: 'מע"מ', en: 'VAT' },
  total: { he: 'כולל מע"מ', en: 'Total' },
  sum: { he: 'סך הכול', en: 'Total' },
  reported: { he: 'לדיווח התקופתי, בשקלים שלמים', en: 'For the periodic report, in whole shekels' },
  reportedHint: {
    he: 'צד העסקאות בלבד: מס התשומות אינו בספר של המסמכים.',
    en: 'Sales only: the VAT on purchases is not in the book of documents.',
  },
  roundedRows: {
    he: 'בקובץ PCN874 כל שורה מעוגלת לשקלים לפני הסיכום, ולכן סכומיו עשויים להיות שונים בשקלים אחדים.',
    en: 'In a PCN874 file each row is rounded to whole shekels before they are summed up, so its sums may differ by some shekels.',
  },
  taxable: { he: 'עסקאות חייבות', en: 'Taxable sales' },
  reportedVat: { he: 'מס עסקאות', en: 'VAT on sales' },
  untaxed: { he: 'עסקאות פטורות או בשיעור אפס', en: 'Exempt or zero-rated sales' },
  receipts: { he: 'תקבולים לפי אמצעי תשלום', en: 'Receipts by payment method' },
  method: { he: 'אמצעי תשלום', en: 'Payment method' },
  payments: { he: 'תשלומים', en: 'Payments' },
  amount: { he: 'סכום', en: 'Amount' },
  months: { he: 'לפי חודש', en: 'By month' },
  month: { he: 'חודש', en: 'Month' },
  received: { he: 'התקבל', en: 'Received' },
  customer: { he: 'לקוח', en: 'Customer' },
  taxId: { he: 'ח.פ. / ת.ז.', en: 'Tax id' },
  entries: { he: 'ניכויים', en: 'Entries' },
  withheldHint: {
    he: 'לפי תאריך התשלום. מע"מ והכנסות אינם משתנים; הניכוי הוא על חשבון מס ההכנסה של העסק.',
    en: 'By the date of the payment. VAT and income do not change: it counts towards the income tax of the business.',
  },
  moreCustomers: {
    he: 'הלקוחות שניכו את הסכומים הגדולים; הקובץ כולל את כולם.',
    en: 'The customers that have withheld most; the file has all of them.',
  },
  income: { he: 'הכנסות', en: 'Income' },
  byInvoices: { he: 'חשבוניות פחות זיכויים, לפני מע"מ', en: 'Invoices less credits, before VAT' },
  byReceipts: { he: 'לפי תקבולים', en: 'By receipts' },
} as const satisfies Record<string, Words>;

export type Report = ReplyOf<typeof reportPeriod>;

/** The period of a page: that of its address, else the current month. @throws ApiError where the address names none. */
export function periodOf({ query }: MemberVisit, now: Date): ReportPeriod {
  const [current] = periodsUntil(dayInIsrael(now)).months;
  const name = query.get('period') ?? '';
  const period = name === '' ? current : readPeriod(name);
  if (!period) {
    throw wrongAddress('period');
  }
  return period;
}

/** Whose report it is, and in which language it is shown. */
type ReportView = Pick<MemberVisit, 'book' | 'language'>;

/** What is asked for the report of a period. */
export function reportRequest({ id, legal_type }: Business, { from, to }: Pick<ReportPeriod, 'from' | 'to'>) {
  return { business_id: id, legal_type, from, to };
}

/** Reads the report of a period. */
export function readReport(rpc: RpcClient, { book }: MemberVisit, period: ReportPeriod) {
  return rpc.call(reportPeriod, reportRequest(book, period));
}

type Sale = Report['types'][number];
type Received = Report['receipts'][number];

/** Sales by type and rate. @param linkOf the documents of a type; absent on paper. */
export function salesSheet(
  { types, sales }: Report,
  { language }: ReportView,
  linkOf?: (type: Sale['type']) => string,
): Sheet<Sale> {
  const name = ({ type }: Sale) =>
    linkOf ? html`<a href="${linkOf(type)}">${typeName(type, language)}</a>` : typeName(type, language);
  return {
    caption: reportTexts.vat[language],
    language,
    rows: types,
    columns: [
      {
        head: reportTexts.type[language],
        value: name,
        cell: ({ type }) => typeName(type, language),
        foot: reportTexts.sum[language],
      },
      {
        head: reportTexts.rate[language],
        kind: 'figure',
        value: (row) => html`${leftToRight(formatPercent(row.vat_rate))}`,
        cell: (row) => row.vat_rate,
        foot: null,
      },
      { head: reportTexts.documents[language], kind: 'count', value: (row) => row.documents, foot: null },
      { head: reportTexts.net[language], kind: 'money', value: (row) => row.net, foot: sales.net },
      { head: reportTexts.vatAmount[language], kind: 'money', value: (row) => row.vat, foot: sales.vat },
      { head: reportTexts.total[language], kind: 'money', value: (row) => row.total, foot: sales.total },
    ],
  };
}

/** What was received by each means of payment. @param linkOf its documents; absent on paper. */
export function receiptsSheet(
  { receipts, received }: Report,
  { language, book }: ReportView,
  linkOf?: (method: PaymentMethod) => string,
): Sheet<Received> {
  const name = ({ method }: Received) => {
    const text = paymentMethodName(method, book.wallet_labels, language);
    return linkOf ? html`<a href="${linkOf(method)}">${text}</a>` : text;
  };
  return {
    caption: reportTexts.receipts[language],
    language,
    rows: receipts,
    columns: [
      {
        head: reportTexts.method[language],
        value: name,
        cell: ({ method }) => methodName(method, book, language),
        foot: reportTexts.sum[language],
      },
      { head: reportTexts.payments[language], kind: 'count', value: (row) => row.payments, foot: null },
      { head: reportTexts.amount[language], kind: 'money', value: (row) => row.amount, foot: received },
    ],
  };
}

/** The name of a means of payment as text: that of a wallet is typed by a person. */
function methodName(
  method: PaymentMethod,
  { wallet_labels }: ReportView['book'],
  language: Language,
): string {
  const wallet = walletMethods.find((known) => known === method);
  return wallet ? wallet_labels[wallet][language] : paymentMethodName(method, wallet_labels, language).text;
}

type WithheldSum = NonNullable<Report['withheld']>['by_customer'][number];

/** What customers have withheld at source. @param linkOf the page of a customer; absent on paper. */
function withheldSheet(
  { amount, by_customer }: NonNullable<Report['withheld']>,
  { language }: ReportView,
  linkOf?: (customerId: string) => string,
): Sheet<WithheldSum> {
  return {
    caption: withheldWords.withheld[language],
    language,
    rows: by_customer,
    columns: [
      {
        head: reportTexts.customer[language],
        value: ({ id, name }) =>
          linkOf ? html`<a href="${linkOf(id)}">${isolate(name, language)}</a>` : isolate(name, language),
        cell: ({ name }) => name,
        foot: reportTexts.sum[language],
      },
      {
        head: reportTexts.taxId[language],
        value: ({ tax_id }) => tax_id && leftToRight(tax_id),
        cell: ({ tax_id }) => tax_id,
        foot: null,
      },
      { head: reportTexts.entries[language], kind: 'count', value: (row) => row.entries, foot: null },
      { head: reportTexts.amount[language], kind: 'money', value: (row) => row.amount, foot: amount },
    ],
  };
}

/** What is shown of it: the table, and what it is. */
export function withheldPart(
  withheld: NonNullable<Report['withheld']>,
  view: ReportView,
  linkOf?: (customerId: string) => string,
): Markup {
  const isCut = withheld.customers > withheld.by_customer.length;
  const more = isCut && html` ${reportTexts.moreCustomers[view.language]}`;
  return html`<p class="hint">${reportTexts.withheldHint[view.language]}${more}</p>
${sheetTable(withheldSheet(withheld, view, linkOf))}`;
}

type ReportMonth = Report['months'][number];

/** Each month of a longer period. */
export function monthsSheet(
  { months, sales, received }: Report,
  { language, book }: ReportView,
): Sheet<ReportMonth> {
  return {
    caption: reportTexts.months[language],
    language,
    rows: months,
    columns: [
      {
        head: reportTexts.month[language],
        value: (row) => monthTitle(row.month, language),
        foot: reportTexts.sum[language],
      },
      ...(hasVat(book)
        ? [
            {
              head: reportTexts.net[language],
              kind: 'money' as const,
              value: (row: ReportMonth) => row.net,
              foot: sales.net,
            },
            {
              head: reportTexts.vatAmount[language],
              kind: 'money' as const,
              value: (row: ReportMonth) => row.vat,
              foot: sales.vat,
            },
          ]
        : []),
      { head: reportTexts.received[language], kind: 'money', value: (row) => row.received, foot: received },
    ],
  };
}

/** An amount in complete shekels. */
export function wholeAmount(value: number, language: Language): Markup {
  const figure = Math.abs(value).toLocaleString('en-US');
  const sign = value < 0 ? '-' : '';
  return language === 'he' ? html`${leftToRight(`${sign}${figure}`)} ₪` : leftToRight(`${sign}₪${figure}`);
}

/** What the periodic VAT report asks for, in complete shekels. */
export function reportedFacts({ reported }: Report, { language }: ReportView): Markup {
  return facts(
    [
      [reportTexts.taxable[language], wholeAmount(reported.taxable, language)],
      [reportTexts.reportedVat[language], wholeAmount(reported.vat, language)],
      [reportTexts.untaxed[language], wholeAmount(reported.untaxed, language)],
    ],
    language,
  );
}

/** Whether a business charges VAT, so that a report of its period has any. */
export const hasVat = ({ legal_type }: Pick<Business, 'legal_type'>): boolean =>
  legal_type === null || mayIssue(legal_type, 'tax_invoice');

/** The figures of a report as a table for a spreadsheet. */
export const reportFile = (view: ReportView, report: Report): string => {
  const { withheld } = report;
  return [
    ...(hasVat(view.book) ? [sheetFile(salesSheet(report, view))] : []),
    sheetFile(receiptsSheet(report, view)),
    ...(withheld ? [sheetFile(withheldSheet(withheld, view))] : []),
  ].join(csvRow(['']));
};

/** The report of a period as a page to print. A part of it stays on one page with its sums. @param today YYYY-MM-DD. */
export function printedPeriod(view: ReportView, period: ReportPeriod, report: Report, today: string): string {
  const { book, language } = view;
  const part = (title: Words, content: Markup) => html`<section>
<h2>${title[language]}</h2>
${content}
</section>
`;
  const vat = html`${part(
    reportTexts.vat,
    html`<p>${reportTexts.vatHint[language]}</p>
${sheetTable(salesSheet(report, view))}`,
  )}${part(
    reportTexts.reported,
    html`${reportedFacts(report, view)}
<p>${reportTexts.reportedHint[language]}</p>
<p>${reportTexts.roundedRows[language]}</p>`,
  )}`;
  const body = html`${hasVat(book) && vat}${part(reportTexts.receipts, sheetTable(receiptsSheet(report, view)))}
${report.withheld ? part(withheldWords.withheld, withheldPart(report.withheld, view)) : null}${part(reportTexts.months, sheetTable(monthsSheet(report, view)))}`;
  const days = `${escaped(periodTitle(period, language))}, ${dateRange(period.from, period.to, language).text}`;
  return printedPage(
    { business: book, language, today },
    { title: reportTexts.title[language], about: [[reportTexts.period[language], days]], body },
  );
}
