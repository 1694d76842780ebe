import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ErrorBody,
  getMe,
  type NewDocument,
  postDocumentCancel,
  postDocuments,
  publicRoutes,
  type Route,
  toEventId,
} from '@pinkas/contracts';
import fc from 'fast-check';
import { Operator } from '../../harness/operator.js';
import { type RunningStack } from '../../harness/running-stack.js';
import type { WireAnswer } from '../../harness/send.js';
import { type Answered, expectHeaders, expectRefusal, expectRefused } from '../answers.js';
import { CheckedBook } from '../checked-book.js';
import { drawnRequest, fitted, plainRequest } from '../create-requests.js';
import * as rubbish from '../invalid-input.js';
import { written } from '../json-text.js';
import { changed, changes } from '../mutations.js';
import { holds, propertyTimeoutMs } from '../property.js';
import { bytesOf, type RawRequest, sendBytes } from '../raw-http.js';

const plainText = JSON.stringify(plainRequest);
const aUuid = '00000000-0000-4000-8000-000000000000';

export function requestBodies(system: () => RunningStack): void {
  describe('request bodies', () => {
    let stack: RunningStack;
    let operator: Operator;
    let book: CheckedBook;
    beforeAll(async () => {
      stack = system();
      operator = await Operator.at(stack);
      book = await CheckedBook.open(stack, operator);
    });
    afterAll(async () => {
      await operator?.close();
    });

    afterEach(() => book?.expectSound(), 60_000);

    /** What is before every path of the HTTP API. */
    const basePath = () => new URL(book.caller.baseUrl).pathname;
    const authorization = () => ['Authorization', `Bearer ${book.caller.key}`] as const;
    const jsonOrText = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    };
    const heard = ({ status, headers, text }: WireAnswer): Answered => ({
      status,
      headers,
      body: jsonOrText(text),
    });
    const send = async (request: RawRequest): Promise<Answered> =>
      heard(
        await sendBytes(
          book.caller.baseUrl,
          bytesOf({ ...request, target: `${basePath()}${request.target}` }),
          request.method === 'HEAD',
        ),
      );

    it(
      'a body that the schema accepts is issued or rejected by the first rule that applies',
      () =>
        holds(
          'valid bodies',
          fc.asyncProperty(drawnRequest, (drawn) =>
            book.post(JSON.stringify(fitted(drawn, book.model, book.today))),
          ),
          60,
        ),
      propertyTimeoutMs,
    );

    it(
      'a mutated body is rejected with the path of every validation error',
      () =>
        holds(
          'bodies that nearly match',
          fc.asyncProperty(drawnRequest, changes, (drawn, all) =>
            book.post(written(changed(fitted({ ...drawn, fits: true }, book.model, book.today), all))),
          ),
          150,
        ),
      propertyTimeoutMs,
    );

    it(
      'bytes that are not a JSON object in UTF-8 are rejected as such',
      () =>
        holds(
          'bytes',
          fc.asyncProperty(rubbish.bytes, rubbish.contentType, async ({ of, encoding }, type) => {
            const body = of(plainText);
            const day = book.today;
            const key = randomUUID();
            const answer = await send({
              method: 'POST',
              target: '/documents',
              headers: [
                authorization(),
                ['Idempotency-Key', key],
                ['Content-Type', type],
                ...(encoding ? [['Content-Encoding', encoding] as const] : []),
              ],
              body,
            });
            const text = body.toString();
            if (!rubbish.saysJson(type) || !Buffer.from(text).equals(body)) {
              const refused = body.length > 262_144 ? 'payload_too_large' : 'invalid_json';
              return expectRefused(answer, { code: refused }, postDocuments);
            }
            // A reader of JSON may overlook a byte order mark, or refuse it.
            const bare = text.replace(/^\ufeff/, '');
            if (bare !== text && answer.status === 400) {
              return expectRefused(answer, { code: 'invalid_json' }, postDocuments);
            }
            await book.judge(answer, bare, key, day);
          }),
          150,
        ),
      propertyTimeoutMs,
    );

    it(
      'an idempotency key of unusual characters issues once, and a missing or too long key issues nothing',
      () => {
        const issued = new Map<string, string>();
        return holds(
          'idempotency keys',
          fc.asyncProperty(rubbish.idempotencyKey, async (key) => {
            const answer = await send({
              method: 'POST',
              target: '/documents',
              headers: [authorization(), ['Content-Type', 'application/json'], ['Idempotency-Key', key]],
              body: Buffer.from(plainText),
            });
            const bytes = Buffer.from(key.replace(/^[ \t]+|[ \t]+$/g, ''), 'latin1');
            // A header is UTF-8 where it can be, and else what HTTP once said of it.
            const asText = Buffer.from(bytes.toString()).equals(bytes)
              ? bytes.toString()
              : bytes.toString('latin1');
            const characters = Array.from(asText).length;
            if (asText.trim() === '') {
              return expectRefused(answer, { code: 'missing_idempotency_key' }, postDocuments);
            }
            if (characters > 128) {
              const details = { errors: ['/headers/Idempotency-Key'] };
              return expectRefused(answer, { code: 'validation_error', details }, postDocuments);
            }
            expectHeaders(answer);
            const before = issued.get(bytes.toString('hex'));
            const { id } = answer.body as NewDocument;
            expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([
              201,
              before === undefined ? undefined : 'true',
            ]);
            if (before !== undefined) {
              return expect(id).toBe(before);
            }
            issued.set(bytes.toString('hex'), id);
            const expected = book.model.issue(plainRequest, book.today);
            if ('code' in expected) {
              throw new Error(`the model refuses a plain request: ${expected.code}`);
            }
            book.model.record(expected, asText, answer.body as NewDocument);
          }),
          40,
        );
      },
      propertyTimeoutMs,
    );

    /** A route with a real id in its path, or with another text in its place. */
    const targetOf = (route: Route, id: string) =>
      route.path.replace(':event_id', toEventId(randomUUID())).replace(/:(request_)?id/, id);
    /** Routes; a report has their names alone. */
    const named = (route: Route): Route =>
      Object.assign({ ...route }, { [fc.toStringMethod]: () => route.operation });
    const oneOf = (routes: readonly Route[]): fc.Arbitrary<Route> => fc.constantFrom(...routes.map(named));
    const anyRoute = oneOf(publicRoutes);
    /** A body and its headers, for the routes that take one. */
    const withBody = (route: Route) =>
      route.method === 'POST'
        ? {
            headers: [['Content-Type', 'application/json'] as const],
            body: Buffer.from('{}'),
          }
        : { headers: [] };

    it(
      'an unknown or repeated query parameter is named in the error of every route',
      () =>
        holds(
          'queries',
          fc.asyncProperty(anyRoute, rubbish.query, async (route, query) => {
            const { headers, body } = withBody(route);
            const document = book.model.documents[0]?.created.id ?? '';
            const answer = await send({
              method: route.method,
              target: `${targetOf(route, document)}?${query.split('#')[0]}`,
              headers: [authorization(), ['Idempotency-Key', 'never issued'], ...headers],
              ...(body ? { body } : {}),
            });
            // Those without a key share the budget of their address.
            if (route.access === 'anyone' && answer.status === 429) {
              return void expectRefusal(answer, route);
            }
            const known = Object.keys(route.query?.properties ?? {});
            // A list may also be written with brackets.
            const names = [...new URLSearchParams(query.split('#')[0]).keys()].map((name) =>
              known.includes('type') ? name.replace(/^type\[\d*\]$/, 'type') : name,
            );
            const wrong = names.filter(
              (name, index) => !known.includes(name) || names.indexOf(name) !== index,
            );
            if (answer.status === 200) {
              expectHeaders(answer);
              expect(wrong).toEqual([]);
              return;
            }
            const refusal = expectRefusal(answer, route, null);
            if (wrong.length === 0) {
              return;
            }
            expect(refusal).toBe('validation_error');
            const { errors } = (answer.body as ErrorBody).error.details as { errors: { path: string }[] };
            const pointers = wrong.map(
              (name) => `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
            );
            expect(errors.map((fault) => fault.path)).toEqual(expect.arrayContaining(pointers));
          }),
          200,
        ),
      propertyTimeoutMs,
    );

    it(
      'a path with an invalid document id answers 404',
      () =>
        holds(
          'path ids',
          fc.asyncProperty(
            oneOf(publicRoutes.filter((route) => route.path.includes(':id'))),
            rubbish.pathId,
            async (route, id) => {
              const { headers, body } = withBody(route);
              const answer = await send({
                method: route.method,
                target: targetOf(route, id),
                headers: [authorization(), ...headers],
                ...(body ? { body } : {}),
              });
              // What reaches no route counts for its address.
              const allowed = [
                'not_found',
                'rate_limited',
                ...(id.length > 8_000 ? ['validation_error'] : []),
              ];
              expect(allowed).toContain(expectRefusal(answer, null));
            },
          ),
          100,
        ),
      propertyTimeoutMs,
    );

    it(
      'a route answers with a catalogued status for any headers',
      () =>
        holds(
          'headers',
          fc.asyncProperty(
            oneOf([getMe, postDocuments, postDocumentCancel]),
            rubbish.strangeHeaders,
            async (route, strange) => {
              const { headers, body } = withBody(route);
              const answer = await send({
                method: route.method,
                target: targetOf(route, aUuid),
                headers: [authorization(), ...headers, ...strange],
                ...(body ? { body } : {}),
              });
              if (answer.status < 300) {
                expectHeaders(answer);
              } else {
                expectRefusal(answer, null, route);
              }
            },
          ),
          150,
          [[named(getMe), [['Expect', 'the unexpected']]]],
        ),
      propertyTimeoutMs,
    );

    it(
      'a method that a path does not support answers 404',
      () =>
        holds(
          'methods',
          fc.asyncProperty(anyRoute, rubbish.method, async (route, method) => {
            // HEAD is answered as GET is.
            const asked = method === 'HEAD' ? 'GET' : method;
            fc.pre(
              publicRoutes.every(
                (item) => item.path !== route.path || ![method, asked].includes(item.method),
              ),
            );
            const answer = await send({
              method,
              target: targetOf(route, aUuid),
              headers: [authorization(), ['Content-Type', 'application/json']],
              body: Buffer.from('{}'),
            });
            if (method === 'HEAD') {
              expect([404, 429]).toContain(answer.status);
              expectHeaders(answer);
            } else {
              expect(['not_found', 'validation_error', 'rate_limited']).toContain(
                expectRefusal(answer, null),
              );
            }
          }),
          100,
          [
            [named(getMe), 'CONNECT'],
            [named(getMe), 'QUERY'],
          ],
        ),
      propertyTimeoutMs,
    );

    it(
      'bytes that are not an HTTP request get an error answer',
      () =>
        holds(
          'no requests',
          fc.asyncProperty(rubbish.noRequest, async (bytes) => {
            expectRefusal(heard(await sendBytes(book.caller.baseUrl, bytes)), null, getMe);
          }),
          60,
          [[Buffer.from('GET /v1/me HTTP/1.1\r\n\r\n')]],
        ),
      propertyTimeoutMs,
    );

    it(
      'the book has every document that was issued for any of these requests',
      () => book.expectComplete(),
      60_000,
    );
  });
}
