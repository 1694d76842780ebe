import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CancelledDocument,
  CreatedDocument,
  type CustomerCard,
  CustomerList,
  cancelDocument,
  compile,
  DocumentDetail,
  type DocumentHead,
  DocumentPage,
  errorCatalogue,
  fingerprint,
  getDocument,
  listDocuments,
  postDocuments,
  type ReplyOf,
  type RequestOf,
  searchCustomers,
  validationErrorsMax,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { demoCustomer, exampleDocument } from '@pinkas/testkit';
import {
  type Caller,
  errorCodeOf,
  type GatewayUnderTest,
  type HttpOptions,
  issuedReply,
  quote,
  startGateway,
} from './gateway.js';

type ListedDocument = ReplyOf<typeof listDocuments>['documents'][number];

const cancelledAt = '2026-06-15T09:00:00.000Z';
const openState = { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null };

/** A document as issuing lists it. */
function headOf(document: ReturnType<typeof exampleDocument>): DocumentHead {
  const { items, prices_include_vat, discount, payments, title, notes, send, ...head } = document;
  return head;
}

function listed(businessId: string, change: Partial<ListedDocument> = {}): ListedDocument {
  return {
    document: headOf(exampleDocument({ business_id: businessId })),
    state: { ...openState, allocation_number: '123456789' },
    allocation: { status: 'issued', number: '123456789', reason: null },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    ...change,
  };
}

const card = (change: Partial<CustomerCard> = {}): CustomerCard => ({
  id: randomUUID(),
  ...demoCustomer,
  legal_type: 'hevra_baam',
  phone: null,
  city: null,
  ...change,
});

