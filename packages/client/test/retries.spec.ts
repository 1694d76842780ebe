import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PinkasClient } from '@pinkas/client';
import { AnsweringServer, answer, hangUp, refuse, stayMute } from './answering-server.js';
import {
  apiKey,
  body,
  clientOn,
  connectionErrorOf,
  created,
  issued,
  keysSent,
  letTimePass,
  profile,
  refusalOf,
  replies,
  server,
  stopTime,
} from './client-under-test.js';
import { retryCases } from './retry-cases.js';

afterEach(() => {
  jest.useRealTimers();
});

describe('retries', () => {
  it.each(retryCases)('retries in TypeScript: %s', async (...[, acts, options, expected, code]) => {
    server.script(...acts);
    const { client, waits } = clientOn(options);
    const call = client.getMe();
    if (code === undefined) {
      expect(await call).toEqual(replies.getMe.profile.value);
    } else {
      expect(await refusalOf(call)).toMatchObject({ code, attempts: expected.length + 1 });
    }
    expect(waits).toEqual(expected);
    expect(server.arrived).toHaveLength(expected.length + 1);
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

  it('no attempt starts with less than a second, or than timeoutMs, left', async () => {
    const waitsAt = async (totalMs: number, timeoutMs: number) => {
      server.script(refuse('engine_error', { 'retry-after': '20' }), profile);
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
