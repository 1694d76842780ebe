import {
  type Call,
  listWithheld,
  type ReplyOf,
  type Withheld,
  type WithheldPosition,
} from '@pinkas/contracts';
import { type Agorot, fromShekels, toShekels } from '@pinkas/domain';
import type { BookRange } from '../book-pages.js';
import { type CsvColumn, type CsvOptions, csvHead, csvMoney, csvRows } from '../documents/csv.js';

const pageSize = 200;

/** Of which book, by the dates of the payments, both ends included. */
export type WithheldRange = Pick<BookRange, 'businessId' | 'from' | 'to'>;

/** The tax that customers have withheld in a range of dates, customer by customer, a page at a time. */
export async function* withheldPages(
  call: Call,
  { businessId, from, to }: WithheldRange,
): AsyncGenerator<readonly Withheld[]> {
  let after: WithheldPosition | null = null;
  do {
    const page: ReplyOf<typeof listWithheld> = await call(listWithheld, {
      business_id: businessId,
      from,
      to,
      limit: pageSize,
      after,
    });
    yield page.withheld;
    after = page.next_after;
  } while (after !== null);
}

/** A row of the list: an entry, or what those above it amount to, of one customer or of all. */
interface Row {
  readonly kind: 'entry' | 'customer' | 'total';
  readonly customer: Withheld['customer'] | null;
  readonly amount: number;
  readonly entry: Withheld | null;
}

const columns: readonly CsvColumn<Row>[] = [
  ['row', ({ kind }) => kind],
  ['customer_id', ({ customer }) => customer?.id ?? null],
  ['customer_name', ({ customer }) => customer?.name ?? null],
  ['customer_tax_id', ({ customer }) => customer?.tax_id ?? null],
  ['withheld_on', ({ entry }) => entry?.withheld_on ?? null],
  ['amount', ({ amount }) => csvMoney(amount)],
  ['document_type', ({ entry }) => entry?.document.type ?? null],
  ['document_number', ({ entry }) => entry?.document.number ?? null],
  ['receipt_number', ({ entry }) => entry?.receipt?.number ?? null],
  ['confirmation_number', ({ entry }) => entry?.confirmation.number ?? null],
  ['confirmation_date', ({ entry }) => entry?.confirmation.date ?? null],
  ['document_id', ({ entry }) => entry?.document.id ?? null],
];

/** The same as a table for a spreadsheet in parts, the first with entries, with the sum of each customer behind its entries, and that of all at the end. */
export async function* withheldCsv(
  pages: AsyncIterable<readonly Withheld[]> | readonly (readonly Withheld[])[],
  options?: CsvOptions,
): AsyncGenerator<string> {
  let head = csvHead(columns);
  let customer: Withheld['customer'] | null = null;
  let [sum, total]: [Agorot, Agorot] = [0n, 0n];
  const sumRow = (kind: 'customer' | 'total', of: Agorot, whose: Row['customer']): Row => ({
    ...{ kind, customer: whose, amount: toShekels(of), entry: null },
  });
  for await (const page of pages) {
    const rows: Row[] = [];
    for (const entry of page) {
      if (customer !== null && customer.id !== entry.customer.id) {
        rows.push(sumRow('customer', sum, customer));
        sum = 0n;
      }
      customer = entry.customer;
      sum += fromShekels(entry.amount);
      total += fromShekels(entry.amount);
      rows.push({ kind: 'entry', customer, amount: entry.amount, entry });
    }
    yield head + csvRows(columns, rows, options);
    head = '';
  }
  const last = customer === null ? [] : [sumRow('customer', sum, customer)];
  yield head + csvRows(columns, [...last, sumRow('total', total, null)], options);
}
