import { describe, expect, it } from '@jest/globals';
import type { PinkasClient } from '@pinkas/client';
import { answer, refuse, requestId } from './answering-server.js';
import {
  apiKey,
  body,
  clientOn,
  created,
  issued,
  profile,
  refusalOf,
  replies,
  requestLines,
  server,
} from './client-under-test.js';

type Operation = keyof typeof replies;

describe('operations', () => {
  const { id } = created;
  const event = replies.getEvent.event.value;
  const ofClient = new URLSearchParams({ q: 'לקוח לדוגמה' });
  /** A call of each operation, the line of its request, and the body that is sent. */
  const calls: readonly [Operation, (client: PinkasClient) => Promise<unknown>, string, unknown?][] = [
    ['getMe', (client) => client.getMe(), 'GET /v1/me'],
    ['listDocumentTypes', (client) => client.listDocumentTypes(), 'GET /v1/document-types'],
    ['listErrors', (client) => client.listErrors(), 'GET /v1/errors'],
    ['getOpenApi', (client) => client.getOpenApi(), 'GET /v1/openapi.json'],
    [
      'createDocument',
      async (client) => (await client.createDocument(body)).document,
      'POST /v1/documents',
      body,
    ],
    ['previewDocument', (client) => client.previewDocument(body), 'POST /v1/documents/preview', body],
    ['getDocument', (client) => client.getDocument(id), `GET /v1/documents/${id}`],
    ['cancelDocument', (client) => client.cancelDocument(id), `POST /v1/documents/${id}/cancel`],
    [
      'cancelDocument',
      (client) => client.cancelDocument(id, { reason: 'הוזמן בטעות' }),
      `POST /v1/documents/${id}/cancel`,
      { reason: 'הוזמן בטעות' },
    ],
    [
      'listDocuments',
      (client) =>
        client.listDocuments({ type: 'quote', include_cancelled: true, external_ref: 'א&b=1', limit: 2 }),
      'GET /v1/documents?type=quote&include_cancelled=true&external_ref=%D7%90%26b%3D1&limit=2',
    ],
    [
      'listEvents',
      (client) => client.listEvents({ type: ['document.issued', 'delivery.sent'], cursor: 'c/1' }),
      'GET /v1/events?type=document.issued&type=delivery.sent&cursor=c%2F1',
    ],
    ['getEvent', (client) => client.getEvent(event.id), `GET /v1/events/${event.id}`],
    ['getRequest', (client) => client.getRequest(requestId), `GET /v1/requests/${requestId}`],
    [
      'searchCustomers',
      (client) => client.searchCustomers({ q: 'לקוח לדוגמה' }),
      `GET /v1/customers?${ofClient}`,
    ],
  ];
  const withoutKey: readonly Operation[] = ['listErrors', 'getOpenApi'];

  it('every operation of the API is called here', () => {
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(Object.keys(replies)));
  });

  it.each(calls)(
    '%s calls its route with the key where it needs one and with what it is given as JSON, and returns the body',
    async (...[name, call, line, sent]) => {
      const [{ value: reply }] = Object.values(replies[name]) as [{ value: unknown }];
      server.script(answer(200, reply));
      expect(await call(clientOn().client)).toEqual(reply);
      expect(requestLines()).toEqual([line]);
      const [request] = server.arrived;
      expect([request?.body, request?.headers['content-type']]).toEqual(
        sent === undefined ? ['', undefined] : [JSON.stringify(sent), 'application/json'],
      );
      expect(request?.headers.authorization).toBe(withoutKey.includes(name) ? undefined : `Bearer ${apiKey}`);
    },
  );

  it('unknown fields of a response are preserved', async () => {
    server.script(answer(200, { ...replies.getMe.profile.value, color: 'green' }));
    expect(await clientOn().client.getMe()).toHaveProperty('color', 'green');
  });

  it('the base URL may end with a slash', async () => {
    server.script(profile);
    await clientOn({ baseUrl: `${server.baseUrl}/` }).client.getMe();
    expect(requestLines()).toEqual(['GET /v1/me']);
  });

  it('onResponse is called with the facts of every response', async () => {
    const { client, facts } = clientOn();
    const limits = { 'ratelimit-limit': '60', 'ratelimit-remaining': '59', 'ratelimit-reset': '12' };
    server.script(refuse('engine_error'), answer(200, replies.getMe.profile.value, limits));
    await client.getMe();
    const shared = { requestId, replayed: false, idempotencyKey: null };
    expect(facts).toEqual([
      { ...shared, status: 502, attempts: 1, rateLimit: null },
      { ...shared, status: 200, attempts: 2, rateLimit: { limit: 60, remaining: 59, resetSeconds: 12 } },
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the log is full');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the log is full'))],
  ])('the result is the same when onResponse %s', async (_what, onResponse) => {
    const { client } = clientOn({ onResponse });
    server.script(issued, refuse('engine_error'), issued, refuse('future_date'));
    expect((await client.createDocument(body)).document).toEqual(created);
    expect((await client.createDocument(body)).response.attempts).toBe(2);
    expect((await refusalOf(client.createDocument(body))).code).toBe('future_date');
    expect(server.arrived).toHaveLength(4);
  });
});

describe('iterators', () => {
  const page = (numbers: number[], cursor: string | null) =>
    answer(200, { data: numbers.map((number) => ({ ...created, number })), next_cursor: cursor });

  it('each page is fetched when it is needed, with the same query', async () => {
    server.script(page([5, 4], 'c1'), page([3], 'c2'), page([], null));
    const numbers: number[] = [];
    const askedAt: number[] = [];
    for await (const document of clientOn().client.documents({ type: 'quote', limit: 2 })) {
      numbers.push(document.number);
      askedAt.push(server.arrived.length);
    }
    expect(numbers).toEqual([5, 4, 3]);
    expect(askedAt).toEqual([1, 1, 2]);
    expect(requestLines()).toEqual([
      'GET /v1/documents?type=quote&limit=2',
      'GET /v1/documents?type=quote&limit=2&cursor=c1',
      'GET /v1/documents?type=quote&limit=2&cursor=c2',
    ]);
  });

  it('documentPages iterates over pages', async () => {
    server.script(page([2], 'c1'), page([1], null));
    const sizes: number[] = [];
    for await (const one of clientOn().client.documentPages()) {
      sizes.push(one.data.length);
    }
    expect(sizes).toEqual([1, 1]);
  });

  it('no further page is fetched after the iteration ends', async () => {
    server.script(page([2, 1], 'c1'), page([0], null));
    for await (const _document of clientOn().client.documents()) {
      break;
    }
    expect(server.arrived).toHaveLength(1);
  });

  it('a page in the middle is retried', async () => {
    server.script(page([2], 'c1'), refuse('engine_error'), page([1], null));
    const numbers: number[] = [];
    for await (const document of clientOn().client.documents()) {
      numbers.push(document.number);
    }
    expect(numbers).toEqual([2, 1]);
  });
});
