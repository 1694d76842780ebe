import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PinkasConnectionError, PinkasError } from '@pinkas/client';
import { type ErrorCode, errorCatalogue } from '@pinkas/contracts';
import { type Act, answer, breakOff, hangUp, proxyPage, refuse } from './answering-server.js';
import {
  body,
  clientOn,
  connectionErrorOf,
  created,
  errorOf,
  issued,
  keysSent,
  letTimePass,
  refusalOf,
  replies,
  requestLines,
  server,
  stopTime,
} from './client-under-test.js';

afterEach(() => {
  jest.useRealTimers();
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
    const error = await errorOf(client.createDocument(body, { idempotencyKey: 'order-3' }));
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
