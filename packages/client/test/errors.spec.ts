import { inspect } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PinkasClient } from '@pinkas/client';
import { errorExample } from '@pinkas/contracts/openapi';
import { answer, hangUp, proxyPage, refuse, requestId } from './answering-server.js';
import {
  apiKey,
  body,
  clientOn,
  connectionErrorOf,
  created,
  letTimePass,
  profile,
  refusalOf,
  requestLines,
  server,
  stopTime,
} from './client-under-test.js';

afterEach(() => {
  jest.useRealTimers();
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
    server.script(answer(418, { error: said, request_id: requestId }), profile);
    await clientOn().client.getMe();
    server.script(answer(418, { error: { ...said, retryable: false }, request_id: requestId }));
    expect(await refusalOf(clientOn().client.getMe())).toMatchObject({ code: 'brand_new', status: 418 });
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
