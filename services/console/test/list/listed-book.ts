import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import {
  type BookEntry,
  type Business,
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
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';
import { bookEntry } from '../exports.js';

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

/** A console with a business of three documents: what the services know in a test, and what they were asked. */
export class ListedBook {
  console!: ConsoleUnderTest;
  business!: Business;
  book!: BookEntry[];
  owner!: TestPerson;
  accountant!: TestPerson;
  /** Of the owner, who is signed in. */
  browser!: TestBrowser;
  recorded!: RequestOf<typeof recordExport>[];
  listed!: RequestOf<typeof listDocuments>[];
  sent!: RequestOf<typeof sendMessage>[];
  /** The reports that were printed, as HTML. */
  printed!: string[];
  /** The customers whom a search finds. */
  found!: ReplyOf<typeof searchCustomers>['customers'];
  /** After the first message. */
  isDeliveryAway = false;

  /** One for the tests of a file, each with a business of its own. */
  static forTests(): ListedBook {
    const made = new ListedBook();
    beforeAll(async () => {
      made.console = await startConsole();
      answerForListedBook(made);
    });
    afterAll(() => made.console.stop());
    beforeEach(() => made.#renew());
    return made;
  }

  async #renew(): Promise<void> {
    const { console } = this;
    console.clock.now = new Date('2026-06-15T08:00:10Z');
    console.notices.length = 0;
    const business = console.addBusiness({ tax_id: '777777723' });
    this.business = business;
    this.book = [1, 2, 3].map((number) => bookEntry(number, business));
    this.owner = await console.addPerson({ [business.id]: 'owner' });
    this.accountant = await console.addPerson({ [business.id]: 'bookkeeper' });
    this.browser = await console.signedIn(this.owner);
    [this.recorded, this.listed, this.sent, this.found, this.printed] = [[], [], [], [], []];
    this.isDeliveryAway = false;
  }

  at(path: string): string {
    return `/b/${this.business.id}${path}`;
  }

  jobs() {
    const { db } = this.console.database;
    return db.selectFrom('export_job').selectAll().where('business_id', '=', this.business.id).execute();
  }
}

/** Answers for the services with the book of the present test. */
function answerForListedBook(made: ListedBook): void {
  const { network } = made.console;
  const sums = { cancelled: 0, net: 100, vat: 18, total: 118 };
  network.answer(recordExport, (request) => {
    made.recorded.push(request);
    return {};
  });
  network.answer(summarizeDocuments, () => ({ types: [] }));
  network.answer(getBookEnd, () => ({ position: made.book.length, next_issued_at: null }));
  network.answer(printReport, ({ html }) => {
    made.printed.push(html);
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
    entries: made.book.filter(({ document }) => document_ids?.includes(document.id) ?? true),
    next_after: null,
  }));
  network.answer(listDocuments, (request) => {
    made.listed.push(request);
    const ids = request.document_ids;
    const isHit = (id: string) => request.before === null && (ids?.includes(id) ?? true);
    const hits = made.book.filter(({ document }) => isHit(document.id));
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
    const documents = document_ids?.length ?? made.book.length;
    return {
      types: balance_state === 'closed' ? null : [{ type: 'tax_invoice' as const, documents, ...sums }],
    };
  });
  network.answer(listDeliveryStates, ({ document_ids }) => ({
    documents: document_ids.slice(0, 1).map((document_id) => ({ document_id, state: 'failed' as const })),
  }));
  network.answer(listUndelivered, () => ({ document_ids: [made.book[1]?.document.id ?? ''] }));
  network.answer(searchCustomers, () => ({ customers: made.found }));
  network.answer(sendMessage, (request) => {
    made.sent.push(request);
    if (made.isDeliveryAway && made.sent.length > 1) {
      throw new ApiError('engine_error');
    }
    if (request.document_id === made.book[1]?.document.id) {
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
