import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument, type ErrorBody, type Route, setKillSwitch } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectRefusal } from '../error-table.js';
import { documentOf, newName, newTaxId, quote } from '../example-bodies.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { callRoute, keyRoutes } from './authentication.js';

const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Section 7, the codes faults, each from a real one; and the switch that turns the HTTP API off. */
export function faults(suite: Suite): void {
  describe('7 api_disabled', () => {
    let issuer: Issuer;
    let document: CreatedDocument;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      document = await suite.issued(issuer.key, quote());
      await suite.callContract(setKillSwitch, { enabled: false });
    });
    afterAll(() => suite.callContract(setKillSwitch, { enabled: true }));
    const eachRoute = it.each(keyRoutes.map((route) => [nameOf(route), route] as const));

    eachRoute('%s, with a key and without', async (_name, route) => {
      expectRefusal(await callRoute(suite, issuer.key, route), 'api_disabled');
      expectRefusal(await callRoute(suite, null, route), 'api_disabled');
    });

    it('decisions, Settled, Requests: it does not touch GET /errors, pages and PDFs', async () => {
      expect((await suite.get(null, '/errors')).status).toBe(200);
      for (const url of [document.view_url, document.pdf_url, `${suite.file.docs_url}/errors`]) {
        expect((await suite.visit(url)).status).toBe(200);
      }
    });

    it('api_disabled ends on the next request after api enable', async () => {
      await suite.callContract(setKillSwitch, { enabled: true });
      expect((await suite.get(issuer.key, '/me')).status).toBe(200);
      expect((await suite.issued(issuer.key, quote())).number).toBe(document.number + 1);
    });
  });

  describe('7 internal_error', () => {
    it('engine_error is the answer of every route while the database refuses the gateway, and its cause is not disclosed', async () => {
      const { key } = await suite.newIssuer();
      const secrets = JSON.parse(await readFile(join(suite.stack.home, 'secrets.json'), 'utf8')) as {
        rolePasswords: Record<string, string>;
      };
      const url = new URL(suite.file.postgres.gateway);
      url.username = 'pinkas_gateway_owner';
      url.password = secrets.rolePasswords.pinkas_gateway_owner ?? '';
      const owner = suite.stack.databaseAt<unknown>(url.href);
      try {
        await sql`revoke select on api_key from pinkas_gateway`.execute(owner);
        for (const route of keyRoutes) {
          const answer = await callRoute(suite, key, route);
          expectRefusal(answer, 'internal_error');
          expect(JSON.stringify(answer.body)).not.toMatch(/api_key|permission|select/);
        }
      } finally {
        await sql`grant select on api_key to pinkas_gateway`.execute(owner);
        await owner.destroy();
      }
      expect((await suite.get(key, '/me')).status).toBe(200);
    });
  });

  describe('7 document_generation_failed', () => {
    it.each([
      ['the renderer fails', { fail_every: 1 }],
      ['the renderer does not answer', { hang: true }],
    ])(
      'a rendering fails when %s; the same request with the same key is issued later, with the number',
      async (_why, mode) => {
        const { key } = await suite.newIssuer();
        const idempotencyKey = randomUUID();
        await suite.stack.setMode('gotenberg', mode);
        const failed = await suite.issue(key, quote(), idempotencyKey);
        await suite.stack.setMode('gotenberg', { fail_every: 0 });
        expectRefusal(failed, 'document_generation_failed');
        const again = await suite.issue(key, quote(), idempotencyKey);
        expect([again.status, again.body.number]).toEqual([201, 1]);
      },
    );
  });

  describe('7 engine_error', () => {
    /**
     * Breaks the connection of a service to NATS and calls while it is away; again where a call still reached it, and was lost with
     * it or answered.
     */
    const whileAway = (service: 'issuing' | 'customer', call: () => Promise<Answer<ErrorBody>[]>) =>
      eventually(`${service} is away while it is called`, async () => {
        const connection = suite.connectionOf(service);
        connection.reset();
        connection.cut();
        const answers = await call().finally(() => connection.forward());
        await suite.stack.awaitReady(service);
        return answers.every(({ status }) => status >= 400) && answers;
      });

    it('engine_error is the answer of every route that needs issuing while it is away', async () => {
      const { key } = await suite.newIssuer();
      const routes = keyRoutes.filter(({ path }) => path === '/me' || path.startsWith('/documents'));
      const answers = await whileAway('issuing', () =>
        Promise.all(routes.map((route) => callRoute(suite, key, route))),
      );
      for (const answer of answers) {
        expectRefusal(answer, 'engine_error');
      }
      await eventually('it answers again', async () => (await suite.get(key, '/me')).status === 200);
    });

    it('engine_error is the answer of GET /customers while the customer service is away', async () => {
      const { key } = await suite.newIssuer();
      const [answer] = await whileAway('customer', async () => [await suite.get(key, '/customers')]);
      expectRefusal(answer as Answer<ErrorBody>, 'engine_error');
      await eventually('it answers again', async () => (await suite.get(key, '/customers')).status === 200);
    });

    it('a request that failed may be sent again with the same key: one document is issued', async () => {
      const { key } = await suite.newIssuer();
      const idempotencyKey = randomUUID();
      const [refused] = await whileAway('issuing', async () => [
        await suite.issue(key, quote(), idempotencyKey),
      ]);
      expectRefusal(refused as Answer<ErrorBody>, 'engine_error');
      const answer = await eventually('it is issued', async () => {
        const sent = await suite.issue(key, quote(), idempotencyKey);
        return sent.status === 201 ? sent : undefined;
      });
      expect(answer.body.number).toBe(1);
      expect((await suite.me(key)).limits.used_today).toBe(1);
    });

    it('1.7 while allocation and delivery are unavailable a document is issued: failed and queued; what is pending comes later', async () => {
      const { key } = await suite.newIssuer({
        tax_authority_connected: true,
        auto_send: { enabled: true, channel: 'email', quiet_hours: null },
      });
      const to = `${randomUUID()}@example.com`;
      const away = ['allocation', 'delivery'] as const;
      for (const service of away) {
        suite.connectionOf(service).cut();
      }
      let document: CreatedDocument;
      try {
        document = await suite.issued(
          key,
          documentOf('tax_invoice', {
            customer: { name: newName(), tax_id: newTaxId(), email: to },
            items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 9_000 }],
          }),
        );
      } finally {
        for (const service of away) {
          suite.connectionOf(service).forward();
        }
      }
      expect(document.allocation).toMatchObject({ status: 'failed', number: null });
      expect(document.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
      await eventually(
        'the number and the mail have come',
        async () =>
          (await suite.read(key, document.id)).allocation_number !== null &&
          (await suite.stack.mailsTo(to)).length === 1,
      );
    });
  });
}
