import { printReport, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael, formatDay, type PaymentMethod, walletMethods } from '@pinkas/domain';
import { csvRow, escaped, ltr, printedReport } from '@pinkas/exports';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { html, type Language, paymentMethodName, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import { csvFile, pdfFile } from '../../http/file-replies.js';
import type { MemberVisit } from '../../http/visit.js';
import { typeName } from '../parts.js';
import { periodDays, periodTitle, type ReportPeriod } from './period.js';
import {
  monthsTable,
  periodOf,
  type Report,
  readReport,
  receiptsTable,
  reportedFacts,
  reportTexts,
  salesTable,
} from './report.js';

const texts = {
  business: { he: 'שם העסק', en: 'Business' },
  taxId: { he: 'מספר עוסק', en: 'Registration number' },
  period: { he: 'תקופה', en: 'Period' },
  made: { he: 'הופק', en: 'Made on' },
} as const satisfies Record<string, Words>;

/** The report of a period as a PDF. */
@ConsolePage({
  method: 'GET',
  path: '/reports/pdf',
  access: 'reader',
  books: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class PrintPeriod {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const period = periodOf(visit, now);
    const report = await readReport(this.rpc, visit, period);
    const { pdf } = await this.rpc.call(printReport, {
      title: `Report ${period.name}`,
      html: printed(visit, period, report, dayInIsrael(now)),
    });
    return pdfFile(`report-${period.name}.pdf`, Buffer.from(pdf, 'base64'));
  }
}

/** The same figures as a table for a spreadsheet. */
@ConsolePage({ method: 'GET', path: '/reports/csv', access: 'reader', books: true })
export class DownloadReport {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const period = periodOf(visit, this.clock.now());
    const report = await readReport(this.rpc, visit, period);
    return csvFile(`report-${period.name}.csv`, rowsOf(visit, report));
  }
}

const money = (value: number) => ({ amount: value.toFixed(2) });

async function* rowsOf({ book, language }: MemberVisit, report: Report): AsyncGenerator<string> {
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
  { wallet_labels }: MemberVisit['book'],
  language: Language,
): string {
  const wallet = walletMethods.find((known) => known === method);
  return wallet ? wallet_labels[wallet][language] : paymentMethodName(method, wallet_labels, language).text;
}

function printed(visit: MemberVisit, period: ReportPeriod, report: Report, today: string): string {
  const { book, language } = visit;
  const facts: (readonly [Words, string | null])[] = [
    [texts.business, escaped(book.name)],
    [texts.taxId, book.tax_id && ltr(book.tax_id)],
    [texts.period, `${escaped(periodTitle(period, language))}, ${ltr(periodDays(period, language))}`],
    [texts.made, ltr(formatDay(today, language))],
  ];
  const body = html`
<h2>${reportTexts.vat[language]}</h2>
<p>${reportTexts.vatHint[language]}</p>
${salesTable(report, visit)}
<h2>${reportTexts.reported[language]}</h2>
${reportedFacts(report, visit)}
<p>${reportTexts.reportedHint[language]}</p>
<h2>${reportTexts.receipts[language]}</h2>
${receiptsTable(report, visit)}
<h2>${reportTexts.months[language]}</h2>
${monthsTable(report, visit)}`;
  return printedReport({
    language,
    business: book.name,
    title: reportTexts.title[language],
    facts: facts.flatMap(([term, value]) => (value ? [[term[language], value] as const] : [])),
    body: body.text,
  });
}
