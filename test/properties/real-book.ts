import { expect } from '@jest/globals';
import {
  type ApiKey,
  type BusinessChange,
  CancelledDocument,
  type CreatedDocument,
  CustomerList,
  compile,
  type DocumentDetail,
  DocumentPage,
  type DocumentTypeEntry,
  getDocumentById,
  Profile,
  postDocumentCancel,
  postDocuments,
} from '@pinkas/contracts';
import {
  type Answered,
  expectDetail,
  expectHeaders,
  expectIssued,
  expectRefusal,
  expectRefused,
  plainNumbers,
} from './answers.js';
import {
  type BookedDocument,
  type BookModel,
  bornOf,
  dayInIsrael,
  type ListFilter,
  typeRules,
  types,
} from './book-model.js';
import type { Caller } from './caller.js';
import { isRefusal } from './refusal.js';

const checkPage = compile(DocumentPage);
const checkCancelled = compile(CancelledDocument);
const checkCustomers = compile(CustomerList);
const checkProfile = compile(Profile);

/** Expects an answer of 200 in the form of its schema. */
function expectOk<Body>(answered: Answered, check: (body: unknown) => object): Body {
  expectHeaders(answered);
  expect({ status: answered.status, body: answered.body }).toMatchObject({ status: 200 });
  expect(check(answered.body)).toMatchObject({ ok: true });
  return answered.body as Body;
}

/** One business in the system. Whatever it is asked, its answer must be the one that the model of its book foresees. */
export class RealBook {
  constructor(
    private readonly caller: Caller,
    private readonly apiKey: ApiKey,
    private readonly changeBusiness: (change: BusinessChange) => Promise<void>,
  ) {}

  /** The day in Israel. */
  get today(): string {
    return dayInIsrael(new Date());
  }

  /** Changes the VAT rate of the business; an exempt dealer has none. */
  async changeRate(book: BookModel, rate: number): Promise<void> {
    if (book.business.legal_type === 'osek_patur') {
      return;
    }
    await this.changeBusiness({ vat_rate: rate });
    book.business.vat_rate = rate;
  }

  /** Asks for a document with a key that has issued nothing. */
  async issue(book: BookModel, body: unknown, key: string): Promise<void> {
    const outcome = book.issue(body, this.today);
    const answer = await this.caller.issue(body, key);
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    if (isRefusal(outcome)) {
      expectRefused(answer, outcome, postDocuments);
      // Midnight is when the limit of the day ends.
      if (outcome.code === 'daily_limit_reached') {
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }
      book.refusedKeys.add(key);
      return;
    }
    const born = bornOf(outcome);
    const created = expectIssued(answer, this.caller, outcome, { rate: book.rateOf(outcome.body), born });
    const before = book.documents.at(-1)?.created.created_at;
    if (before !== undefined) {
      expect(created.created_at >= before).toBe(true);
    }
    book.record(outcome, key, created);
    book.refusedKeys.delete(key);
  }

