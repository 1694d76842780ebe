import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type BusinessChange,
  type ErrorBody,
  type ErrorCode,
  publicRoutes,
  type Route,
  revokeKey,
  type Scope,
  scopes,
  toEventId,
} from '@pinkas/contracts';
import { aLongMinute } from '../avoid-minute-end.js';
import { expectRefusal } from '../error-table.js';
import { quote } from '../example-bodies.js';
import type { Answer, CallOptions, Issuer, Suite } from '../suite.js';

/** The routes that need a key. */
export const keyRoutes: readonly Route[] = publicRoutes.filter(({ access }) => access === 'key');

/** The path of a route with an id that nothing has. */
const pathOf = ({ path }: Route): string =>
  path.replace(':event_id', toEventId(randomUUID())).replace(/:(request_)?id/, randomUUID());

/** Calls a route as validly as any route can be called that knows no document. */
export function callRoute(
  suite: Suite,
  key: string | null,
  route: Route,
  options: CallOptions = {},
): Promise<Answer<ErrorBody>> {
  return suite.call(key, route.method, pathOf(route), {
    ...(route.issues ? { body: quote() } : {}),
    ...options,
    headers: { ...(route.idempotent ? { 'idempotency-key': randomUUID() } : {}), ...options.headers },
  });
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** What a call without a document answers when nothing refuses it before. */
function expectThrough(answer: Answer<ErrorBody>, route: Route): void {
  if (/:(event_|request_)?id/.test(route.path)) {
    expectRefusal(answer, 'not_found');
  } else {
    expect(answer.status).toBe(route.successStatus);
  }
}

/** Section 5: keys, scopes and the state of the business, on every route. */
export function authentication(suite: Suite): void {
  describe('5 authentication', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });
    const eachRoute = it.each(keyRoutes.map((route) => [nameOf(route), route] as const));

    it('4 the routes are those of the HTTP API', () => {
      expect(keyRoutes.map(nameOf).sort()).toEqual(
        [
          'GET /me',
          'GET /document-types',
          'POST /documents',
          'POST /documents/preview',
          'GET /documents',
          'GET /documents/:id',
          'POST /documents/:id/cancel',
          'GET /customers',
          'GET /events',
          'GET /events/:event_id',
          'GET /requests/:request_id',
        ].sort(),
      );
      expect(publicRoutes.map(({ path }) => path)).toContain('/errors');
    });

    eachRoute('5.5 %s without a key is unauthorized', async (_name, route) => {
      expectRefusal(await callRoute(suite, null, route), 'unauthorized');
    });

    eachRoute('5.5 %s with a wrong key is unauthorized', async (_name, route) => {
      const address = suite.newAddress();
      for (const wrong of ['nonsense', issuer.key.slice(0, -1), `${issuer.key}x`, issuer.key.toUpperCase()]) {
        expectRefusal(await callRoute(suite, wrong, route, { address }), 'unauthorized');
      }
    });

    eachRoute(
      '5.5 %s with a revoked key is key_revoked, from the moment of revocation',
      async (_name, route) => {
        const { id, key } = await suite.newKey(issuer.business.id);
        expectThrough(await callRoute(suite, key, route), route);
        await suite.callContract(revokeKey, { key_id: id });
        expectRefusal(await callRoute(suite, key, route, { address: suite.newAddress() }), 'key_revoked');
      },
    );

    it('5.3 a business may hold several keys, and the others outlive a revoked one', async () => {
      const { id } = await suite.newKey(issuer.business.id);
      await suite.callContract(revokeKey, { key_id: id });
      expect((await suite.me(issuer.key)).business.id).toBe(issuer.business.id);
    });

    it.each([
      ['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
      ['authorization: bearer', (key: string) => ({ authorization: `bearer ${key}` })],
      ['X-Api-Key', (key: string) => ({ 'x-api-key': key })],
    ])('5.1 the key may come as %s', async (_how, headers) => {
      const answer = await suite.call(null, 'GET', '/me', { headers: headers(issuer.key) });
      expect(answer.status).toBe(200);
    });

    it.each([
      [
        'Authorization: Basic',
        (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
      ],
      ['Authorization without a scheme', (key: string) => ({ authorization: key })],
      ['a cookie', (key: string) => ({ cookie: `key=${key}` })],
    ])('5.1 and not as %s', async (_how, headers) => {
      expectRefusal(await suite.call(null, 'GET', '/me', { headers: headers(issuer.key) }), 'unauthorized');
    });

    it.each([
      ['the same line twice', (key: string) => ({ 'x-api-key': [key, key] })],
      [
        'Basic credentials next to X-Api-Key',
        (key: string) => ({ authorization: 'Basic eDp4', 'x-api-key': key }),
      ],
    ])('decisions, Repeated headers: the key may come with %s', async (_how, headers) => {
      const answer = await suite.call(null, 'GET', '/me', { headers: headers(issuer.key) });
      expect(answer.status).toBe(200);
    });

    it('decisions, Repeated headers: two different keys are unauthorized', async () => {
      const { key } = await suite.newKey(issuer.business.id);
      for (const headers of [
        { 'x-api-key': [key, issuer.key] },
        { authorization: `Bearer ${key}`, 'x-api-key': issuer.key },
      ]) {
        expectRefusal(await suite.call(null, 'GET', '/me', { headers }), 'unauthorized');
      }
    });

    it('5.1 and not in the query', async () => {
      expectRefusal(await suite.get(null, `/me?api_key=${issuer.key}`), 'unauthorized');
    });

    describe('5.4 scopes', () => {
      const keys = new Map<Scope, string>();
      beforeAll(async () => {
        await Promise.all(
          scopes.map(async (scope) =>
            keys.set(scope, (await suite.newKey(issuer.business.id, { scopes: [scope] })).key),
          ),
        );
      });
      /** The decisions on scopes. */
      const needed: Record<string, Scope | null> = {
        'GET /me': null,
        'GET /document-types': null,
        'POST /documents': 'documents:write',
        'POST /documents/preview': 'documents:write',
        'POST /documents/:id/cancel': 'documents:write',
        'GET /documents': 'documents:read',
        'GET /documents/:id': 'documents:read',
        'GET /customers': 'customers:read',
        'GET /events': 'documents:read',
        'GET /events/:event_id': 'documents:read',
        'GET /requests/:request_id': null,
      };
      const table = keyRoutes.flatMap((route) =>
        scopes.map((scope) => [nameOf(route), scope, route] as const),
      );
      it.each(table)('decisions, Scopes: %s with a key that has %s', async (name, scope, route) => {
        const answer = await callRoute(suite, keys.get(scope) ?? '', route);
        if (needed[name] === null || needed[name] === scope) {
          expectThrough(answer, route);
        } else {
          expectRefusal(answer, 'insufficient_scope');
        }
      });
    });

    describe('5.6 the state of the business', () => {
      const states: [ErrorCode, BusinessChange][] = [
        ['business_archived', { archived: true }],
        ['external_provider_not_supported', { provider: 'external' }],
        ['business_profile_incomplete', { legal_type: null }],
        ['subscription_required', { subscription: 'inactive' }],
      ];
      const keys = new Map<string, string>();
      let expensesOnly: Issuer;
      beforeAll(async () => {
        expensesOnly = await suite.newIssuer({ track: 'expenses_only' });
        await Promise.all(
          states.map(async ([code, settings]) => keys.set(code, (await suite.newIssuer(settings)).key)),
        );
      });
      const table = states.flatMap(([code]) =>
        keyRoutes.map((route) => [code, nameOf(route), route] as const),
      );
      it.each(table)('%s on %s', async (code, _name, route) => {
        const answer = await callRoute(suite, keys.get(code) ?? '', route);
        expectRefusal(answer, code);
      });

      it('subscription_required says where to pay', async () => {
        const answer = await suite.get(keys.get('subscription_required') ?? '', '/me');
        expect(URL.canParse(String(answer.body.error.details?.payment_url))).toBe(true);
      });

      eachRoute(
        '4 and 5.6 the expenses-only track blocks issuing and nothing else: %s',
        async (_name, route) => {
          const answer = await callRoute(suite, expensesOnly.key, route);
          if (route.issues) {
            expectRefusal(answer, 'issuing_blocked_expenses_only');
          } else {
            expectThrough(answer, route);
          }
        },
      );

      it('a change of the business takes effect on the very next request', async () => {
        const own = await suite.newIssuer();
        await suite.change(own, { archived: true });
        expectRefusal(await suite.get(own.key, '/me'), 'business_archived');
        await suite.change(own, { archived: false });
        expect((await suite.get(own.key, '/me')).status).toBe(200);
      });
    });

    describe('5 the limit on every route', () => {
      let spent: string;
      beforeAll(async () => {
        await aLongMinute();
        spent = (await suite.newKey(issuer.business.id, { per_minute: 1 })).key;
        await suite.get(spent, '/me');
      });
      eachRoute('%s is rate_limited', async (_name, route) => {
        expectRefusal(await callRoute(suite, spent, route), 'rate_limited');
      });
    });
  });

  describe('decisions, Strictness: what does not exist', () => {
    let key: string;
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
    });
    const nowhere: [string, string][] = [
      ['GET', '/'],
      ['GET', '/nothing'],
      ['GET', '/me/'],
      ['GET', '/ME'],
      ['GET', '//me'],
      ['GET', '/documents//cancel'],
      ['GET', '/customers/17'],
      ['GET', '/errors/not_found'],
      ['GET', '/%zz'],
      ['GET', `/${'x'.repeat(2_000)}`],
      ['POST', '/me'],
      ['POST', '/customers'],
      ['POST', '/errors'],
      ['PUT', '/documents'],
      ['PATCH', '/documents'],
      ['DELETE', '/documents'],
      ['DELETE', '/me'],
      ['HEAD', '/nothing'],
      ['OPTIONS', '/documents'],
      ['PROPFIND', '/me'],
    ];
    it.each(nowhere)('%s %s is not_found, with a key and without', async (method, path) => {
      for (const one of [key, null]) {
        const answer = await suite.call(one, method, path, { address: suite.newAddress() });
        if (method === 'HEAD') {
          expect(answer.status).toBe(404);
        } else {
          expectRefusal(answer, 'not_found');
        }
      }
    });

    it('another version of the HTTP API is not_found', async () => {
      const { status } = await suite.visit(suite.file.base_url.replace('/v1', '/v2/me'));
      expect(status).toBe(404);
    });
  });
}
