import { printReport, type StatementEntry, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael, formatDay } from '@pinkas/domain';
import { csvRow, ltr, printedReport } from '@pinkas/exports';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { html, isolate, type Language, type Markup, notice, pageHead, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import { csvFile, pdfFile } from '../../http/file-replies.js';
import type { MemberVisit } from '../../http/visit.js';
import { documentName, typeName } from '../parts.js';
import { words } from '../words.js';
import {
  periodQuery,
  readPage,
  type Statement,
  type StatementVisit,
  statementTable,
  statementVisit,
} from './statement.js';

const texts = {
  business: { he: 'שם העסק', en: 'Business' },
  taxId: { he: 'מספר עוסק', en: 'Registration number' },
  customer: { he: 'לקוח', en: 'Customer' },
  customerTaxId: { he: 'ח.פ. / ת.ז. של הלקוח', en: "Customer's tax id" },
  period: { he: 'תקופה', en: 'Period' },
  until: { he: 'עד', en: 'to' },
  begin: { he: 'תחילת הספר', en: 'the beginning' },
  made: { he: 'הופק', en: 'Made on' },
  tooLong: {
    he: 'בכרטסת יותר מ-1,000 תנועות. יש לבחור תקופה קצרה יותר, או CSV.',
    en: 'The statement has more than 1,000 entries. Choose a shorter period, or the CSV.',
  },
  columns: {
    he: ['תאריך', 'סוג', 'מספר', 'על בסיס', 'לתשלום עד', 'חובה', 'זכות', 'יתרה'],
    en: ['Date', 'Type', 'Number', 'For', 'Due', 'Debit', 'Credit', 'Balance'],
  },
  opening: { he: 'יתרת פתיחה', en: 'Opening balance' },
} as const;

/** Entries that one call reads. */
const pageSize = 500;
/** Entries of one PDF: a row has some 380 characters, and a report at most 400,000. */
const printedMax = 1_000;

/** The account of a customer as a PDF, for the customer. */
@ConsolePage({
  method: 'GET',
  path: '/customers/:id/statement/pdf',
  access: 'reader',
  books: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class PrintStatement {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    const first = await readPage(this.rpc, visit, subject, { limit: pageSize, after: null });
    const entries = [...first.entries];
    let after = first.next_after;
    while (after !== null && entries.length < printedMax) {
      const next: Statement = await readPage(this.rpc, visit, subject, { limit: pageSize, after });
      entries.push(...next.entries);
      after = next.next_after;
    }
    if (after !== null) {
      const { language } = visit;
      return page(words.statement[language], tooLong(visit, subject), 422);
    }
    const { pdf } = await this.rpc.call(printReport, {
      title: 'Statement of account',
      html: printed(visit, subject, first, entries, dayInIsrael(now)),
    });
    return pdfFile(`statement-${dayInIsrael(now)}.pdf`, Buffer.from(pdf, 'base64'));
  }
}

function tooLong({ language, link }: MemberVisit, { customer, period }: StatementVisit): Markup {
  const at = link(`/customers/${customer.id}/statement`, periodQuery(period));
  return html`
${pageHead({
  title: words.statement[language],
  language,
  crumbs: [{ text: isolate(customer.name, language), href: at }],
})}
${notice('error', texts.tooLong[language])}`;
}

/** The same as a table for a spreadsheet, of any length. */
@ConsolePage({ method: 'GET', path: '/customers/:id/statement/csv', access: 'reader', books: true })
export class DownloadStatement {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const subject = await statementVisit(this.rpc, visit, now);
    // Read before the reply begins, so that a failure has a page of its own.
    const first = await readPage(this.rpc, visit, subject, { limit: pageSize, after: null });
    return csvFile(`statement-${dayInIsrael(now)}.csv`, this.#rows(visit, subject, first));
  }

  async *#rows(visit: MemberVisit, subject: StatementVisit, first: Statement): AsyncGenerator<string> {
    const { language } = visit;
    yield csvRow(texts.columns[language]);
    yield csvRow(['', texts.opening[language], '', '', '', '', '', money(first.opening)]);
    for (let statement: Statement | null = first; statement !== null; ) {
      yield statement.entries.map((entry) => csvRow(cellsOf(entry, language))).join('');
      const after: Statement['next_after'] = statement.next_after;
      statement = after && (await readPage(this.rpc, visit, subject, { limit: pageSize, after }));
    }
  }
}

const money = (value: number) => ({ amount: value.toFixed(2) });

function cellsOf(entry: StatementEntry, language: Language) {
  const { date, type, number, based_on, due_date, debit, credit, balance } = entry;
  return [
    date,
    typeName(type, language),
    number,
    based_on && documentName(based_on, language),
    due_date,
    money(debit),
    money(credit),
    money(balance),
  ];
}

function printed(
  { business, language }: MemberVisit,
  { customer, period }: StatementVisit,
  statement: Statement,
  entries: readonly StatementEntry[],
  today: string,
): string {
  const shown = (day: string) => ltr(formatDay(day, language));
  const from = period.from === undefined ? texts.begin[language] : shown(period.from);
  const to = shown(period.to ?? today);
  const facts: (readonly [Words, string | null])[] = [
    [texts.business, isolate(business.name, language).text],
    [texts.taxId, business.tax_id && ltr(business.tax_id)],
    [texts.customer, isolate(customer.name, language).text],
    [texts.customerTaxId, customer.tax_id && ltr(customer.tax_id)],
    [texts.period, `${from} ${texts.until[language]} ${to}`],
    [texts.made, shown(today)],
  ];
  return printedReport({
    language,
    business: business.name,
    title: words.statement[language],
    facts: facts.flatMap(([term, value]) => (value ? [[term[language], value] as const] : [])),
    body: statementTable(statement, entries, language).text,
  });
}
