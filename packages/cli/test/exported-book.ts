import { randomUUID } from 'node:crypto';
import {
  type BookEntry,
  type Business,
  getArtifact,
  getBookEnd,
  listSeries,
  printReport,
  type RequestOf,
  readBook,
  recordExport,
  showBusiness,
} from '@pinkas/contracts';
import {
  computeTotals,
  type DocumentType,
  documentTypeRules,
  documentTypes,
  isCalendarDate,
  paymentMethods,
  toShekels,
} from '@pinkas/domain';
import { exampleEntry } from '@pinkas/exports/example-book';
import { ApiError } from '@pinkas/service-kit/client';
import { exampleBusiness, exampleDocument } from '@pinkas/testkit';
import fc from 'fast-check';
import type { Call, Output } from '../src/builder/command.js';
import { run } from './run.js';

/** What a caller may write, and what no charset of the structure has. */
const letters = fc.constantFrom(...'אבגםתשABxyz019 .,-"\'', '₪', 'é', '–', 'ף');
const text = (max: number) =>
  fc.string({ unit: letters, minLength: 2, maxLength: max }).map((value) => `ט${value.trim()}`);
const digits = fc.stringMatching(/^[0-9]{1,9}$/);
const agorot = fc.integer({ min: 1, max: 99_999_999 }).map((value) => value / 100);

const item = fc.record({
  description: text(60),
  quantity: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(0.0001, 1.5, 33.3333)),
  unit_price: agorot,
  sku: fc.option(fc.constantFrom('A-1', 'B 2', 'ג-3')),
});

export const draft = fc.record({
  type: fc.constantFrom(...documentTypes),
  items: fc.array(item, { minLength: 1, maxLength: 4 }),
  gross: fc.boolean(),
  rate: fc.constantFrom(0, 16.5, 17, 18),
  percent: fc.option(fc.constantFrom(1, 7.5, 100)),
  method: fc.constantFrom(...paymentMethods),
  name: text(70),
  account: fc.option(digits),
  cancelled: fc.boolean(),
  base: fc.boolean(),
  withheld: fc.option(agorot),
});
export type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;

export const business = exampleBusiness({ tax_id: '777777723', address: 'רחוב הדוגמה 1', city: 'תל אביב' });

/** The entry of a draft as issuing would have stored it. */
function entryOf(input: Draft, number: number): BookEntry {
  const rules = documentTypeRules[input.type];
  const discount =
    input.percent === null || rules.discount === 'forbidden'
      ? null
      : ({ type: 'percent', value: input.percent } as const);
  const computed = computeTotals({
    vatRate: input.rate,
    pricesIncludeVat: input.gross,
    discount,
    items: input.items.map(({ quantity, unit_price }) => ({ quantity, unitPrice: unit_price })),
  });
  const total = toShekels(computed.total);
  const isCheck = input.method === 'check';
  const [source] = rules.sources;
  const cancelled = input.cancelled && rules.cancellable;
  return exampleEntry(
    {
      type: input.type,
      number,
      business_id: business.id,
      items: input.items.map((each, index) => ({
        ...each,
        line_total: toShekels(computed.lineTotals[index] ?? 0n),
      })),
      prices_include_vat: input.gross,
      discount,
      customer: {
        ...exampleDocument().customer,
        name: input.name,
        phone: '050-123 4567',
        address: 'דרך השלום 7',
      },
      totals: {
        subtotal: toShekels(computed.subtotal),
        discount: toShekels(computed.discount),
        vat: toShekels(computed.vat),
        vat_rate: input.rate,
        total,
        currency: 'ILS',
      },
      payments:
        rules.payments === 'forbidden'
          ? []
          : [
              {
                method: input.method,
                amount: total,
                date: '2026-06-15',
                reference: null,
                check_number: isCheck ? '12345678' : null,
                check_date: isCheck ? '2026-08-01' : null,
                bank_code: isCheck ? 12 : null,
                branch: isCheck ? '600' : null,
                account: isCheck ? input.account : null,
                card_last_digits: null,
                card_type: null,
              },
            ],
      based_on:
        input.base && source ? { id: randomUUID(), type: source, number: 7, date: '2026-06-01' } : null,
      ...(input.type === 'receipt' && input.withheld !== null && { withheld: input.withheld }),
    },
    {
      state: {
        status: cancelled ? 'cancelled' : 'open',
        paid: 0,
        allocation_number: null,
        cancelled_at: cancelled ? '2026-06-16T08:00:00.000Z' : null,
      },
    },
  );
}

/** Entries in the order of the book, numbered by type. */
export function bookOf(drafts: readonly Draft[]): BookEntry[] {
  const numbers = new Map<DocumentType, number>();
  return [...drafts]
    .sort((a, b) => (a.type < b.type ? -1 : Number(a.type > b.type)))
    .map((each) => {
      const number = (numbers.get(each.type) ?? 0) + 1;
      numbers.set(each.type, number);
      return entryOf(each, number);
    });
}

const pdfOf = (id: string): Buffer => Buffer.from(`%PDF of ${id}`);

export const urls = { viewUrlBase: 'https://api.example.com/d', pdfUrlBase: 'https://api.example.com/pdf' };

/** Services with a book; `pageSize` entries at a time. What was committed `later` comes after the end of the exports. */
export function systemOf(
  all: readonly BookEntry[],
  pageSize = 3,
  change: Partial<Business> = {},
  later: readonly BookEntry[] = [],
): Call {
  const end = 41;
  const positioned = [
    ...all.map((entry) => ({ entry, position: end })),
    ...later.map((entry) => ({ entry, position: end + 1 })),
  ];
  return (async (contract, request) => {
    switch (contract.subject) {
      case showBusiness.subject:
        return {
          business: { ...business, ...change },
          view_url_base: urls.viewUrlBase,
          pdf_url_base: urls.pdfUrlBase,
        };
      case recordExport.subject:
        return {};
      case listSeries.subject:
        return { series: [{ type: 'tax_invoice', next_number: all.length + 1, last_date: '2026-06-15' }] };
      case getBookEnd.subject: {
        const { after } = request as RequestOf<typeof getBookEnd>;
        const next = positioned.find(({ position }) => after !== null && position > after);
        return { position: end, next_issued_at: next?.entry.document.issued_at ?? null };
      }
      case printReport.subject:
        return { pdf: Buffer.from('%PDF-1.7').toString('base64') };
      case getArtifact.subject: {
        const { document_id } = request as RequestOf<typeof getArtifact>;
        return { revision: 1, sha256: '', pdf: pdfOf(document_id).toString('base64'), cancelled: false };
      }
      case readBook.subject: {
        const { after, from = '', to = '', until = end + 1 } = request as RequestOf<typeof readBook>;
        const book = positioned.filter(({ position }) => position <= until).map(({ entry }) => entry);
        if (!isCalendarDate(from) || !isCalendarDate(to)) {
          throw new ApiError('validation_error');
        }
        const first = after ? book.findIndex(({ document }) => document.id === after.id) + 1 : 0;
        const entries = book.slice(first, first + pageSize);
        const last = entries.at(-1)?.document;
        const isEnd = first + pageSize >= book.length;
        return {
          entries,
          next_after: isEnd || !last ? null : { type: last.type, number: last.number, id: last.id },
        };
      }
      default:
        throw new Error(`no reply to ${contract.subject}`);
    }
  }) as Call;
}

export const runExport = (call: Call, verb: string, words: Record<string, string>): Promise<Output> =>
  run(`export ${verb}`, words, call).output;
