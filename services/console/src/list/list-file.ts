import { listDocuments, type ReplyOf } from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import { type CsvColumn, csvHead, csvMoney, csvRows } from '@pinkas/exports';
import type { RpcClient } from '@pinkas/service-kit';
import { formatDate, type Language, type Words } from '@pinkas/ui';
import { balanceOf, statusText, typeName } from '../frame/parts.js';
import { isReceived } from '../issue/issue-fields.js';
import type { ListQuery } from './list-query.js';
import type { ListedDocument } from './list-table.js';
import { listWords } from './list-words.js';

const texts = {
  number: { he: 'מספר', en: 'Number' },
  due: { he: 'לתשלום עד', en: 'Due' },
  taxId: { he: 'ח.פ. / ת.ז.', en: 'Tax id' },
  net: { he: 'לפני מע"מ, אחרי הנחה', en: 'Before VAT, after discount' },
  reference: { he: 'אסמכתא', en: 'Reference' },
} as const satisfies Record<string, Words>;

/** Documents that one call reads. */
const callSize = 100;

/** The amounts of a credit note are negative: the sum of a column is what a bookkeeper posts. */
const signed = ({ document }: ListedDocument, amount: number) =>
  csvMoney(document.type === 'credit_note' && amount !== 0 ? -amount : amount);

/** What acknowledges a payment has no VAT: who adds up the column would count it twice. */
const ofPrices = (row: ListedDocument, amount: (totals: ListedDocument['document']['totals']) => number) =>
  isReceived(row.document.type) ? null : signed(row, amount(row.document.totals));

function columnsOf(language: Language): CsvColumn<ListedDocument>[] {
  const date = (day: string | null) => day && formatDate(day, language);
  return [
    [listWords.type[language], ({ document }) => typeName(document.type, language)],
    [texts.number[language], ({ document }) => document.number],
    [listWords.date[language], ({ document }) => date(document.date)],
    [texts.due[language], ({ document }) => date(document.due_date)],
    [listWords.customer[language], ({ document }) => document.customer.name],
    [texts.taxId[language], ({ document }) => document.customer.tax_id],
    [
      texts.net[language],
      (row) => ofPrices(row, ({ total, vat }) => toShekels(fromShekels(total) - fromShekels(vat))),
    ],
    [listWords.vat[language], (row) => ofPrices(row, ({ vat }) => vat)],
    [listWords.total[language], (row) => signed(row, row.document.totals.total)],
    [
      listWords.balance[language],
      ({ document, state }) => {
        const balance = balanceOf(document, state);
        return balance === null ? null : csvMoney(balance);
      },
    ],
    [listWords.status[language], ({ document, state }) => statusText(document, state, language)],
    [listWords.number[language], ({ state }) => state.allocation_number],
    [texts.reference[language], ({ document }) => document.external_ref],
  ];
}

/** The documents of a query as a table for a spreadsheet, read while it is sent. */
export async function* listFile(
  rpc: RpcClient,
  business_id: string,
  { filter, order, ascending }: ListQuery,
  language: Language,
): AsyncGenerator<string> {
  const columns = columnsOf(language);
  yield csvHead(columns);
  for (let before: number | null = null; ; ) {
    const page: ReplyOf<typeof listDocuments> = await rpc.call(listDocuments, {
      ...filter,
      ...{ business_id, order, ascending, before },
      settlement: true,
      limit: callSize,
    });
    yield csvRows(columns, page.documents);
    if (page.next_before === null) {
      return;
    }
    before = page.next_before;
  }
}
