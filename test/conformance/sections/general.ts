import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type CreatedDocument, isUuid } from '@pinkas/contracts';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, newName, newTaxId, quote } from '../example-bodies.js';
import { dayInIsrael } from '../israel-time.js';
import type { Issuer, Suite } from '../suite.js';

/** Section 1 of the HTTP API: the rules that hold everywhere. */
export function generalRules(suite: Suite): void {
  describe('1 general rules', () => {
    let issuer: Issuer;
    let stranger: Issuer;
    let invoice: CreatedDocument;
    beforeAll(async () => {
      [issuer, stranger] = await Promise.all([suite.newIssuer(), suite.newIssuer()]);
      invoice = await suite.issued(issuer.key, documentOf('tax_invoice', { customer: { name: newName() } }));
    });

    it('1.1 the base address ends with the version', () => {
      expect(suite.file.base_url).toMatch(/\/v1$/);
    });

    it('1.2 a browser is given no leave to call from another site', async () => {
      const origin = { origin: 'https://shop.example.com' };
      const preflight = await suite.call(issuer.key, 'OPTIONS', '/documents', {
        headers: { ...origin, 'access-control-request-method': 'POST' },
      });
      expectRefusal(preflight, 'not_found');
      // That no answer carries a CORS header is held against every answer of this suite.
      expect((await suite.call(issuer.key, 'GET', '/me', { headers: origin })).status).toBe(200);
    });

    it('1.3 Hebrew and everything else of Unicode goes in and comes out as UTF-8', async () => {
      const text = 'שלום — “hello” – 你好 😀 é';
      const { id } = await suite.issued(
        issuer.key,
        quote({ notes: text, title: text, external_ref: '😀', customer: { name: `א ${text}` } }),
      );
      expect(await suite.read(issuer.key, id)).toMatchObject({
        notes: text,
        title: text,
        external_ref: '😀',
        customer: { name: `א ${text}` },
      });
    });

    it('1.4 money is a JSON number in ILS', async () => {
      const answer = await suite.issue(
        issuer.key,
        quote({ items: [{ description: 'א', quantity: 3, unit_price: 0.1 }] }),
      );
      expect(answer.body.totals).toEqual({
        subtotal: 0.3,
        discount: 0,
        vat: 0.05,
        vat_rate: 18,
        total: 0.35,
        paid: 0,
        currency: 'ILS',
      });
    });

    it('1.4 dates are days in Israel, timestamps are instants in UTC', async () => {
      const today = dayInIsrael();
      const before = Date.now();
      const { date, created_at } = await suite.issued(issuer.key, quote());
      expect([today, dayInIsrael()]).toContain(date);
      expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/);
      // Two processes of one machine: their clocks are one.
      expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before - 1_000);
      expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now() + 1_000);
    });

    it('1.5 every id is a UUID', () => {
      expect([isUuid(invoice.id), isUuid(invoice.customer.id ?? '')]).toEqual([true, true]);
    });

    it.each([
      ['reading it', 'not_found', () => suite.get(stranger.key, `/documents/${invoice.id}`)],
      ['cancelling it', 'not_found', () => suite.cancel(stranger.key, invoice.id)],
      [
        'basing a document on it',
        'based_on_not_found',
        () => suite.issue(stranger.key, documentOf('receipt', { based_on: invoice.id })),
      ],
      [
        'naming its customer',
        'customer_not_found',
        () => suite.issue(stranger.key, quote({ customer: { id: invoice.customer.id ?? '' } })),
      ],
    ] as const)('1.5 a document of another business does not exist: %s', async (_what, code, attempt) => {
      const answer = await attempt();
      expectRefusal(answer, code);
      expect(JSON.stringify(answer.body)).not.toContain(invoice.id);
    });

    it.each([
      'number',
      'vat_rate',
      'vat_exempt',
      'allocation_number',
      'allocation',
      'status',
      'total',
      'totals',
      'subtotal',
      'vat',
      'currency',
      'public_id',
      'created_at',
    ])('1.6 the caller never sends %s', async (member) => {
      const answer = await suite.issue(issuer.key, { ...quote(), [member]: 1 });
      expect(faultPathsOf(answer)).toEqual([`/${member}`]);
    });

    it('1.9 an issued document cannot be deleted, replaced or changed', async () => {
      for (const method of ['DELETE', 'PUT', 'PATCH']) {
        expectRefusal(await suite.call(issuer.key, method, `/documents/${invoice.id}`), 'not_found');
      }
      expect((await suite.read(issuer.key, invoice.id)).number).toBe(invoice.number);
    });

    it('1.9 a cancelled document keeps its number in the book', async () => {
      const own = await suite.newIssuer();
      const first = await suite.issued(own.key, quote());
      expect((await suite.cancel(own.key, first.id)).status).toBe(200);
      expect((await suite.issued(own.key, quote())).number).toBe(first.number + 1);
      expect((await suite.read(own.key, first.id)).number).toBe(first.number);
    });

    it('1.9 an accounting document is reversed by a credit note, and stays', async () => {
      const source = await suite.issued(issuer.key, documentOf('tax_invoice'));
      expectRefusal(await suite.cancel(issuer.key, source.id), 'use_credit_note');
      const credit = await suite.issued(issuer.key, documentOf('credit_note', { based_on: source.id }));
      expect([credit.based_on, credit.totals.total]).toEqual([source.id, source.totals.total]);
      expect(await suite.read(issuer.key, source.id)).toMatchObject({ id: source.id, cancelled_at: null });
    });

    it('5.2 the key decides about the business: the same request makes a document in each', async () => {
      const idempotencyKey = randomUUID();
      const customer = { name: newName(), tax_id: newTaxId() };
      const [one, other] = await Promise.all([
        suite.issued(issuer.key, documentOf('order', { customer }), idempotencyKey),
        suite.issued(stranger.key, documentOf('order', { customer }), idempotencyKey),
      ]);
      expect(one.id).not.toBe(other.id);
      expect(one.customer.id).not.toBe(other.customer.id);
    });
  });
}
