import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type CreatedDocument,
  PinkasClient,
  type PinkasClientOptions,
  PinkasConnectionError,
  PinkasError,
  type ResponseFacts,
} from '@pinkas/client';
import { type ErrorCode, errorCatalogue } from '@pinkas/contracts';
import { createDocumentExamples, errorExample, replyExamples } from '@pinkas/contracts/openapi';
import {
  type Act,
  AnsweringServer,
  answer,
  breakOff,
  hangUp,
  proxyPage,
  refuse,
  requestId,
  stayMute,
} from './answering-server.js';

const apiKey = 'pk_live_EXAMPLE0_notakeynotakeynotakey';
const replies = replyExamples('https://api.example.com/docs');
const created = replies.createDocument.tax_invoice_receipt.value as CreatedDocument;
const body = createDocumentExamples.tax_invoice_receipt;
const issued = answer(201, created);

let server: AnsweringServer;
beforeAll(async () => {
  server = await AnsweringServer.start();
});
afterAll(() => server.stop());
afterEach(() => {
  jest.useRealTimers();
});

/** Stops the timers of the client; those of Node go on. */
const stopTime = () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
};
/** Does not answer: the time of the attempt passes as soon as its request has arrived. */
const letTimePass: Act = () => {
  jest.runOnlyPendingTimers();
};

/** A client whose waits pass at once, on a clock of its own. */
function clientOn(options: Partial<PinkasClientOptions> = {}) {
  const waits: number[] = [];
  const clock = { nowMs: Date.parse('2026-03-01T08:00:00Z') };
  const facts: ResponseFacts[] = [];
  const client = new PinkasClient({
    baseUrl: server.baseUrl,
    apiKey,
    onResponse: (item) => facts.push(item),
    timing: {
      now: () => clock.nowMs,
      random: () => 0.5,
      wait: async (ms) => {
        waits.push(ms);
        clock.nowMs += ms;
      },
    },
    ...options,
  });
  return { client, waits, clock, facts };
}

/** What a call was refused with. */
async function refusalOf(call: Promise<unknown>): Promise<PinkasError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PinkasError);
  return error as PinkasError;
}

async function connectionErrorOf(call: Promise<unknown>): Promise<PinkasConnectionError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PinkasConnectionError);
  return error as PinkasConnectionError;
}

const requestLines = () => server.arrived.map(({ method, path }) => `${method} ${path}`);
const keysSent = () => server.arrived.map(({ headers }) => headers['idempotency-key']);

