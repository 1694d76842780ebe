import { formatDay, type PaymentMethod, walletMethods } from '@pinkas/domain';
import { csvRow, escaped, ltr, printedReport } from '@pinkas/exports';
import { html, isolate, type Language, paymentMethodName, type Words } from '@pinkas/ui';
import { periodDays, periodTitle, type ReportPeriod } from './period.js';
import {
  monthsTable,
  type Report,
  type ReportView,
  receiptsTable,
  reportedFacts,
  reportTexts,
  salesTable,
} from './report.js';
import { typeName } from './type-name.js';

const texts = {
  business: { he: 'שם העסק', en: 'Business' },
  taxId: { he: 'מספר עוסק', en: 'Registration number' },
  period: { he: 'תקופה', en: 'Period' },
  made: { he: 'הופק', en: 'Made on' },
} as const satisfies Record<string, Words>;

const money = (value: number) => ({ amount: value.toFixed(2) });

/** The figures of a report as the rows of a table for a spreadsheet. */
export async function* reportRows({ book, language }: ReportView, report: Report): AsyncGenerator<string> {
  const heads = (...names: (keyof typeof reportTexts)[]) =>
    csvRow(names.map((name) => reportTexts[name][language]));
  yield heads('type', 'rate', 'documents', 'net', 'vatAmount', 'total');
  for (const { type, vat_rate, documents, net, vat, total } of report.types) {
    yield csvRow([typeName(type, language), vat_rate, documents, money(net), money(vat), money(total)]);
  }
  const { sales } = report;
  yield csvRow([
    reportTexts.sum[language],
    ...['', ''],
    ...[money(sales.net), money(sales.vat), money(sales.total)],
  ]);
  yield csvRow(['']);
  yield heads('method', 'payments', 'amount');
  for (const { method, payments, amount } of report.receipts) {
    yield csvRow([methodName(method, book, language), payments, money(amount)]);
  }
  yield csvRow([reportTexts.sum[language], '', money(report.received)]);
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

/** The report of a period as a page to print. @param today YYYY-MM-DD. */
export function printedPeriod(view: ReportView, period: ReportPeriod, report: Report, today: string): string {
  const { book, language } = view;
  const facts: (readonly [Words, string | null])[] = [
    [texts.business, isolate(book.name, language).text],
    [texts.taxId, book.tax_id && ltr(book.tax_id)],
    [texts.period, `${escaped(periodTitle(period, language))}, ${ltr(periodDays(period, language))}`],
    [texts.made, ltr(formatDay(today, language))],
  ];
  const body = html`
<h2>${reportTexts.vat[language]}</h2>
<p>${reportTexts.vatHint[language]}</p>
${salesTable(report, view)}
<h2>${reportTexts.reported[language]}</h2>
${reportedFacts(report, view)}
<p>${reportTexts.reportedHint[language]}</p>
<h2>${reportTexts.receipts[language]}</h2>
${receiptsTable(report, view)}
<h2>${reportTexts.months[language]}</h2>
${monthsTable(report, view)}`;
  return printedReport({
    language,
    business: book.name,
    title: reportTexts.title[language],
    facts: facts.flatMap(([term, value]) => (value ? [[term[language], value] as const] : [])),
    body: body.text,
  });
}