/** The routes between HTTP and the services that own the data. The conformance suite tests the rules of the HTTP API themselves. */
describe('routes', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  /** The document that issuing has. */
  let document: ReturnType<typeof exampleDocument>;
  let page: ReplyOf<typeof listDocuments>;
  let customers: CustomerCard[];
  let cancelError: ApiError | undefined;
  const cancelRequests: RequestOf<typeof cancelDocument>[] = [];
  const listRequests: RequestOf<typeof listDocuments>[] = [];
  const searchRequests: RequestOf<typeof searchCustomers>[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    const requireFound = (request: { business_id: string; document_id: string }) => {
      if (request.business_id !== document.business_id || request.document_id !== document.id) {
        throw new ApiError('not_found');
      }
    };
    gateway.network.answer(getDocument, (request) => {
      requireFound(request);
      return { document, state: openState };
    });
    gateway.network.answer(cancelDocument, (request) => {
      cancelRequests.push(request);
      requireFound(request);
      if (cancelError) {
        throw cancelError;
      }
      return {
        document: headOf(document),
        state: { ...openState, status: 'cancelled' as const, cancelled_at: cancelledAt },
      };
    });
    gateway.network.answer(listDocuments, (request) => {
      listRequests.push(request);
      return page;
    });
    gateway.network.answer(searchCustomers, (request) => {
      searchRequests.push(request);
      return { customers };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    // Each test has its own minute, and so its own rate limits.
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    gateway.issue = async (request) => issuedReply(request);
    gateway.issued.length = 0;
    caller = await gateway.caller({ key: { per_minute: 1_000 } });
    document = exampleDocument({ business_id: caller.business.id, type: 'quote', due_date: null });
    page = { documents: [], next_before: null };
    customers = [];
    cancelError = undefined;
    for (const requests of [cancelRequests, listRequests, searchRequests]) {
      requests.length = 0;
    }
  });

  describe('POST /documents', () => {
    it('POST /documents sends the body, the Idempotency-Key, the key and the business to issuing', async () => {
      const body = quote({ notes: 'שורה\nשנייה 😀', external_ref: 'A-1' });
      const answer = await gateway.post(caller.key.key, { body, idempotencyKey: 'order-1' });
      expect(answer.status).toBe(201);
      expect(gateway.issued).toEqual([
        {
          body,
          body_sha256: fingerprint(body).toString('hex'),
          idempotency_key: 'order-1',
          business: caller.business,
          key: { id: caller.key.id, daily_documents: 300 },
        },
      ]);
    });

    it('POST /documents returns the issued document with its outcomes and public addresses', async () => {
      const answer = await gateway.post(caller.key.key);
      expect(answer.status).toBe(201);
      expect(compile(CreatedDocument)(answer.json)).toMatchObject({ ok: true });
      const { public_id: publicId } = answer.json;
      expect(answer.json).toMatchObject({
        view_url: `https://api.example.com/d/${publicId}`,
        pdf_url: `https://api.example.com/pdf/${publicId}`,
        allocation_number: '123456789',
        allocation: { status: 'issued' },
        totals: { total: 7080, paid: 0, currency: 'ILS' },
        created_at: '2026-06-15T08:00:00.000Z',
      });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      expect(Object.keys(answer.json.customer)).toEqual(['id', 'name', 'tax_id']);
    });

    it('POST /documents decodes an Idempotency-Key as UTF-8, and a blank one is missing', async () => {
      const hebrew = Buffer.from('א'.repeat(128), 'utf8').toString('latin1');
      expect((await gateway.post(caller.key.key, { idempotencyKey: hebrew })).status).toBe(201);
      expect(gateway.issued[0]?.idempotency_key).toBe('א'.repeat(128));
      const blank = await gateway.post(caller.key.key, { headers: { 'idempotency-key': '   ' } });
      expect(errorCodeOf(blank)).toBe('missing_idempotency_key');
    });

    it('every problem that POST /documents declares is passed on with its details', async () => {
      for (const code of postDocuments.errors) {
        gateway.issue = async () => {
          throw new ApiError(code, {
            details: Object.fromEntries(errorCatalogue[code].details.map((detail) => [detail, 'x'])),
          });
        };
        const answer = await gateway.post(caller.key.key);
        expect([answer.status, errorCodeOf(answer)]).toEqual([errorCatalogue[code].httpStatus, code]);
        expect(answer.json.error.retryable).toBe(errorCatalogue[code].retryable);
        expect(Object.keys(answer.json.error.details ?? {})).toEqual([...errorCatalogue[code].details]);
      }
    });

    it('a problem that the route does not declare is an internal_error, and undeclared details are removed', async () => {
      gateway.issue = async () => {
        throw new ApiError('future_date', { details: { secret: 'table document' } });
      };
      expect((await gateway.post(caller.key.key)).text).not.toContain('secret');
      gateway.issue = async () => {
        throw new ApiError('already_cancelled');
      };
      const answer = await gateway.post(caller.key.key);
      expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
    });

    it('an internal_error contains nothing of its cause', async () => {
      gateway.issue = async () => {
        throw new Error('password=hunter2');
      };
      const answer = await gateway.post(caller.key.key);
      expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
      expect(answer.text).not.toContain('hunter2');
    });

    it('every validation error of the longest document is reported, and a limited number of any body', async () => {
      const errorPathsOf = async (body: unknown) => {
        const answer = await gateway.post(caller.key.key, { body });
        expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
        return (answer.json.error.details.errors as { path: string }[]).map(({ path }) => path);
      };
      const item = { description: '', quantity: 1.00001, unit_price: -1, sku: 'x'.repeat(65) };
      const items = Array.from({ length: 100 }, () => item);
      expect(new Set(await errorPathsOf(quote({ items })))).toEqual(
        new Set(items.flatMap((_, index) => Object.keys(item).map((member) => `/items/${index}/${member}`))),
      );
      const unknown = Object.fromEntries(
        Array.from({ length: 3_000 }, (_, index) => [`unknown_${index}`, 1]),
      );
      expect(await errorPathsOf(quote(unknown))).toHaveLength(validationErrorsMax);
      expect(gateway.issued).toHaveLength(0);
    });
  });

  describe('GET /documents/{id}', () => {
    it('GET /documents/{id} returns the public members of a document only', async () => {
      document = exampleDocument({
        business_id: caller.business.id,
        type: 'receipt',
        based_on: { id: randomUUID(), type: 'tax_invoice', number: 3, date: '2026-06-01' },
        payments: [
          {
            method: 'check',
            amount: 7080,
            date: '2026-06-15',
            reference: null,
            check_number: '77',
            check_date: '2026-07-01',
            bank_code: 12,
            branch: '600',
            account: '1234',
            card_last_digits: null,
            card_type: null,
          },
        ],
      });
      const answer = await gateway.http(`/v1/documents/${document.id}`, { key: caller.key.key });
      expect(answer.status).toBe(200);
      expect(compile(DocumentDetail)(answer.json)).toMatchObject({ ok: true });
      expect(answer.json).toMatchObject({ based_on: document.based_on?.id, items: document.items });
      expect(answer.json.payments).toEqual([
        {
          method: 'check',
          amount: 7080,
          date: '2026-06-15',
          reference: null,
          check_number: '77',
          bank_code: 12,
          card_last_digits: null,
        },
      ]);
    });
  });

  describe('POST /documents/{id}/cancel', () => {
    const cancel = (options: HttpOptions = {}, id = document.id) =>
      gateway.http(`/v1/documents/${id}/cancel`, { method: 'POST', key: caller.key.key, ...options });

    it('POST /documents/{id}/cancel sends the trimmed reason and returns the document without outcomes', async () => {
      const answer = await cancel({ body: { reason: ' טעות בהזמנה ' } });
      expect(answer.status).toBe(200);
      expect(compile(CancelledDocument)(answer.json)).toMatchObject({ ok: true });
      expect(answer.json).toMatchObject({ id: document.id, status: 'cancelled', cancelled_at: cancelledAt });
      expect(cancelRequests).toEqual([
        {
          business_id: caller.business.id,
          document_id: document.id,
          reason: 'טעות בהזמנה',
          key_id: caller.key.id,
        },
      ]);
    });

    it.each([
      ['no body', {}],
      ['an empty body of type JSON', { headers: { 'content-type': 'application/json' } }],
      ['an empty body of another type', { headers: { 'content-type': 'text/plain' } }],
      ['an empty object', { body: {} }],
      ['a blank reason', { body: { reason: ' \n' } }],
    ])('POST /documents/{id}/cancel with %s has no reason', async (_name, options) => {
      expect((await cancel(options)).status).toBe(200);
      expect(cancelRequests).toMatchObject([{ reason: null }]);
    });

    it.each(['{"reason": "a\\u0000"}', '{"reason": "\\ud83d"}'])(
      'a reason that PostgreSQL cannot store is a validation_error: %s',
      async (body) => {
        expect(errorCodeOf(await cancel({ body }))).toBe('validation_error');
        expect(cancelRequests).toHaveLength(0);
      },
    );

    it('payload_too_large comes before not_found', async () => {
      const answer = await cancel({ body: ' '.repeat(262_145) }, randomUUID());
      expect([answer.status, errorCodeOf(answer)]).toEqual([413, 'payload_too_large']);
    });

    it.each(cancelDocument.errors)('POST /documents/{id}/cancel passes on %s', async (code) => {
      cancelError = new ApiError(code);
      const answer = await cancel();
      expect([answer.status, errorCodeOf(answer)]).toEqual([errorCatalogue[code].httpStatus, code]);
    });
  });

  describe('GET /documents', () => {
    const list = (query = '') => gateway.http(`/v1/documents${query}`, { key: caller.key.key });

    it('GET /documents returns each document with its current state and outcomes', async () => {
      page.documents = [
        listed(caller.business.id),
        listed(caller.business.id, {
          state: { ...openState, status: 'cancelled', cancelled_at: cancelledAt },
          allocation: { status: 'not_required', number: null, reason: 'type' },
          delivery: { status: 'deferred_quiet_hours', channel: 'both', scheduled_for: cancelledAt },
        }),
      ];
      const answer = await list();
      expect(answer.status).toBe(200);
      expect(compile(DocumentPage)(answer.json)).toMatchObject({ ok: true });
      const [first, second] = page.documents as [ListedDocument, ListedDocument];
      expect(answer.json.next_cursor).toBeNull();
      expect(answer.json.data[0]).toMatchObject({
        id: first.document.id,
        allocation_number: '123456789',
        allocation: first.allocation,
        delivery: first.delivery,
        view_url: `https://api.example.com/d/${first.document.public_id}`,
        created_at: first.document.issued_at,
      });
      expect(answer.json.data[1]).toMatchObject({
        status: 'cancelled',
        cancelled_at: cancelledAt,
        allocation: second.allocation,
        delivery: second.delivery,
      });
    });

    it('GET /documents requests 50 documents that are not cancelled by default', async () => {
      await list();
      expect(listRequests).toEqual([
        { business_id: caller.business.id, include_cancelled: false, limit: 50, before: null },
      ]);
    });

    it('GET /documents passes every filter on', async () => {
      await list(
        '?type=quote&from=2026-01-01&to=2026-12-31&external_ref=A%2F1&include_cancelled=true&limit=100',
      );
      expect(listRequests).toEqual([
        {
          business_id: caller.business.id,
          type: 'quote',
          from: '2026-01-01',
          to: '2026-12-31',
          external_ref: 'A/1',
          include_cancelled: true,
          limit: 100,
          before: null,
        },
      ]);
    });

    it('a cursor carries the position where the page before ended, with any filter and limit', async () => {
      const before = 42;
      page.next_before = before;
      const cursor = (await list()).json.next_cursor;
      expect(cursor).toMatch(/^[\w-]+$/);
      page.next_before = null;
      const answer = await list(`?cursor=${cursor}&limit=1&type=order`);
      expect([answer.status, answer.json]).toEqual([200, { data: [], next_cursor: null }]);
      expect(listRequests.slice(1)).toMatchObject([{ before, limit: 1, type: 'order' }]);
    });

    it('an invalid query is not sent to issuing', async () => {
      expect(errorCodeOf(await list('?limit=0&cursor=x'))).toBe('validation_error');
      expect(listRequests).toHaveLength(0);
    });
  });

  describe('GET /customers', () => {
    const search = (query: string) => gateway.http(`/v1/customers${query}`, { key: caller.key.key });

    it('GET /customers returns the cards in the order of the customer service', async () => {
      customers = [card(), card({ name: 'Example Ltd', tax_id: null, legal_type: null, email: null })];
      const answer = await search(`?q=${encodeURIComponent(' לקוח ')}&limit=2`);
      expect(answer.status).toBe(200);
      expect(compile(CustomerList)(answer.json)).toMatchObject({ ok: true });
      expect(answer.json).toEqual({ data: customers });
      expect(searchRequests).toEqual([{ business_id: caller.business.id, query: 'לקוח', limit: 2 }]);
    });

    it.each(['', '?', '?q', '?q=', '?q=%20%C2%A0'])(
      'GET /customers%s requests 20 customers of any name',
      async (query) => {
        expect((await search(query)).status).toBe(200);
        expect(searchRequests).toEqual([{ business_id: caller.business.id, query: null, limit: 20 }]);
      },
    );

    it.each([
      ['?limit=', ['/query/limit']],
      ['?q=a%00b', ['/query/q']],
      ['?q=%ED%B0%80', ['/query/q']],
      [`?q=${'x'.repeat(121)}`, ['/query/q']],
      ['?q=a&q=a&limit=1.5&page=2', ['/query/q', '/query/page', '/query/limit']],
    ])(
      'GET /customers%s is a validation_error and is not sent to the customer service',
      async (query, paths) => {
        const answer = await search(query);
        expect([answer.status, errorCodeOf(answer)]).toEqual([400, 'validation_error']);
        expect(answer.json.error.details.errors.map((error: { path: string }) => error.path)).toEqual(paths);
        expect(searchRequests).toHaveLength(0);
      },
    );
  });
});