describe('operations', () => {
  const { id } = created;
  const calls: Record<
    string,
    { call: (client: PinkasClient) => Promise<unknown>; line: string; reply: unknown }
  > = {
    getMe: { call: (client) => client.getMe(), line: 'GET /v1/me', reply: replies.getMe.profile.value },
    listDocumentTypes: {
      call: (client) => client.listDocumentTypes(),
      line: 'GET /v1/document-types',
      reply: replies.listDocumentTypes.types.value,
    },
    listErrors: {
      call: (client) => client.listErrors(),
      line: 'GET /v1/errors',
      reply: replies.listErrors.errors.value,
    },
    previewDocument: {
      call: (client) => client.previewDocument(body),
      line: 'POST /v1/documents/preview',
      reply: replies.previewDocument.tax_invoice.value,
    },
    getOpenApi: {
      call: (client) => client.getOpenApi(),
      line: 'GET /v1/openapi.json',
      reply: replies.getOpenApi.document.value,
    },
    getDocument: {
      call: (client) => client.getDocument(id),
      line: `GET /v1/documents/${id}`,
      reply: replies.getDocument.tax_invoice_receipt.value,
    },
    cancelDocument: {
      call: (client) => client.cancelDocument(id, { reason: 'הוזמן בטעות' }),
      line: `POST /v1/documents/${id}/cancel`,
      reply: replies.cancelDocument.quote.value,
    },
    listDocuments: {
      call: (client) =>
        client.listDocuments({ type: 'quote', include_cancelled: true, external_ref: 'א&b=1', limit: 2 }),
      line: 'GET /v1/documents?type=quote&include_cancelled=true&external_ref=%D7%90%26b%3D1&limit=2',
      reply: replies.listDocuments.page.value,
    },
    searchCustomers: {
      call: (client) => client.searchCustomers({ q: 'לקוח לדוגמה' }),
      line: `GET /v1/customers?q=${new URLSearchParams({ q: 'לקוח לדוגמה' }).toString().slice(2)}`,
      reply: replies.searchCustomers.customers.value,
    },
  };

  it.each(Object.entries(calls))(
    '%s calls its route and returns the body',
    async (_name, { call, line, reply }) => {
      server.script(answer(200, reply));
      expect(await call(clientOn().client)).toEqual(reply);
      expect(requestLines()).toEqual([line]);
    },
  );

  it('the API key is sent only to the operations that need it', async () => {
    const sent: Record<string, string | undefined> = {};
    for (const [name, { call, reply }] of Object.entries(calls)) {
      server.script(answer(200, reply));
      await call(clientOn().client);
      sent[name] = server.arrived[0]?.headers.authorization;
    }
    const { listErrors, getOpenApi, ...others } = sent;
    expect([listErrors, getOpenApi]).toEqual([undefined, undefined]);
    expect(new Set(Object.values(others))).toEqual(new Set([`Bearer ${apiKey}`]));
  });

  it('a request body is JSON, and a request without content has none', async () => {
    server.script(
      answer(200, replies.cancelDocument.quote.value),
      answer(200, replies.cancelDocument.quote.value),
    );
    const { client } = clientOn();
    await client.cancelDocument(id, { reason: 'טעות' });
    await client.cancelDocument(id);
    expect(server.arrived[0]?.body).toBe('{"reason":"טעות"}');
    expect(server.arrived[0]?.headers['content-type']).toBe('application/json');
    expect(server.arrived[1]?.body).toBe('');
    expect(server.arrived[1]?.headers['content-type']).toBeUndefined();
  });

  it('unknown fields of a response are preserved', async () => {
    server.script(answer(200, { ...replies.getMe.profile.value, colour: 'green' }));
    expect(await clientOn().client.getMe()).toHaveProperty('colour', 'green');
  });

  it('the base URL may end with a slash', async () => {
    server.script(answer(200, replies.getMe.profile.value));
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

describe('issuing', () => {
  it('previewDocument sends the body without a key, and its outcome is known whatever happens', async () => {
    const preview = replies.previewDocument.tax_invoice.value;
    server.script(answer(200, preview), hangUp, refuse('future_date'));
    const { client } = clientOn({ retry: { attemptsMax: 1 } });
    expect(await client.previewDocument(body)).toEqual(preview);
    expect(server.arrived[0]?.path).toBe('/v1/documents/preview');
    expect([JSON.parse(server.arrived[0]?.body ?? ''), keysSent()[0]]).toEqual([body, undefined]);
    await expect(client.previewDocument(body)).rejects.toMatchObject({ outcomeUnknown: false });
    expect((await refusalOf(client.previewDocument(body))).code).toBe('future_date');
  });

  it('createDocument generates a key when none is given, and returns it', async () => {
    server.script(issued, issued);
    const { client } = clientOn();
    const one = await client.createDocument(body);
    const other = await client.createDocument(body);
    expect(one.document).toEqual(created);
    expect(one.idempotencyKey).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect(keysSent()).toEqual([one.idempotencyKey, other.idempotencyKey]);
    expect(one.idempotencyKey).not.toBe(other.idempotencyKey);
    expect(JSON.parse(server.arrived[0]?.body ?? '')).toEqual(body);
  });

  it('createDocument sends the same key and body in every attempt', async () => {
    server.script(hangUp, refuse('document_generation_failed'), breakOff, proxyPage(504), issued);
    const result = await clientOn().client.createDocument(body);
    expect(result.response.attempts).toBe(5);
    expect(keysSent()).toEqual(Array(5).fill(result.idempotencyKey));
    expect(new Set(server.arrived.map((request) => request.body))).toEqual(new Set([JSON.stringify(body)]));
  });

  it('createDocument reports a document of an earlier request as replayed', async () => {
    server.script(answer(201, created, { 'idempotent-replayed': 'true' }), issued);
    const { client } = clientOn();
    const again = await client.createDocument(body, { idempotencyKey: 'order-1' });
    expect([again.replayed, again.idempotencyKey]).toEqual([true, 'order-1']);
    expect((await client.createDocument(body)).replayed).toBe(false);
  });

  it('createDocument waits for a request in progress with the same key', async () => {
    server.script(refuse('request_in_progress'), answer(201, created, { 'idempotent-replayed': 'true' }));
    expect((await clientOn().client.createDocument(body)).replayed).toBe(true);
  });

  it('createDocument waits for a request in progress until totalMs, and does not count those attempts', async () => {
    const inProgress = Array.from({ length: 8 }, () => refuse('request_in_progress'));
    const replayed = answer(201, created, { 'idempotent-replayed': 'true' });
    server.script(...inProgress, hangUp, replayed);
    const result = await clientOn({ retry: { attemptsMax: 2 } }).client.createDocument(body);
    expect([result.replayed, result.response.attempts]).toEqual([true, 10]);

    server.script(...Array.from({ length: 99 }, () => refuse('request_in_progress')));
    const { client, waits } = clientOn({ retry: { attemptsMax: 2, firstDelayMs: 0, totalMs: 30_000 } });
    const error = await refusalOf(client.createDocument(body));
    expect([error.code, error.outcomeUnknown]).toEqual(['request_in_progress', true]);
    // However short the configured delays, it does not poll without a pause.
    expect(waits).toEqual(Array(29).fill(1000));
  });

  it('createDocument does not wait for a request in progress when retries are disabled', async () => {
    server.script(refuse('request_in_progress'), issued);
    await refusalOf(clientOn({ retry: { attemptsMax: 1 } }).client.createDocument(body));
    expect(server.arrived).toHaveLength(1);
  });

  it('a key outside ASCII is sent as UTF-8', async () => {
    server.script(issued);
    await clientOn().client.createDocument(body, { idempotencyKey: 'הזמנה-1' });
    expect(Buffer.from(keysSent()[0] as string, 'latin1').toString('utf8')).toBe('הזמנה-1');
  });

  it('a key with control characters is rejected before anything is sent', async () => {
    server.script();
    await expect(clientOn().client.createDocument(body, { idempotencyKey: 'a\r\nx: y' })).rejects.toThrow(
      TypeError,
    );
    expect(server.arrived).toEqual([]);
  });

  it('every error of createDocument has the key', async () => {
    server.script(refuse('future_date'), hangUp);
    const { client } = clientOn({ retry: { attemptsMax: 1 } });
    const refused = await refusalOf(client.createDocument(body));
    const failed = await connectionErrorOf(client.createDocument(body));
    expect(server.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual([
      refused.idempotencyKey,
      failed.idempotencyKey,
    ]);
  });
});

describe('outcomeUnknown', () => {
  beforeEach(stopTime);

  /** After this no attempt has time left. */
  const late = { 'retry-after': '999' };

  /** The outcomeUnknown of the error of a creation, with so many attempts. */
  const unknownAfter = async (attemptsMax: number, ...acts: Act[]): Promise<boolean> => {
    server.script(...acts);
    const { client } = clientOn({ retry: { attemptsMax } });
    const error = await client.createDocument(body, { idempotencyKey: 'order-3' }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof PinkasError || error instanceof PinkasConnectionError)) {
      throw error;
    }
    expect([error.idempotencyKey, error.attempts, server.arrived.length]).toEqual([
      'order-3',
      acts.length,
      acts.length,
    ]);
    return error.outcomeUnknown;
  };

  it.each(
    Object.entries(errorCatalogue).filter(
      ([code, { httpStatus }]) => httpStatus < 500 && code !== 'request_in_progress',
    ),
  )('outcomeUnknown is false after %s', async (code) => {
    expect(await unknownAfter(1, refuse(code as ErrorCode))).toBe(false);
  });

  it('outcomeUnknown is false after document_generation_failed, in any attempt', async () => {
    const failed = refuse('document_generation_failed');
    expect(await unknownAfter(1, failed)).toBe(false);
    expect(await unknownAfter(3, failed, failed, failed)).toBe(false);
    expect(await unknownAfter(3, refuse('rate_limited'), failed, refuse('future_date'))).toBe(false);
  });

  const silent: [string, Act][] = [
    ['a connection that closed', hangUp],
    ['an answer that broke off', breakOff],
    ['no answer in time', letTimePass],
    ['an engine that failed', refuse('engine_error')],
    ['an internal error', refuse('internal_error')],
    ['a request in progress', refuse('request_in_progress')],
    ['a page of a proxy', proxyPage(504)],
    [
      'a code of 5xx that this version does not know',
      answer(500, { error: { code: 'new', retryable: true } }),
    ],
  ];

  it.each(silent)('outcomeUnknown is true after %s', async (_what, act) => {
    expect(await unknownAfter(1, act)).toBe(true);
  });

  it.each(silent)('outcomeUnknown stays true after %s, whatever the later responses', async (_what, act) => {
    expect(await unknownAfter(2, act, refuse('future_date'))).toBe(true);
    expect(await unknownAfter(9, act, refuse('document_generation_failed', late))).toBe(true);
    expect(await unknownAfter(9, refuse('rate_limited'), act, refuse('rate_limited', late))).toBe(true);
  });

  it.each([201, 302, 403])(
    'outcomeUnknown is true after a response %d of something other than the API',
    async (status) => {
      expect(await unknownAfter(1, proxyPage(status))).toBe(true);
    },
  );

  it('outcomeUnknown is set when a signal ends the call', async () => {
    const abortedAfter = async (...acts: Act[]) => {
      server.script(...acts);
      const stop = new AbortController();
      const { client } = clientOn({
        timing: {
          wait: () => {
            stop.abort();
            return Promise.reject(stop.signal.reason);
          },
        },
      });
      const error = await connectionErrorOf(client.createDocument(body, { signal: stop.signal }));
      return [error.reason, error.attempts, error.outcomeUnknown];
    };
    expect(await abortedAfter(refuse('rate_limited'))).toEqual(['aborted', 1, false]);
    expect(await abortedAfter(refuse('engine_error'))).toEqual(['aborted', 1, true]);
    const neverSent = clientOn().client.createDocument(body, { signal: AbortSignal.abort() });
    expect(await connectionErrorOf(neverSent)).toMatchObject({ attempts: 0, outcomeUnknown: false });
  });

  it('outcomeUnknown is false for an operation that changes nothing', async () => {
    const { client } = clientOn({ retry: { attemptsMax: 1 } });
    server.script(refuse('engine_error'), hangUp);
    expect((await refusalOf(client.getMe())).outcomeUnknown).toBe(false);
    expect((await connectionErrorOf(client.getMe())).outcomeUnknown).toBe(false);
  });
});

describe('retries', () => {
  it('the delay grows with random jitter, and the call fails after the last attempt', async () => {
    server.script(...Array.from({ length: 9 }, () => refuse('engine_error')));
    const { client, waits } = clientOn({ retry: { attemptsMax: 7, firstDelayMs: 500, delayMaxMs: 3000 } });
    const error = await refusalOf(client.getMe());
    expect([error.code, error.attempts, server.arrived.length]).toEqual(['engine_error', 7, 7]);
    expect(waits).toEqual([250, 500, 1000, 1500, 1500, 1500]);
  });

  it.each(['validation_error', 'unauthorized', 'date_before_last_document', 'daily_limit_reached'] as const)(
    'a call is not retried after %s',
    async (code) => {
      server.script(refuse(code, { 'retry-after': '1' }), issued);
      const error = await refusalOf(clientOn().client.createDocument(body));
      expect([error.code, error.attempts, error.retryable]).toEqual([code, 1, false]);
      expect(server.arrived).toHaveLength(1);
    },
  );

  it.each(['api_disabled', 'internal_error', 'engine_error', 'rate_limited'] as const)(
    'a call is retried after %s',
    async (code) => {
      server.script(refuse(code), answer(200, replies.getMe.profile.value));
      await clientOn().client.getMe();
      expect(server.arrived).toHaveLength(2);
    },
  );

  it('a Retry-After in seconds is added to the delay', async () => {
    server.script(refuse('rate_limited', { 'retry-after': '42' }), answer(200, replies.getMe.profile.value));
    const { client, waits } = clientOn();
    await client.getMe();
    // The Retry-After, plus jitter, so that not all callers come back at once.
    expect(waits).toEqual([42_250]);
  });

  it('a Retry-After as a date is added to the delay', async () => {
    const { client, waits } = clientOn();
    server.script(
      refuse('rate_limited', { 'retry-after': 'Sun, 01 Mar 2026 08:00:30 GMT' }),
      answer(200, replies.getMe.profile.value),
    );
    await client.getMe();
    expect(waits).toEqual([30_250]);
  });

  it('a Retry-After that is past or invalid is ignored', async () => {
    const { client, waits } = clientOn();
    server.script(
      refuse('rate_limited', { 'retry-after': 'Sat, 28 Feb 2026 08:00:00 GMT' }),
      refuse('rate_limited', { 'retry-after': 'soon' }),
      answer(200, replies.getMe.profile.value),
    );
    await client.getMe();
    expect(waits).toEqual([250, 500]);
  });

  it('a delay beyond totalMs ends the call at once', async () => {
    server.script(refuse('rate_limited', { 'retry-after': '61' }), answer(200, {}));
    const { client, waits } = clientOn({ retry: { totalMs: 60_000 } });
    const error = await refusalOf(client.getMe());
    expect([error.code, error.attempts]).toEqual(['rate_limited', 1]);
    expect(waits).toEqual([]);
  });

  it('the call ends at totalMs, whatever attempts are left', async () => {
    server.script(...Array.from({ length: 9 }, () => refuse('engine_error', { 'retry-after': '20' })));
    const { client, waits } = clientOn({ retry: { attemptsMax: 100, totalMs: 60_000 } });
    expect((await refusalOf(client.getMe())).attempts).toBe(3);
    expect(waits).toEqual([20_250, 20_500]);
  });

  it('no attempt starts with less than a second, or than timeoutMs, left', async () => {
    const waitsAt = async (totalMs: number, timeoutMs: number) => {
      server.script(
        refuse('engine_error', { 'retry-after': '20' }),
        answer(200, replies.getMe.profile.value),
      );
      const { client, waits } = clientOn({ timeoutMs, retry: { totalMs, firstDelayMs: 0 } });
      await client.getMe().catch(() => {});
      return waits;
    };
    expect(await waitsAt(20_999, 35_000)).toEqual([]);
    expect(await waitsAt(21_000, 35_000)).toEqual([20_000]);
    expect(await waitsAt(20_299, 300)).toEqual([]);
    expect(await waitsAt(20_300, 300)).toEqual([20_000]);
  });

  it('no attempt starts after a delay that took too long', async () => {
    const clock = { nowMs: 0 };
    const wait = async () => {
      clock.nowMs += 119_500;
    };
    server.script(refuse('engine_error'), issued);
    const { client } = clientOn({ timing: { now: () => clock.nowMs, wait } });
    expect((await refusalOf(client.createDocument(body))).code).toBe('engine_error');
    expect(server.arrived).toHaveLength(1);
  });

  it('retries can be disabled', async () => {
    server.script(refuse('engine_error'), answer(200, {}));
    await refusalOf(clientOn({ retry: { attemptsMax: 1 } }).client.getMe());
    expect(server.arrived).toHaveLength(1);
  });

  it.each([
    { attemptsMax: 0 },
    { attemptsMax: 1.5 },
    { totalMs: Number.NaN },
    { totalMs: 0 },
    { totalMs: 2 ** 31 },
    { firstDelayMs: -1 },
  ])('the retry options %p are rejected', (retry) => expect(() => clientOn({ retry })).toThrow(RangeError));
});

describe('calls without a response', () => {
  it('a network failure is a PinkasConnectionError with its cause', async () => {
    server.script(hangUp, hangUp, hangUp);
    const error = await connectionErrorOf(clientOn({ retry: { attemptsMax: 3 } }).client.getMe());
    expect([error.reason, error.attempts, error.idempotencyKey]).toEqual(['network', 3, null]);
    expect(String(error.cause)).toContain('fetch failed');
  });

  it('a timed-out attempt is retried, and the final error has the reason timeout', async () => {
    stopTime();
    server.script(letTimePass, letTimePass);
    const { client } = clientOn({ retry: { attemptsMax: 2 } });
    const error = await connectionErrorOf(client.createDocument(body));
    expect([error.reason, error.attempts]).toEqual(['timeout', 2]);
    expect(new Set(keysSent())).toEqual(new Set([error.idempotencyKey]));
  });

  it('timeoutMs of a call bounds its attempts', async () => {
    server.script(stayMute);
    const { client } = clientOn({ retry: { attemptsMax: 1 } });
    expect((await connectionErrorOf(client.getMe({ timeoutMs: 20 }))).reason).toBe('timeout');
  });

  // A timer takes what is above 2^31 - 1 for nothing at all.
  it.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    'a timeoutMs of %d is rejected, in the options and in a call',
    async (timeoutMs) => {
      server.script(issued);
      expect(() => clientOn({ timeoutMs })).toThrow(RangeError);
      const { client } = clientOn();
      await expect(client.createDocument(body, { timeoutMs })).rejects.toThrow(RangeError);
      await expect(client.getMe({ timeoutMs })).rejects.toThrow(RangeError);
      await expect(client.cancelDocument(created.id, { timeoutMs })).rejects.toThrow(RangeError);
      await expect(client.documents({}, { timeoutMs }).next()).rejects.toThrow(RangeError);
      expect(server.arrived).toEqual([]);
    },
  );

  it('a refused connection is a network failure', async () => {
    const closed = await AnsweringServer.start();
    const { baseUrl } = closed;
    await closed.stop();
    const error = await connectionErrorOf(clientOn({ baseUrl, retry: { attemptsMax: 2 } }).client.getMe());
    expect([error.reason, error.attempts]).toEqual(['network', 2]);
  });
});

describe('abort signals', () => {
  it('a signal ends an attempt', async () => {
    const { client } = clientOn();
    const stop = new AbortController();
    server.script((response) => {
      stop.abort(new Error('enough'));
      response.destroy();
    });
    const error = await connectionErrorOf(client.createDocument(body, { signal: stop.signal }));
    expect([error.name, error.reason, server.arrived.length]).toEqual(['AbortError', 'aborted', 1]);
    expect(error.idempotencyKey).toBe(keysSent()[0]);
    expect(error.cause).toEqual(new Error('enough'));
  });

  it('a signal ends a delay', async () => {
    const stop = new AbortController();
    server.script(refuse('rate_limited', { 'retry-after': '60' }));
    // The wait is a real one; it begins right after the response is reported.
    const onResponse = () => void setImmediate(() => stop.abort());
    const client = new PinkasClient({ baseUrl: server.baseUrl, apiKey, onResponse });
    const error = await connectionErrorOf(client.getMe({ signal: stop.signal }));
    expect([error.name, server.arrived.length]).toEqual(['AbortError', 1]);
  });

  it('a signal that is already aborted prevents the request', async () => {
    server.script(issued);
    const error = await connectionErrorOf(
      clientOn().client.createDocument(body, { signal: AbortSignal.abort() }),
    );
    expect([error.reason, server.arrived.length]).toEqual(['aborted', 0]);
  });

  it('a signal ends a list between its pages', async () => {
    const stop = new AbortController();
    server.script(
      answer(200, replies.listDocuments.page.value),
      answer(200, replies.listDocuments.page.value),
    );
    const seen: string[] = [];
    const walk = async () => {
      for await (const page of clientOn().client.documentPages({}, { signal: stop.signal })) {
        seen.push(page.next_cursor ?? '');
        stop.abort();
      }
    };
    expect((await connectionErrorOf(walk())).reason).toBe('aborted');
    expect(seen).toHaveLength(1);
  });
});

describe('cancelDocument', () => {
  const cancelled = replies.cancelDocument.quote.value;
  const { id } = cancelled;

  it.each([
    ['a lost answer', hangUp],
    ['an engine that failed', refuse('engine_error')],
    ['a page of a proxy', proxyPage(502)],
  ])('cancelDocument returns the cancelled document after %s', async (_what, act) => {
    server.script(act, refuse('already_cancelled'), answer(200, { ...cancelled, items: [] }));
    expect(await clientOn().client.cancelDocument(id)).toMatchObject(cancelled);
    expect(requestLines()).toEqual([
      `POST /v1/documents/${id}/cancel`,
      `POST /v1/documents/${id}/cancel`,
      `GET /v1/documents/${id}`,
    ]);
  });

  it('cancelDocument fails for a document that was cancelled before', async () => {
    server.script(refuse('already_cancelled'));
    expect((await refusalOf(clientOn().client.cancelDocument(id))).code).toBe('already_cancelled');
  });

  it('cancelDocument fails with already_cancelled when every earlier attempt had a response', async () => {
    server.script(refuse('rate_limited'), refuse('already_cancelled'));
    expect((await refusalOf(clientOn().client.cancelDocument(id))).code).toBe('already_cancelled');
    expect(server.arrived).toHaveLength(2);
  });

  it('cancelDocument has time to read the document after its attempts used up totalMs', async () => {
    // The second attempt gets its response when totalMs is almost over.
    const { client, clock } = clientOn({ retry: { totalMs: 60_000 } });
    server.script(
      hangUp,
      (response) => {
        clock.nowMs += 59_000;
        refuse('already_cancelled')(response);
      },
      refuse('engine_error'),
      answer(200, { ...cancelled, items: [] }),
    );
    expect(await client.cancelDocument(id)).toMatchObject(cancelled);
    expect(requestLines().slice(2)).toEqual([`GET /v1/documents/${id}`, `GET /v1/documents/${id}`]);
  });

  it('cancelDocument reads the document for at most 5 seconds', async () => {
    server.script(hangUp, refuse('already_cancelled'), refuse('rate_limited', { 'retry-after': '5' }));
    expect((await refusalOf(clientOn().client.cancelDocument(id))).code).toBe('already_cancelled');
    expect(server.arrived).toHaveLength(3);
  });

  it.each([
    ['the key may not read', refuse('insufficient_scope')],
    ['no answer comes', hangUp],
  ])('cancelDocument fails with outcomeUnknown when %s', async (_what, act) => {
    server.script(hangUp, refuse('already_cancelled'), ...Array(5).fill(act));
    const error = await refusalOf(clientOn().client.cancelDocument(id));
    expect([error.code, error.outcomeUnknown]).toEqual(['already_cancelled', true]);
  });

  it('cancelDocument sets outcomeUnknown', async () => {
    const { client } = clientOn({ retry: { attemptsMax: 2 } });
    server.script(refuse('use_credit_note'), hangUp, refuse('use_credit_note'), hangUp, hangUp);
    expect((await refusalOf(client.cancelDocument(id))).outcomeUnknown).toBe(false);
    expect((await refusalOf(client.cancelDocument(id))).outcomeUnknown).toBe(true);
    expect((await connectionErrorOf(client.cancelDocument(id))).outcomeUnknown).toBe(true);
  });

  it('cancelDocument sets outcomeUnknown when a signal ends the read', async () => {
    const stop = new AbortController();
    server.script(hangUp, refuse('already_cancelled'), (response) => {
      stop.abort();
      response.destroy();
    });
    const error = await connectionErrorOf(clientOn().client.cancelDocument(id, { signal: stop.signal }));
    expect([error.reason, error.outcomeUnknown]).toEqual(['aborted', true]);
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

describe('PinkasError', () => {
  it('PinkasError has every member of the error response', async () => {
    server.script(refuse('total_mismatch'));
    const error = await refusalOf(clientOn().client.createDocument(body, { idempotencyKey: 'order-2' }));
    expect({ ...error, message: error.message }).toEqual({
      name: 'PinkasError',
      code: 'total_mismatch',
      status: 422,
      message: 'The computed total differs from expected_total.',
      messageHe: 'הסכום המחושב שונה מהסכום הצפוי.',
      hint: 'Compare with details.computed_total; nothing was issued.',
      retryable: false,
      docUrl: 'https://api.example.com/docs/errors#total_mismatch',
      details: { computed_total: 236 },
      requestId,
      idempotencyKey: 'order-2',
      attempts: 1,
      outcomeUnknown: false,
    });
  });

  it('PinkasError has typed details once its code is narrowed', async () => {
    server.script(refuse('total_mismatch'), refuse('validation_error'));
    const { client } = clientOn();
    const mismatch = await refusalOf(client.createDocument(body));
    // That these lines compile is half of the promise.
    const total: number = mismatch.is('total_mismatch') ? mismatch.details.computed_total : Number.NaN;
    expect(total).toBe(236);
    const invalid = await refusalOf(client.createDocument(body));
    const path: string | undefined = invalid.is('validation_error') ? invalid.details.errors[0]?.path : '';
    expect(path).toBe('/items/0/quantity');
    expect(invalid.is('total_mismatch', 'future_date')).toBe(false);
  });

  it('PinkasError names the first wrong field in its message, and all of them in its JSON and where it is logged', async () => {
    const errors = [
      { path: '/items/0/quantity', message: 'must be above 0', message_he: 'חייב להיות גדול מ-0' },
      { path: '/date', message: 'must be a date that exists, as YYYY-MM-DD', message_he: 'תאריך' },
    ];
    const { error: refusal } = errorExample('validation_error', 'https://api.example.com/docs');
    server.script(answer(400, { error: { ...refusal, details: { errors } }, request_id: requestId }));
    const error = await refusalOf(clientOn().client.createDocument(body));
    expect(error.message).toBe(
      'The request does not match the schema. /items/0/quantity must be above 0 (and 1 more)',
    );
    const written = JSON.parse(JSON.stringify({ error }));
    expect(written.error).toMatchObject({ name: 'PinkasError', message: error.message, details: { errors } });
    expect(inspect({ error })).toContain('/date');
  });

  it('PinkasError accepts a response without hint and details', async () => {
    server.script(refuse('already_cancelled'));
    const error = await refusalOf(clientOn().client.cancelDocument(created.id));
    expect([error.hint, error.details]).toEqual([null, {}]);
  });

  it('an unknown code is passed through', async () => {
    const said = {
      code: 'brand_new',
      message: 'New.',
      message_he: 'חדש.',
      retryable: true,
      doc_url: 'https://example.com',
    };
    server.script(
      answer(418, { error: said, request_id: requestId }),
      answer(200, replies.getMe.profile.value),
    );
    await clientOn().client.getMe();
    server.script(answer(418, { error: { ...said, retryable: false }, request_id: requestId }));
    expect(await refusalOf(clientOn().client.getMe())).toMatchObject({ code: 'brand_new', status: 418 });
  });

  it.each([502, 503, 504])('a response %d of a proxy is retried', async (status) => {
    server.script(proxyPage(status), answer(200, replies.getMe.profile.value));
    await clientOn().client.getMe();
    expect(server.arrived).toHaveLength(2);
  });

  it.each([403, 404, 500, 200, 302])(
    'a response %d of something other than the API is an error at once',
    async (status) => {
      server.script(proxyPage(status), answer(200, {}));
      const error = await refusalOf(clientOn().client.getMe());
      expect(error).toMatchObject({
        code: 'unexpected_answer',
        status,
        retryable: false,
        requestId: null,
        details: {},
      });
      expect(server.arrived).toHaveLength(1);
    },
  );

  it('redirects are not followed, so the API key stays with its host', async () => {
    server.script((response) => response.writeHead(307, { location: '/elsewhere' }).end(), answer(200, {}));
    expect((await refusalOf(clientOn().client.getMe())).status).toBe(307);
    expect(requestLines()).toEqual(['GET /v1/me']);
  });
});

describe('the API key', () => {
  const shown = (value: unknown) =>
    `${inspect(value, { depth: 20, showHidden: true })}${JSON.stringify(value)}${String(value)}`;

  it('no error and no inspection of the client contains the API key', async () => {
    stopTime();
    const { client } = clientOn({ retry: { attemptsMax: 1 } });
    server.script(refuse('unauthorized'), hangUp, letTimePass, proxyPage(500));
    const errors = [
      await refusalOf(client.getMe()),
      await connectionErrorOf(client.getMe()),
      await connectionErrorOf(client.getMe()),
      await refusalOf(client.getMe()),
    ];
    for (const value of [client, ...errors, ...errors.map((error) => error.stack)]) {
      expect(shown(value)).not.toContain(apiKey.slice(8));
    }
  });

  it.each([
    ['', 'apiKey is empty'],
    [undefined, 'apiKey is missing'],
    [null, 'apiKey is missing'],
  ])('the API key %p is a TypeError that states so', (none, message) => {
    const make = () => new PinkasClient({ baseUrl: server.baseUrl, apiKey: none as string });
    expect(make).toThrow(new TypeError(message));
  });

  it.each(['with space', 'line\nbreak', 'מפתח'])(
    'the invalid API key %p is rejected without being quoted',
    (bad) => {
      const make = () => new PinkasClient({ baseUrl: server.baseUrl, apiKey: bad });
      expect(make).toThrow(TypeError);
      expect(make).toThrow('apiKey must be a text of visible ASCII characters');
    },
  );
});