  /** Sends a request again whose key has issued a document. */
  async replay(document: BookedDocument, body: unknown): Promise<void> {
    const answer = await this.caller.issue(body, document.key);
    expectHeaders(answer);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: document.created });
    expect(answer.headers['idempotent-replayed']).toBe('true');
  }

  /** Sends another body with a key that has issued a document. */
  async reuse(document: BookedDocument, body: unknown): Promise<void> {
    const answer = await this.caller.issue(body, document.key);
    expectRefused(answer, { code: 'idempotency_key_reused' }, postDocuments);
  }

  /**
   * Asks to cancel.
   * @param text the body as it is on the wire; undefined for none.
   * @param fault how the body is refused, if the document is one of the book.
   */
  async cancel(
    book: BookModel,
    id: string,
    text: string | undefined,
    fault: 'validation_error' | 'invalid_json' | null,
  ) {
    const refusal = book.cancel(id);
    const answer = await this.caller.send(
      'POST',
      `/documents/${id}/cancel`,
      text === undefined ? {} : { bytes: text },
    );
    if (refusal?.code === 'not_found') {
      return expectRefused(answer, refusal, postDocumentCancel);
    }
    if (fault !== null) {
      return expect(expectRefusal(answer, postDocumentCancel)).toBe(fault);
    }
    if (refusal) {
      return expectRefused(answer, refusal, postDocumentCancel);
    }
    const cancelled = expectOk<CancelledDocument>(answer, checkCancelled);
    expect(cancelled.cancelled_at).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    book.recordCancel(id, cancelled.cancelled_at ?? '');
    const document = book.find(id);
    expect(cancelled).toEqual(document && book.now(document));
  }

  /** Reads one document. */
  async get(book: BookModel, id: string): Promise<void> {
    const answer = await this.caller.send<DocumentDetail>('GET', `/documents/${id}`);
    const document = book.find(id);
    if (!document) {
      return expectRefused(answer, { code: 'not_found' }, getDocumentById);
    }
    expectDetail(answer, { ...book.listed(document), ...document.detail });
  }

  /**
   * Reads a list, page by page to its end.
   * @param between what happens after the first page; the list goes on as if it had not happened.
   */
  async list(
    book: BookModel,
    filter: ListFilter,
    limit: number,
    between?: () => Promise<void>,
  ): Promise<void> {
    const expected = book.list(filter);
    const read: CreatedDocument[] = [];
    let cursor: string | null = null;
    do {
      const query = new URLSearchParams({
        ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
        limit: String(limit),
        ...(cursor === null ? {} : { cursor }),
      });
      const answer = await this.caller.send('GET', `/documents?${query}`);
      const page: DocumentPage = expectOk(answer, checkPage);
      expect(page.data).toHaveLength(Math.min(limit, expected.length - read.length));
      read.push(...page.data);
      if (cursor === null) {
        await between?.();
      }
      cursor = page.next_cursor;
      expect(cursor === null).toBe(read.length === expected.length);
    } while (cursor !== null);
    expect(read).toEqual(plainNumbers(expected));
  }

  /** Searches the customers. */
  async search(book: BookModel, q: string | undefined, limit: number | undefined): Promise<void> {
    const query = new URLSearchParams({
      ...(q === undefined ? {} : { q }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
    });
    const answer = await this.caller.send('GET', `/customers?${query}`);
    const found: CustomerList = expectOk(answer, checkCustomers);
    expect(found.data).toEqual(book.cards.search(q, limit ?? 20));
  }

  /** Reads the profile, with what was issued today. */
  async me(book: BookModel): Promise<void> {
    const profile: Profile = expectOk(await this.caller.send('GET', '/me'), checkProfile);
    expect(profile).toMatchObject({
      business: { legal_type: book.business.legal_type, vat_rate: book.business.vat_rate },
      allowed_document_types: types.filter((type) => book.mayIssue(type)),
      limits: { daily_documents: book.dailyLimit, used_today: book.issuedOn(this.today) },
      key: { name: this.apiKey.name, prefix: this.apiKey.prefix },
    });
  }

  /** Reads what the business may issue. */
  async documentTypes(book: BookModel): Promise<void> {
    const answer = await this.caller.send<{ data: DocumentTypeEntry[] }>('GET', '/document-types');
    expectHeaders(answer);
    expect(
      answer.body.data.map(({ name, name_he, ...entry }) => {
        expect(name).not.toBe('');
        expect(name_he).not.toBe('');
        return { ...entry, based_on_types: [...entry.based_on_types].sort() };
      }),
    ).toEqual(
      types
        .filter((type) => book.mayIssue(type))
        .map((type) => ({
          type,
          requires_payments: typeRules[type].payments,
          allows_discount: typeRules[type].discount,
          based_on_types: [...typeRules[type].sources].sort(),
          based_on_required: typeRules[type].sourceRequired ?? false,
        })),
    );
  }
}
