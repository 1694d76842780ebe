import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ErrorCode, errorCatalogue, eventTypes } from '@pinkas/contracts';
import { createDocumentExamples, eventExample, replyExamples } from '@pinkas/contracts/openapi';
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
} from '../../../packages/client/test/answering-server.js';
import { retryCases } from '../../../packages/client/test/retry-cases.js';
import type { PhpCall, PhpDriver, PhpResult } from './php-driver.js';

const replies = replyExamples('https://api.example.com/docs');
const created = replies.createDocument.tax_invoice_receipt.value;
const issued = answer(201, created);
const body = createDocumentExamples.tax_invoice_receipt;
const apiKey = 'pk_live_EXAMPLE0_notakeynotakeynotakey';
const nowMs = Date.parse('2026-03-01T08:00:00Z');
const { id } = created;

/** What the client in PHP does of its own, on a server that answers as scripted. */
export function scriptedCalls(driver: () => Promise<PhpDriver | undefined>): void {
  describe('PinkasClient of PHP on scripted responses', () => {
    let server: AnsweringServer;
    let php: PhpDriver | undefined;
    beforeAll(async () => {
      php = await driver();
    });
    // A request that arrives after its client has given up takes no answer of the next test.
    beforeEach(async () => {
      server = await AnsweringServer.start();
    });
    afterEach(() => server?.stop());

    /** A test that passes without PHP: the line that it is missing is written once. */
    const test = (name: string, run: (php: PhpDriver) => Promise<void>) =>
      it(name, async () => {
        if (php) {
          await run(php);
        }
      });
    const callOf = (
      php: PhpDriver,
      method: string,
      args: readonly unknown[] = [],
      options: PhpCall['options'] = {},
      take?: number,
    ): Promise<PhpResult> =>
      php.ask({
        do: 'call',
        method,
        arguments: args,
        options: { baseUrl: server.baseUrl, apiKey, nowMs, ...options },
        ...(take !== undefined && { take }),
      });
    const lines = () => server.arrived.map(({ method, path }) => `${method} ${path}`);
    const once = { retry: { attemptsMax: 1 } };

    for (const [name, acts, options, waits, code] of retryCases) {
      test(`retries in PHP: ${name}`, async (php) => {
        server.script(...acts);
        const result = await callOf(php, 'getMe', [], options);
        expect(result.waits).toEqual(waits);
        expect(server.arrived).toHaveLength(waits.length + 1);
        expect(result).toMatchObject(
          code === undefined
            ? { ok: replies.getMe.profile.value }
            : { error: { errorCode: code, attempts: waits.length + 1 } },
        );
      });
    }

    const calls: readonly [keyof typeof replies, unknown[], string, unknown?][] = [
      ['getMe', [], 'GET /v1/me'],
      ['listDocumentTypes', [], 'GET /v1/document-types'],
      ['listErrors', [], 'GET /v1/errors'],
      ['getOpenApi', [], 'GET /v1/openapi.json'],
      ['createDocument', [body], 'POST /v1/documents', body],
      ['previewDocument', [body], 'POST /v1/documents/preview', body],
      ['getDocument', [id], `GET /v1/documents/${id}`],
      ['cancelDocument', [id], `POST /v1/documents/${id}/cancel`],
      ['cancelDocument', [id, 'בטעות'], `POST /v1/documents/${id}/cancel`, { reason: 'בטעות' }],
      [
        'listDocuments',
        [{ type: 'quote', include_cancelled: true, external_ref: 'א&b=1', limit: 2 }],
        'GET /v1/documents?type=quote&include_cancelled=true&external_ref=%D7%90%26b%3D1&limit=2',
      ],
      [
        'listEvents',
        [{ type: ['document.issued', 'delivery.sent'], cursor: 'c/1' }],
        'GET /v1/events?type=document.issued&type=delivery.sent&cursor=c%2F1',
      ],
      ['getEvent', ['evt_1'], 'GET /v1/events/evt_1'],
      ['getRequest', [id], `GET /v1/requests/${id}`],
      ['searchCustomers', [{ q: 'לקוח' }], 'GET /v1/customers?q=%D7%9C%D7%A7%D7%95%D7%97'],
    ];

    test('every operation of the API is called in PHP', async () => {
      expect(new Set(calls.map(([name]) => name))).toEqual(new Set(Object.keys(replies)));
    });

    for (const [name, args, line, sent] of calls) {
      test(`${name} of PHP requests ${line.split(' ')[1]} and returns every reply of the reference`, async (php) => {
        for (const { value } of Object.values(replies[name]) as { value: object }[]) {
          server.script(answer(200, { ...value, member_of_tomorrow: 1 }));
          const { ok, error } = await callOf(php, name, args);
          expect(error).toBeUndefined();
          const isList = name === 'listDocumentTypes' || name === 'listErrors';
          const found = name === 'createDocument' ? ok.document : ok;
          expect(isList ? { data: found, member_of_tomorrow: 1 } : found).toEqual({
            ...value,
            member_of_tomorrow: 1,
          });
          expect(lines()).toEqual([line]);
          const [request] = server.arrived;
          expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(sent);
          const isPublic = name === 'listErrors' || name === 'getOpenApi';
          expect(request?.headers.authorization).toBe(isPublic ? undefined : `Bearer ${apiKey}`);
        }
      });
    }

    test('each example of a document is sent from PHP as it is, its amounts with two decimals', async (php) => {
      const examples = [
        ...Object.values(createDocumentExamples),
        { ...body, items: [{ description: 'Example', quantity: 1.5, unit_price: 19.99 }] },
      ];
      for (const example of examples) {
        server.script(issued);
        await callOf(php, 'createDocument', [example]);
        expect(JSON.parse(server.arrived[0]?.body ?? '')).toEqual(example);
      }
      expect(server.arrived[0]?.body).toMatch(/"unit_price":19\.99[,}]/);
    });

    const silent: [string, Act][] = [
      ['a connection that closed', hangUp],
      ['an answer that broke off', breakOff],
      ['an engine that failed', refuse('engine_error')],
      ['a request in progress', refuse('request_in_progress')],
      ['a page of a proxy', proxyPage(504)],
      ['a page of a proxy with 201', proxyPage(201)],
      ['JSON of something else', answer(201, { ok: true })],
    ];
    for (const [what, act] of silent) {
      test(`outcomeUnknown of PHP is true after ${what}, and stays so`, async (php) => {
        server.script(act);
        const one = await callOf(php, 'createDocument', [body, 'order-3'], once);
        expect(one.error).toMatchObject({ outcomeUnknown: true, idempotencyKey: 'order-3', attempts: 1 });
        server.script(act, refuse('future_date'));
        const two = await callOf(php, 'createDocument', [body, 'order-3']);
        expect(two.error).toMatchObject({ outcomeUnknown: true });
        server.script(act);
        const read = await callOf(php, 'previewDocument', [body], once);
        expect(read.error).toMatchObject({ outcomeUnknown: false, idempotencyKey: null });
      });
    }

    test('outcomeUnknown of PHP is false after every refusal, and the error has all of its members', async (php) => {
      const codes = Object.entries(errorCatalogue)
        .filter(([code, { httpStatus }]) => httpStatus < 500 && code !== 'request_in_progress')
        .map(([code]) => code as ErrorCode);
      for (const code of [...codes, 'document_generation_failed' as const]) {
        server.script(refuse(code));
        const { error } = await callOf(php, 'createDocument', [body], once);
        expect(error).toMatchObject({ errorCode: code, outcomeUnknown: false });
      }
      server.script(refuse('total_mismatch'), refuse('validation_error'));
      expect((await callOf(php, 'createDocument', [body, 'order-2'])).error).toEqual({
        class: 'Pinkas\\ApiException',
        errorCode: 'total_mismatch',
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
      expect((await callOf(php, 'createDocument', [body])).error?.message).toContain('/items/0/quantity');
    });

    test('createDocument of PHP sends the same key and body in every attempt, and waits for one in progress', async (php) => {
      server.script(hangUp, refuse('document_generation_failed'), breakOff, proxyPage(504), issued);
      const { ok } = await callOf(php, 'createDocument', [body]);
      expect(ok.response.attempts).toBe(5);
      expect(server.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual(
        Array(5).fill(ok.idempotencyKey),
      );
      expect(new Set(server.arrived.map((request) => request.body)).size).toBe(1);
      const inProgress = Array.from({ length: 8 }, () => refuse('request_in_progress'));
      server.script(...inProgress, hangUp, answer(201, created, { 'idempotent-replayed': 'true' }));
      const replayed = await callOf(php, 'createDocument', [body], { retry: { attemptsMax: 2 } });
      expect(replayed.ok).toMatchObject({ replayed: true, idempotencyKey: expect.any(String) });
      // libcurl repeats of its own what a connection did not carry that was open from before.
      expect(server.arrived).toHaveLength(10);
      server.script(...Array.from({ length: 99 }, () => refuse('request_in_progress')));
      const retry = { attemptsMax: 2, firstDelayMs: 0, totalMs: 30_000 };
      const ended = await callOf(php, 'createDocument', [body], { retry });
      expect(ended.waits).toEqual(Array(29).fill(1000));
    });

    test('an attempt of PHP ends at its time limit', async (php) => {
      server.script(stayMute);
      const { error } = await callOf(php, 'createDocument', [body], { ...once, timeoutMs: 50 });
      expect(error).toMatchObject({ reason: 'timeout', outcomeUnknown: true });
    });

    test('another client of PSR-18 is taken in place of that of Guzzle', async (php) => {
      server.script(refuse('engine_error'), issued, answer(307, {}, { location: '/elsewhere' }), hangUp);
      const options = { ...once, http: 'psr18' } as const;
      expect((await callOf(php, 'createDocument', [body], { http: 'psr18' })).ok.response.attempts).toBe(2);
      expect((await callOf(php, 'getMe', [], options)).error).toMatchObject({ status: 307 });
      expect((await callOf(php, 'getMe', [], options)).error).toMatchObject({ reason: 'network' });
    });

    test('redirects are not followed in PHP, so the API key stays with its host', async (php) => {
      server.script(answer(307, {}, { location: '/elsewhere' }), issued);
      expect((await callOf(php, 'createDocument', [body])).error).toMatchObject({ status: 307 });
      expect(server.arrived).toHaveLength(1);
    });

    test('cancelDocument of PHP returns the cancelled document after a lost answer', async (php) => {
      const cancelled = replies.cancelDocument.quote.value;
      server.script(hangUp, refuse('already_cancelled'), answer(200, cancelled));
      expect((await callOf(php, 'cancelDocument', [id])).ok).toEqual(cancelled);
      expect(lines()).toEqual([
        `POST /v1/documents/${id}/cancel`,
        `POST /v1/documents/${id}/cancel`,
        `GET /v1/documents/${id}`,
      ]);
      server.script(refuse('already_cancelled'));
      expect((await callOf(php, 'cancelDocument', [id])).error).toMatchObject({ outcomeUnknown: false });
      server.script(hangUp, refuse('already_cancelled'), refuse('insufficient_scope'));
      expect((await callOf(php, 'cancelDocument', [id])).error).toMatchObject({
        errorCode: 'already_cancelled',
        outcomeUnknown: true,
      });
    });

    test('iterators of PHP fetch each page when it is needed, with the same query', async (php) => {
      const page = (numbers: number[], cursor: string | null) =>
        answer(200, { data: numbers.map((number) => ({ ...created, number })), next_cursor: cursor });
      const query = [{ type: 'quote', limit: 2 }];
      server.script(page([5, 4], 'c1'), refuse('engine_error'), page([3], null));
      const { ok } = await callOf(php, 'documents', query);
      expect(ok.map(({ number }: { number: number }) => number)).toEqual([5, 4, 3]);
      expect([...new Set(lines())]).toEqual([
        'GET /v1/documents?type=quote&limit=2',
        'GET /v1/documents?cursor=c1&type=quote&limit=2',
      ]);
      server.script(page([5, 4], 'c1'), page([3], null));
      await callOf(php, 'documents', query, {}, 2);
      expect(server.arrived).toHaveLength(1);
      const [one, two] = [eventExample('document.issued'), eventExample('delivery.sent')];
      server.script(
        answer(200, { data: [one], next_cursor: '1' }),
        answer(200, { data: [{ ...two, type: 'of.tomorrow' }], next_cursor: '2' }),
        answer(200, { data: [], next_cursor: '2' }),
      );
      const events = await callOf(php, 'events', [{ cursor: '0' }]);
      expect(events.ok).toEqual([one, { ...two, type: 'of.tomorrow' }]);
      expect(lines().at(-1)).toBe('GET /v1/events?cursor=2');
    });

    test('onResponse of PHP gets the facts of every response, and what it throws is ignored', async (php) => {
      const limits = { 'ratelimit-limit': '60', 'ratelimit-remaining': '59', 'ratelimit-reset': '12' };
      server.script(refuse('engine_error'), answer(201, created, limits));
      const { ok, facts } = await callOf(php, 'createDocument', [body, 'order-1'], { throws: true });
      expect(ok.document).toEqual(created);
      const shared = { requestId, replayed: false, idempotencyKey: 'order-1' };
      expect(facts).toEqual([
        { ...shared, status: 502, attempts: 1, rateLimit: null },
        { ...shared, status: 201, attempts: 2, rateLimit: { limit: 60, remaining: 59, resetSeconds: 12 } },
      ]);
    });

    test('what makes no sense is refused in PHP before anything is sent, and no dump has the API key', async (php) => {
      server.script();
      for (const [options, args] of [
        [{ timeoutMs: 0 }, [body]],
        [{ retry: { attemptsMax: 0 } }, [body]],
        [{ retry: { firstDelayMs: -1 } }, [body]],
        [{ baseUrl: 'api.example.com' }, [body]],
        [{ apiKey: '' }, [body]],
        [{ apiKey: 'מפתח' }, [body]],
        [{}, [body, 'a\r\nx: y']],
      ] as const) {
        const { error } = await callOf(php, 'createDocument', args, options);
        expect([options, error?.class]).toEqual([options, 'InvalidArgumentException']);
      }
      expect(server.arrived).toEqual([]);
      server.script(issued);
      await callOf(php, 'createDocument', [body, 'הזמנה-1']);
      const key = server.arrived[0]?.headers['idempotency-key'] as string;
      expect(Buffer.from(key, 'latin1').toString('utf8')).toBe('הזמנה-1');
      server.script(refuse('unauthorized'), hangUp, proxyPage(500));
      for (const method of ['getMe', 'getMe', 'getMe']) {
        const { dump, error } = await callOf(php, method, [], { ...once, dump: true });
        expect([error?.attempts, dump]).toEqual([1, expect.not.stringContaining(apiKey.slice(8))]);
      }
    });

    test('money of PHP is exact, and refuses what is no amount', async (php) => {
      const moneyOf = async (method: string, amount: string) => {
        const { ok, error } = await php.ask({ do: 'money', method, arguments: [amount] });
        return ok ?? error?.class;
      };
      for (const [method, amount, expected] of [
        ['of', '118', '118.00'],
        ['of', '118.5', '118.50'],
        ['of', '-0.07', '-0.07'],
        ['of', '9999999999999.99', '9999999999999.99'],
        ['of', '1.2300', '1.23'],
        ['of', '1.005', 'InvalidArgumentException'],
        ['of', '1,000.00', 'InvalidArgumentException'],
        ['of', '1e3', 'InvalidArgumentException'],
        ['of', ' 1', 'InvalidArgumentException'],
        ['of', '1\n', 'InvalidArgumentException'],
        ['of', '', 'InvalidArgumentException'],
        ['round', '84.745763', '84.75'],
        ['round', '1.005', '1.01'],
        ['round', '-1.005', '-1.01'],
        ['round', '-0.004', '0.00'],
        ['round', '0.9999', '1.00'],
      ] as const) {
        expect([method, amount, await moneyOf(method, amount)]).toEqual([method, amount, expected]);
      }
    });

    test('Webhook::verify of PHP returns the event of each type, and rejects what is not genuine', async (php) => {
      const [key, other] = [Buffer.alloc(32, 5), Buffer.alloc(32, 6)];
      const secretOf = (bytes: Buffer) => `whsec_${bytes.toString('base64')}`;
      const headersOf = (text: string, by = key, at = Date.now()) => {
        const timestamp = String(Math.floor(at / 1000));
        const signature = createHmac('sha256', by).update(`evt_1.${timestamp}.${text}`).digest('base64');
        return {
          'Webhook-Id': 'evt_1',
          'webhook-timestamp': timestamp,
          'Webhook-Signature': [`v1,${signature}`],
        };
      };
      const verify = (text: string, headers: object, secret = secretOf(key)) =>
        php.ask({ do: 'verify', arguments: [text, headers, secret] });
      for (const type of eventTypes) {
        const event = eventExample(type);
        const text = JSON.stringify(event);
        // PHP reads an empty object as an empty array.
        const data = Object.keys(event.data).length === 0 ? [] : event.data;
        expect((await verify(text, headersOf(text))).ok).toEqual({ ...event, data });
      }
      const text = JSON.stringify(eventExample('document.issued'));
      const rotated = [
        ...headersOf(text, other)['Webhook-Signature'],
        ...headersOf(text)['Webhook-Signature'],
      ];
      expect((await verify(text, { ...headersOf(text), 'Webhook-Signature': rotated })).ok).toBeDefined();
      const renamed = (change: (name: string) => string) =>
        Object.fromEntries(Object.entries(headersOf(text)).map(([name, value]) => [change(name), value]));
      const inWordPress = renamed((name) => name.toLowerCase().replaceAll('-', '_'));
      const inServer = renamed((name) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}`);
      for (const headers of [inWordPress, inServer]) {
        expect((await verify(text, headers)).ok).toEqual(eventExample('document.issued'));
      }
      const { 'Webhook-Signature': _, ...unsigned } = headersOf(text);
      for (const [given, headers] of [
        [`${text} `, headersOf(text)],
        [text, headersOf(text, other)],
        [text, { ...headersOf(text), 'Webhook-Id': 'evt_2' }],
        [text, unsigned],
        [text, headersOf(text, key, Date.now() - 301_000)],
        [text, {}],
      ] as const) {
        expect((await verify(given, headers)).error?.class).toBe('Pinkas\\WebhookVerificationException');
      }
      expect((await verify(text, unsigned)).error?.message).toBe('the header webhook-signature is missing');
      expect((await verify(text, headersOf(text, key, Date.now() - 301_000))).error?.message).toMatch(
        /^webhook-timestamp is more than five minutes off the clock of this machine: '\d{10}'$/,
      );
      expect((await verify(text, headersOf(text), 'whsec_!')).error?.class).toBe('InvalidArgumentException');
    });
  });
}
