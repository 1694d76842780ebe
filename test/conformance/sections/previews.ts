import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CustomerList, DocumentPage } from '@pinkas/contracts';
import { createDocumentExamples } from '@pinkas/contracts/openapi';
import { documentTypes } from '@pinkas/domain';
import { repositoryRoot } from '../../harness/sources.js';
import { expectRefusal } from '../error-table.js';
import { documentOf, newName, newTaxId, quote } from '../example-bodies.js';
import type { Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

/** POST /documents/preview: what issuing would do, and nothing of it is done. */
export function previews(suite: Suite): void {
  describe('4.9 POST /documents/preview', () => {
    let issuer: Issuer;
    beforeAll(async () => {
      issuer = await suite.newIssuer();
    });

    const seen = async () => {
      const { key } = issuer;
      const [profile, customers, documents] = await Promise.all([
        suite.me(key),
        suite.get<CustomerList>(key, '/customers?limit=50'),
        suite.get<DocumentPage>(key, '/documents?include_cancelled=true'),
      ]);
      return [profile.limits.used_today, customers.body.data, documents.body.data];
    };

    const answers = answersTo(documentTypes, async (type) => {
      const own = await suite.newIssuer();
      const invoice =
        type === 'credit_note'
          ? { based_on: (await suite.issued(own.key, createDocumentExamples.tax_invoice)).id }
          : {};
      const body = { ...createDocumentExamples[type], ...invoice };
      const previewed = await suite.preview(own.key, body);
      return { previewed, issued: await suite.issued(own.key, body) };
    });
    it.each(documentTypes)(
      'a preview of %s has the totals, the dates and the delivery of its document',
      (type) => {
        const { previewed, issued } = answers(type);
        const { date, due_date, totals, delivery } = issued;
        expect(previewed).toMatchObject({ status: 200, body: { type, date, due_date, totals, delivery } });
        expect(previewed.body).not.toHaveProperty('number');
      },
    );

    it('a preview takes no number, opens no card and counts for no day', async () => {
      const before = await seen();
      for (const body of [quote({ customer: { name: newName() } }), documentOf('tax_invoice')]) {
        const { status, body: preview } = await suite.preview(issuer.key, body);
        expect([status, preview.customer]).toEqual([200, { id: null, matched_by: null }]);
      }
      expect(await seen()).toEqual(before);
      expect((await suite.issued(issuer.key, quote())).number).toBe(1);
    });

    it('the order form of the client shows the totals of an order, and issues it once', async () => {
      const { key } = await suite.newIssuer();
      const child = spawn(
        process.execPath,
        [join(repositoryRoot, 'packages/client/examples/order-form.mjs')],
        {
          env: { PATH: process.env.PATH, PINKAS_BASE_URL: suite.file.base_url, PINKAS_KEY: key, PORT: '0' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      try {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        const url = `http://127.0.0.1:${line.toString().match(/\d+/)?.[0]}/`;
        const send = async (act: string, fields: Record<string, string>) => {
          const body = new URLSearchParams({
            name: 'לקוח',
            item: 'פריט',
            quantity: '2',
            price: '50',
            act,
            ...fields,
          });
          return (await fetch(url, { method: 'POST', body })).text();
        };
        const form = await (await fetch(url)).text();
        const idempotencyKey = form.match(/name="key" value="([^"]+)"/)?.[1] ?? '';
        expect(await send('compute', { key: idempotencyKey })).toContain('VAT 18, in all 118 ILS');
        expect(await send('compute', { name: '' })).toContain('/customer/name');
        const ordered = await Promise.all([1, 2].map(() => send('order', { key: idempotencyKey })));
        expect(ordered.map((page) => page.match(/Invoice \d+: \d+ ILS/)?.[0])).toEqual([
          'Invoice 1: 118 ILS',
          'Invoice 1: 118 ILS',
        ]);
      } finally {
        child.kill();
      }
    });

    it('a preview needs no Idempotency-Key, and counts for the rate limit', async () => {
      const first = await suite.preview(issuer.key, quote());
      const second = await suite.preview(issuer.key, quote());
      expect([first.status, second.status]).toEqual([200, 200]);
      const left = [first, second].map(({ headers }) => Number(headers['ratelimit-remaining']));
      expect(left[1]).not.toBe(left[0]);
    });

    it('a preview names the card of the customer, by its id and by its name', async () => {
      const { key } = issuer;
      const customer = { name: newName(), email: 'customer@example.com' };
      const { customer: card } = await suite.issued(key, quote({ customer }));
      const byName = await suite.preview(key, quote({ customer: { name: customer.name } }));
      const byId = await suite.preview(key, quote({ customer: { id: card.id ?? '' } }));
      expect([byName.body.customer, byId.body.customer]).toEqual([
        { id: card.id, matched_by: 'name' },
        { id: card.id, matched_by: 'id' },
      ]);
    });

    it('a preview warns of a phone number with fewer than seven digits, which is kept', async () => {
      const customer = { name: newName(), phone: '050-----' };
      const { body } = await suite.preview(issuer.key, quote({ customer }));
      expect(body.warnings.map(({ code }) => code)).toContain('phone_unusable');
      const usable = await suite.preview(
        issuer.key,
        quote({ customer: { ...customer, phone: '050-0000000' } }),
      );
      expect(usable.body.warnings.map(({ code }) => code)).not.toContain('phone_unusable');
    });

    it('a preview says whether an allocation number will be asked for, and warns where none can be', async () => {
      const items = [{ description: 'פריט', quantity: 1, unit_price: 30_000 }];
      const customer = { name: newName(), tax_id: '777777715', email: 'customer@example.com' };
      await suite.change(issuer, { tax_authority_connected: true });
      const required = await suite.preview(issuer.key, documentOf('tax_invoice', { items, customer }));
      expect([required.body.allocation, required.body.warnings]).toEqual([{ status: 'required' }, []]);
      await suite.change(issuer, { tax_authority_connected: false });
      const { body } = await suite.preview(issuer.key, documentOf('tax_invoice', { items, customer }));
      expect(body.allocation).toEqual({ status: 'not_required' });
      expect(body.warnings).toEqual([
        {
          code: 'number_not_connected',
          message: expect.stringMatching(/not connected/),
          message_he: expect.stringMatching(/אינו מחובר/),
        },
      ]);
    });

    it('a preview warns of an invoice above 5,000 net without the number of its buyer, who is no private person', async () => {
      await suite.change(issuer, { tax_authority_connected: false });
      const warnedOf = async (type: 'tax_invoice' | 'quote', unit_price: number, buyer: object = {}) => {
        const items = [{ description: 'פריט', quantity: 1, unit_price }];
        const customer = { name: newName(), ...buyer };
        const body = documentOf(type, { items, customer, prices_include_vat: false });
        return (await suite.preview(issuer.key, body)).body.warnings.filter(
          ({ code }) => code === 'customer_tax_id_missing',
        );
      };
      expect(await warnedOf('tax_invoice', 5_000.01)).toEqual([
        {
          code: 'customer_tax_id_missing',
          message: expect.stringMatching(/tax id/),
          message_he: expect.stringMatching(/[א-ת]/),
        },
      ]);
      expect(await warnedOf('tax_invoice', 5_000)).toEqual([]);
      expect(await warnedOf('quote', 9_000)).toEqual([]);
      expect(await warnedOf('tax_invoice', 9_000, { legal_type: 'private' })).toEqual([]);
      expect(await warnedOf('tax_invoice', 9_000, { tax_id: newTaxId() })).toEqual([]);
    });

    it('a body is checked as that of a document is', async () => {
      const { key } = issuer;
      const bytes = (text: string | Buffer) => suite.preview(key, undefined, { bytes: Buffer.from(text) });
      expectRefusal(await bytes(Buffer.alloc(262_145, ' ')), 'payload_too_large');
      expectRefusal(await bytes('{'), 'invalid_json');
      expectRefusal(await suite.preview(key, quote({ items: [] })), 'validation_error');
    });
  });
}
