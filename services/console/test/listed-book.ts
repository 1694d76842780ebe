import {
  type BookEntry,
  getArtifact,
  getBookEnd,
  listDeliveryStates,
  listDocuments,
  listUndelivered,
  printReport,
  type ReplyOf,
  type RequestOf,
  readBook,
  recordExport,
  reportPeriod,
  searchCustomers,
  sendMessage,
  sumDocuments,
  summarizeDocuments,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { type ConsoleUnderTest } from './console.js';

/** A document as lists have it. */
const headOf = ({
  items: _items,
  prices_include_vat: _basis,
  discount: _discount,
  payments: _payments,
  title: _title,
  notes: _notes,
  send: _send,
  ...head
}: BookEntry['document']) => head;

export const queued = ({ delivery_id, channel }: RequestOf<typeof sendMessage>) => ({
  ...{ delivery_id, channel, purpose: 'customer' as const, state: 'ready' as const },
  ...{ next_attempt_at: null, not_before: null, held_until: null, reason: null, ended_at: null },
  ...{ requested: true, reminder: false, follow_up: false },
});

/** What the services know in a test, and what they were asked. */
export interface ListedBook {
  readonly book: BookEntry[];
  readonly recorded: RequestOf<typeof recordExport>[];
  readonly listed: RequestOf<typeof listDocuments>[];
  readonly sent: RequestOf<typeof sendMessage>[];
  /** The reports that were printed, as HTML. */
  readonly printed: string[];
  /** The customers whom a search finds. */
  readonly found: ReplyOf<typeof searchCustomers>['customers'];
  /** After the first message. */
  readonly isDeliveryAway: boolean;
}

/** Answers for the services with a book. @param now that of the present test. */
export function answerForListedBook({ network }: ConsoleUnderTest, now: () => ListedBook): void {
  const sums = { cancelled: 0, net: 100, vat: 18, total: 118 };
  network.answer(recordExport, (request) => {
    now().recorded.push(request);
    return {};
  });
  network.answer(summarizeDocuments, () => ({ types: [] }));
  network.answer(getBookEnd, () => ({ position: now().book.length, next_issued_at: null }));
  network.answer(printReport, ({ html }) => {
    now().printed.push(html);
    return { pdf: Buffer.from('%PDF-1.7').toString('base64') };
  });
  network.answer(reportPeriod, ({ legal_type }) => {
    const amounts = { net: 300, vat: 54, total: 354 };
    return {
      types: [{ type: 'tax_invoice' as const, vat_rate: 18, documents: 3, ...amounts }],
      rates: [{ vat_rate: 18, ...amounts }],
      sales: amounts,
      taxable: amounts,
      untaxed: 0,
      reported: { taxable: 300, vat: 54, untaxed: 0 },
      receipts: [],
      received: 0,
      income: {
        basis: legal_type === 'osek_patur' ? ('receipts' as const) : ('invoices' as const),
        amount: 300,
      },
      months: [{ month: '2026-06', net: 300, vat: 54, received: 0 }],
    };
  });
  network.answer(getArtifact, () => {
    throw new ApiError('not_found');
  });
  network.answer(readBook, ({ document_ids }) => ({
    entries: now().book.filter(({ document }) => document_ids?.includes(document.id) ?? true),
    next_after: null,
  }));
  network.answer(listDocuments, (request) => {
    now().listed.push(request);
    const ids = request.document_ids;
    const isHit = (id: string) => request.before === null && (ids?.includes(id) ?? true);
    const hits = now().book.filter(({ document }) => isHit(document.id));
    return {
      documents: hits.map(({ document, state, delivery }) => ({
        document: headOf(document),
        state,
        delivery,
        allocation: { status: 'failed' as const, number: null, reason: 'No answer.' },
      })),
      next_before: request.before === null && ids === undefined && request.limit < 100 ? 7 : null,
    };
  });
  network.answer(sumDocuments, ({ document_ids, balance_state }) => {
    const documents = document_ids?.length ?? now().book.length;
    return {
      types: balance_state === 'closed' ? null : [{ type: 'tax_invoice' as const, documents, ...sums }],
    };
  });
  network.answer(listDeliveryStates, ({ document_ids }) => ({
    documents: document_ids.slice(0, 1).map((document_id) => ({ document_id, state: 'failed' as const })),
  }));
  network.answer(listUndelivered, () => ({ document_ids: [now().book[1]?.document.id ?? ''] }));
  network.answer(searchCustomers, () => ({ customers: now().found }));
  network.answer(sendMessage, (request) => {
    now().sent.push(request);
    if (now().isDeliveryAway && now().sent.length > 1) {
      throw new ApiError('engine_error');
    }
    if (request.document_id === now().book[1]?.document.id) {
      throw ApiError.invalid([{ path: '/recipient', message: 'is suppressed' }]);
    }
    return queued(request);
  });
}

export const wordsOf = (text: string) =>
  text
    .replaceAll(/<[^>]*>|[\u2066-\u2069]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' :', ':');
