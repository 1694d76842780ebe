import { printReport, type StatementEntry } from '@pinkas/contracts';
import { dayInIsrael, formatDay } from '@pinkas/domain';
import { ltr } from '@pinkas/exports';
import type { RpcClient } from '@pinkas/service-kit';
import { isolate, type Language, type Words } from '@pinkas/ui';
import { printedPage } from '../frame/printed-page.js';
import { words } from '../frame/words.js';
import type { MemberVisit } from '../http/visit.js';
import { readPage, type Statement, type StatementVisit, statementTable } from './statement.js';

const texts = {
  customer: { he: 'לקוח', en: 'Customer' },
  customerTaxId: { he: 'ח.פ. / ת.ז. של הלקוח', en: "Customer's tax id" },
  period: { he: 'תקופה', en: 'Period' },
  until: { he: 'עד', en: 'to' },
  begin: { he: 'תחילת הספר', en: 'the beginning' },
} as const satisfies Record<string, Words>;

/** Entries that one call reads for a file. */
export const callSize = 500;
/** Entries of one PDF: a row has some 380 characters, and a report at most 400,000. */
const printedMax = 1_000;

/** Prints a statement. @returns the file in base64 with what is in it; null where it has more entries than a PDF holds. */
export async function printStatement(
  rpc: RpcClient,
  visit: MemberVisit,
  subject: StatementVisit,
  { now, language }: { readonly now: Date; readonly language: Language },
): Promise<{ pdf: string; statement: Statement; entries: readonly StatementEntry[] } | null> {
  const statement = await readPage(rpc, visit, subject, { limit: callSize, after: null });
  const entries = [...statement.entries];
  let after = statement.next_after;
  while (after !== null && entries.length < printedMax) {
    const next: Statement = await readPage(rpc, visit, subject, { limit: callSize, after });
    entries.push(...next.entries);
    after = next.next_after;
  }
  if (after !== null) {
    return null;
  }
  const { pdf } = await rpc.call(printReport, {
    business_id: visit.bookId,
    title: 'Statement of account',
    html: sheetOf(visit, subject, statement, entries, { today: dayInIsrael(now), language }),
  });
  return { pdf, statement, entries };
}

function sheetOf(
  { business }: MemberVisit,
  { customer, period }: StatementVisit,
  statement: Statement,
  entries: readonly StatementEntry[],
  { today, language }: { readonly today: string; readonly language: Language },
): string {
  const shown = (day: string) => ltr(formatDay(day, language));
  const from = period.from === undefined ? texts.begin[language] : shown(period.from);
  const to = shown(period.to ?? today);
  return printedPage(
    { business, language, today },
    {
      title: words.statement[language],
      about: [
        [texts.customer[language], isolate(customer.name, language).text],
        [texts.customerTaxId[language], customer.tax_id && ltr(customer.tax_id)],
        [texts.period[language], `${from} ${texts.until[language]} ${to}`],
      ],
      body: statementTable(statement, entries, language),
    },
  );
}
