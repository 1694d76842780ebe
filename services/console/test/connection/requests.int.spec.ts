import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ApiKey,
  type DocumentHead,
  type FullRequest,
  findDocumentByKey,
  getDocument,
  type IssuedDocument,
  listKeys,
  listRequests,
  loggedRequestsMax,
  type MemberRole,
  openRequest,
  type ReplyOf,
  type RequestOf,
  serviceNames,
  showRequest,
  type TrailEntry,
  trails,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn, textOf } from '../browser.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';

const body = { customer: { name: 'לקוח לדוגמה' }, items: [{ quantity: 0, unit_price: 5 }] };
const masked = { customer: { name: '***' }, items: [{ quantity: 0, unit_price: 5 }] };
const state = { status: 'open' as const, paid: 0, allocation_number: null, cancelled_at: null };

/** A document as a list has it. */
const headOf = ({
  items: _items,
  prices_include_vat: _basis,
  discount: _discount,
  payments: _payments,
  title: _title,
  notes: _notes,
  send: _send,
  ...head
}: IssuedDocument): DocumentHead => head;

describe('the log of requests in the console', () => {
  let console: ConsoleUnderTest;
  /** What the gateway has, the latest first. */
  let log: FullRequest[];
  let today: number;
  let keys: ApiKey[];
  let lists: RequestOf<typeof listRequests>[];
  let opened: RequestOf<typeof openRequest>[];
  let findByKey: () => ReplyOf<typeof findDocumentByKey>;
  let businessId: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  let root: string;

  const add = (fields: Partial<FullRequest> = {}): FullRequest => {
    const request: FullRequest = {
      id: randomUUID(),
      request_id: randomUUID(),
      key_id: keys[0]?.id ?? '',
      business_id: businessId,
      timestamp: new Date(Date.UTC(2026, 5, 15, 7, 0, log.length)).toISOString(),
      method: 'POST',
      route: '/documents',
      status: 201,
      code: null,
      idempotency_key: null,
      replayed: false,
      document_id: null,
      duration_ms: 1_234,
      errors: [],
      body: null,
      body_truncated: false,
      ...fields,
    };
    log.unshift(request);
    return request;
  };
  const addRefused = (fields: Partial<FullRequest> = {}) =>
    add({
      status: 400,
      code: 'validation_error',
      body: JSON.stringify(masked),
      errors: [
        { path: '/items/0/quantity', message: 'must be more than 0', message_he: 'חייב להיות יותר מ-0' },
      ],
      ...fields,
    });
  const find = ({ request_id, business_id }: { request_id: string; business_id?: string | undefined }) => {
    const requests = log.filter((item) => item.request_id === request_id && item.business_id === business_id);
    if (requests.length === 0) {
      throw new ApiError('not_found');
    }
    return requests;
  };
  const newKey = (name: string, mode: ApiKey['mode'] = 'live'): ApiKey => ({
    id: randomUUID(),
    business_id: businessId,
    mode,
    name,
    prefix: `pk_${mode}_abcd`,
    scopes: ['documents:write'],
    per_minute: 60,
    daily_documents: 100,
    created_at: '2026-06-01T08:00:00.000Z',
    revoked_at: null,
    last_used_at: null,
  });

  beforeAll(async () => {
    console = await startConsole();
    const { network } = console;
    network.answer(listKeys, () => ({ keys }));
    network.answer(listRequests, (request) => {
      lists.push(request);
      const { after, ascending, business_id, idempotency_key, limit } = request;
      const ofFilter = log.filter(
        (item) =>
          item.business_id === business_id &&
          (idempotency_key === undefined || item.idempotency_key === idempotency_key),
      );
      const ordered = ascending ? ofFilter.toReversed() : ofFilter;
      const from = after ? ordered.findIndex(({ id }) => id === after.id) + 1 : 0;
      const shown = ordered.slice(from, from + limit);
      const last = shown.at(-1);
      const hasMore = last !== undefined && ordered.length > from + limit;
      return {
        requests: shown.map(
          ({ body: _, body_truncated: __, errors: ___, business_id: ____, ...rest }) => rest,
        ),
        next_after: hasMore ? { timestamp: last.timestamp, id: last.id } : null,
        today,
      };
    });
    network.answer(showRequest, (request) => ({ requests: find(request) }));
    network.answer(openRequest, (request) => {
      const requests = find(request).map((item) => ({ ...item, body: JSON.stringify(body) }));
      opened.push(request);
      return { requests };
    });
    network.answer(findDocumentByKey, () => findByKey());
    network.answer(getDocument, ({ business_id, document_id }) => ({
      document: exampleDocument({ business_id, id: document_id, number: 12 }),
      state,
      issuer: { kind: 'key' as const, id: keys[0]?.id ?? '' },
      idempotency_key: 'order 1/2',
    }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    log = [];
    lists = [];
    opened = [];
    today = 0;
    findByKey = () => ({ found: null, in_progress: false });
    businessId = console.addBusiness().id;
    keys = [newKey('<b>web shop</b>'), newKey('tests', 'test')];
    root = `/b/${businessId}/connection/requests`;
    owner = await console.addPerson({ [businessId]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const signedInAs = async (role: MemberRole) =>
    console.signedIn(await console.addPerson({ [businessId]: role }));
  const inHebrew = async (path: string) => (await browser.get(path, { 'accept-language': 'he' })).text;

  it('the connection settings and the page of a document lead everybody to the requests', async () => {
    const bookkeeper = await signedInAs('bookkeeper');
    const { text } = await bookkeeper.get(`/b/${businessId}/connection`);
    expect(text).toContain(`href="${root}"`);
    expect(text).toContain(`href="${root}?key=${keys[0]?.id}"`);
    expect(text).toContain(`href="/t/${businessId}/connection/requests?key=${keys[1]?.id}"`);
    const document = await bookkeeper.get(`/b/${businessId}/documents/${randomUUID()}`);
    expect(document.text).toContain(`href="${root}?idempotency_key=order+1%2F2"`);
    expect((await bookkeeper.get(root)).status).toBe(200);
  });

  it('a row has time, route, status, code, idempotency key, replay, duration and id of its request', async () => {
    const refused = addRefused({ idempotency_key: 'order-1' });
    add({ replayed: true, idempotency_key: 'order-1', document_id: randomUUID() });
    add({ method: 'GET', route: null, status: 404, code: 'not_found' });
    add({ business_id: testBookOf(businessId), code: 'of_the_test_book' });
    const { text } = await browser.get(root);
    const rows = [...text.matchAll(/<tr[^>]*>\s*<th scope="row">.*?<\/tr>/gs)].map(([row]) => textOf(row));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toContain('GET a path that the API does not have 404 not_found');
    expect(rows[1]).toContain('POST /documents 201 Replayed order-1 1,234 ms');
    expect(rows[2]).toContain(
      `15 Jun 2026 10:00:00 ${refused.request_id} POST /documents 400 validation_error`,
    );
    expect(text).toContain(`href="${root}/${refused.request_id}"`);
    const test = (await browser.get(`/t/${businessId}/connection/requests`)).text;
    expect(test.match(/<th scope="row">/g)).toHaveLength(1);
  });

  it('the pages of the list have each request once', async () => {
    const ids = Array.from({ length: 120 }, () => add().request_id).reverse();
    const seen: string[] = [];
    for (let next: string | undefined = root; next !== undefined; ) {
      const { text }: { text: string } = await browser.get(next);
      seen.push(...[...text.matchAll(/connection\/requests\/([0-9a-f-]{36})"/g)].map(([, id = '']) => id));
      next = /href="([^"]*after=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen).toEqual(ids);
  });

  it('the filters are those of the gateway, and what is no value of one is left out', async () => {
    const [key] = keys;
    await browser.get(`${root}?key=${key?.id}&status=4&code=total_mismatch&idempotency_key=%20a%20b%20`);
    const nothing = { business_id: businessId, limit: 50 };
    expect(lists).toEqual([
      {
        ...nothing,
        ...{
          key_id: key?.id,
          status_class: 4,
          code: 'total_mismatch',
          idempotency_key: 'a b',
          ascending: true,
        },
      },
    ]);
    const odd = `key=x&status=3&code=none&idempotency_key=${'x'.repeat(129)}&after=2026-99-99T00:00:00.000Z~x`;
    expect((await browser.get(`${root}?${odd}`)).status).toBe(200);
    expect(lists[1]).toEqual(nothing);
    const form = (await browser.get(`${root}?status=5&idempotency_key=%3Cb%3E`)).text;
    expect(fieldsIn(form)).toMatchObject({ status: '5', idempotency_key: '<b>' });
    expect(form).not.toContain('<b>');
  });

  it('a request id leads to its request, and a text that is none is explained', async () => {
    const id = randomUUID();
    expect(await browser.get(`${root}?request=%20${id.toUpperCase()}`)).toMatchObject({
      status: 303,
      location: `${root}/${id}`,
    });
    const wrong = await browser.get(`${root}?request=req_1`);
    expect([wrong.status, wrong.text.includes('A request id is the X-Request-Id')]).toEqual([400, true]);
    expect(fieldsIn(wrong.text).request).toBe('req_1');
  });

  it('an idempotency key has its attempts in their order, and the one document that it has issued', async () => {
    const id = randomUUID();
    const issued = exampleDocument({ id, business_id: businessId, number: 12 });
    const document = headOf(issued);
    const first = addRefused({ idempotency_key: 'order-1' });
    const second = add({ idempotency_key: 'order-1', document_id: id });
    add({ idempotency_key: 'order-2' });
    const third = add({ idempotency_key: 'order-1', document_id: id, replayed: true });
    findByKey = () => ({ found: { document, state }, in_progress: false });
    const { text } = await browser.get(`${root}?idempotency_key=order-1`);
    const ids = [...text.matchAll(/connection\/requests\/([0-9a-f-]{36})"/g)].map(([, found]) => found);
    expect(ids).toEqual([first, second, third].map(({ request_id }) => request_id));
    expect(text).toContain('This key has issued one document.');
    expect(text).toContain(`href="/b/${businessId}/documents/${id}"`);
    expect(textOf(text)).toContain('Attempts in 30 days 3');
    // With another filter the attempts are not all of them.
    expect((await browser.get(`${root}?idempotency_key=order-1&status=4`)).text).not.toContain('Attempts in');
  });

  it.each([
    [{ found: null, in_progress: false }, 'This key has issued no document in this book'],
    [{ found: null, in_progress: true }, 'is being worked on now'],
    [null, 'cannot be found out right now'],
  ] as const)(
    'an idempotency key without a document states what has become of it: %j',
    async (reply, sentence) => {
      findByKey = () => {
        if (reply === null) {
          throw new ApiError('engine_error');
        }
        return reply;
      };
      addRefused({ idempotency_key: 'order-1' });
      const { status, text } = await browser.get(`${root}?idempotency_key=order-1`);
      expect([status, text.includes(sentence)]).toEqual([200, true]);
    },
  );

  it('a list without requests states what to do, and one of a filter what to change', async () => {
    expect((await browser.get(root)).text).toMatch(/No request has come.*To the keys and the address/s);
    expect((await browser.get(`${root}?status=5`)).text).toContain('Remove a filter');
    today = loggedRequestsMax + 1;
    expect((await browser.get(root)).text).toContain(
      'There were 50,001 requests today. The log has the first 50,000',
    );
  });

  it('the page of a refused request has its fields, the hint, and the fault at its line of the body', async () => {
    const { request_id } = addRefused({ idempotency_key: 'order-1' });
    const { status, text } = await browser.get(`${root}/${request_id}`);
    expect(status).toBe(200);
    for (const shown of [
      'The request does not match the schema.',
      'Correct the members named in details.errors.',
      'Not as it is',
      'web shop',
      '1,234 ms',
      request_id,
      'What may be personal is shown as ***.',
    ]) {
      expect(textOf(text).replaceAll('&lt;', '<')).toContain(shown);
    }
    expect(text).toContain(`href="${root}?idempotency_key=order-1"`);
    expect(text).toMatch(
      /<mark>&quot;quantity&quot;: 0,<\/mark>\n {6}<strong class="fault">✗ <bdi[^>]*>must be more than 0/,
    );
    const hebrew = await inHebrew(`${root}/${request_id}`);
    expect(textOf(hebrew)).toContain('✗ חייב להיות יותר מ-0');
    expect(textOf(hebrew)).toContain('הבקשה אינה תואמת את הסכמה.');
  });

  it('the page lists what is wrong with the query, or with a body that is not kept', async () => {
    const error = { path: '/query/limit', message: 'must be a number', message_he: 'חייב להיות מספר' };
    const ofQuery = addRefused({ method: 'GET', body: null, errors: [error] });
    expect(textOf((await browser.get(`${root}/${ofQuery.request_id}`)).text)).toContain(
      '/query/limit must be a number',
    );
    const cut = addRefused({ body_truncated: true, body: '{"notes":"[secret]"}' });
    const { text } = await browser.get(`${root}/${cut.request_id}`);
    expect(text).toContain('Only a part of the body is kept');
    expect(text).toContain('looks like a key, a secret');
    expect(text).not.toContain('/open"');
  });

  it('a refusal by a rule has the details that its hint refers to', async () => {
    const refused = addRefused({
      ...{ status: 422, code: 'total_mismatch', errors: [], details: { computed_total: 118 } },
    });
    const text = textOf((await browser.get(`${root}/${refused.request_id}`)).text);
    expect(text).toContain('Compare with details.computed_total; nothing was issued.');
    expect(text).toContain('computed_total 118');
  });

  it('an answered request has no card of a body, and leads to its document', async () => {
    const document_id = randomUUID();
    const { request_id } = add({ document_id });
    const { text } = await browser.get(`${root}/${request_id}`);
    expect(text).toContain(`href="/b/${businessId}/documents/${document_id}"`);
    expect(text).not.toContain('Body of the request');
  });

  it('an owner opens what is masked, in the test book as well, and no one else does', async () => {
    for (const [book, at] of [
      [businessId, root],
      [testBookOf(businessId), `/t/${businessId}/connection/requests`],
    ] as const) {
      const { request_id } = addRefused({ business_id: book });
      const page = (await browser.get(`${at}/${request_id}`)).text;
      expect(page).toContain(`action="${at}/${request_id}/open"`);
      expect(page).not.toContain(body.customer.name);
      const shown = await browser.post(`${at}/${request_id}/open`);
      expect(shown.status).toBe(200);
      expect(shown.text).toContain(body.customer.name);
      expect(shown.text).toContain('the trail has that you opened it');
      expect(shown.text).not.toContain('/open"');
      expect(opened.at(-1)).toEqual({ request_id, business_id: book, person_id: owner.id });
      expect((await browser.get(`${at}/${request_id}`)).text).not.toContain(body.customer.name);
    }
    const { request_id } = addRefused();
    for (const role of ['issuer', 'bookkeeper'] as const) {
      const other = await signedInAs(role);
      const { text } = await other.get(`${root}/${request_id}`);
      expect([text.includes('/open"'), text.includes('An owner of the business may show it')]).toEqual([
        false,
        true,
      ]);
      expect((await other.post(`${root}/${request_id}/open`)).status).toBe(403);
    }
    expect(opened).toHaveLength(2);
  });

  it('an id of another book, of another business or of nothing is explained, and opens nothing', async () => {
    const ofOther = addRefused({ business_id: randomUUID() });
    const ofTest = addRefused({ business_id: testBookOf(businessId) });
    for (const id of [ofOther.request_id, ofTest.request_id, randomUUID(), 'x', '%00', '%3Cb%3E']) {
      const { status, text } = await browser.get(`${root}/${id}`);
      expect([id, status, text.includes('No request of this book has this id')]).toEqual([id, 404, true]);
      expect((await browser.post(`${root}/${id}/open`)).status).toBe(404);
    }
    expect(opened).toEqual([]);
  });

  it('requests that were given one id are shown together', async () => {
    const { request_id } = add({ status: 200, method: 'GET', route: '/me' });
    addRefused({ request_id });
    const text = textOf((await browser.get(`${root}/${request_id}`)).text);
    expect(text).toContain('Several requests have this id');
    expect(text).toMatch(/POST \/documents.*GET \/me/);
  });

  it('texts of a caller are never markup, and move nothing', async () => {
    const text = '"><script>alert(1)</script>\u202e\u0000\u200b';
    const { request_id } = addRefused({
      idempotency_key: '"><script>alert(1)</script>\u202e',
      body: JSON.stringify({ [text]: text, items: [text] }),
      errors: [{ path: `/${text}`, message: text, message_he: text }],
    });
    for (const path of [root, `${root}?idempotency_key=%22%3E%3Cscript%3E`, `${root}/${request_id}`]) {
      const page = await browser.get(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).not.toMatch(/<script>|[\u202e\0]/);
    }
    const page = (await browser.get(`${root}/${request_id}`)).text;
    // As JSON escapes them: they are seen, and do nothing.
    expect(page).toContain('&lt;/script&gt;\\u202e\\u0000\\u200b');
  });

  it('the trail has who opened a request, with a link to it', async () => {
    const subject = randomUUID();
    const entry: TrailEntry = {
      n: 1,
      at: '2026-06-15T08:00:00.000Z',
      actor: `person:${owner.id}`,
      action: 'request.open',
      subject,
      business_id: businessId,
      request_id: null,
      hash: '0'.repeat(64),
      before: null,
      after: null,
    };
    for (const name of serviceNames.filter((known) => known !== 'console')) {
      console.network.answer(trails[name].listLatestTrailEntries, ({ actions }) => ({
        entries: name === 'gateway' && (actions?.includes('request.open') ?? true) ? [entry] : [],
        next_before: null,
      }));
    }
    const { text } = await browser.get(`/b/${businessId}/trail?kind=keys`);
    expect(text).toContain('What is personal in a request to the API was shown');
    expect(text).toContain(`href="${root}/${subject}"`);
    expect(text).toContain(owner.email);
  });
});
