import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { NewDocument } from '@pinkas/contracts';
import { expectRefusal, faultPathsOf } from '../error-table.js';
import { documentOf, newName, newTaxId, quote } from '../example-bodies.js';
import { dayInIsrael } from '../israel-time.js';
import type { Issuer, Suite } from '../suite.js';

/** Sections 2.4 and 4.6: the document, as it is created and as it is read. */
export function documentObject(suite: Suite): void {
  describe('2.4 the document', () => {
    let issuer: Issuer;
    let source: NewDocument;
    let created: NewDocument;
    const customer = { name: newName(), tax_id: newTaxId() };
    const date = dayInIsrael(-3);
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      source = await suite.issued(issuer.key, documentOf('order', { customer }));
      created = await suite.issued(issuer.key, {
        type: 'tax_invoice_receipt',
        date,
        customer: { ...customer, email: 'customer@example.com', phone: '03-0000000', city: 'חיפה' },
        items: [
          { description: 'פריט א', quantity: 2.5, unit_price: 10.1, sku: 'A-1' },
          { description: 'פריט ב', quantity: 1, unit_price: 74.75 },
        ],
        prices_include_vat: false,
        discount: { type: 'percent', value: 10 },
        payments: [
          {
            method: 'check',
            amount: 50,
            check_number: '77',
            check_date: date,
            bank_code: 12,
            branch: '600',
            account: '1234',
          },
          { method: 'credit_card', amount: 50, date, card_last_digits: '0007', card_type: 'Example' },
          { method: 'wallet_method_1', amount: 6.2, reference: 'R-9' },
        ],
        based_on: source.id,
        title: 'כותרת לדוגמה',
        notes: 'הערה לדוגמה',
        expected_total: 106.2,
        external_ref: 'order-42',
      });
    });

    it('2.4 a creation answers all that it promises, and nothing else', () => {
      expect(created).toEqual({
        id: created.id,
        public_id: created.public_id,
        type: 'tax_invoice_receipt',
        number: 1,
        status: 'closed',
        date,
        due_date: null,
        external_ref: 'order-42',
        customer: { id: source.customer.id, name: customer.name, tax_id: customer.tax_id },
        totals: {
          subtotal: 100,
          discount: 10,
          vat: 16.2,
          vat_rate: 18,
          total: 106.2,
          paid: 106.2,
          currency: 'ILS',
        },
        allocation_number: null,
        allocation: { status: 'not_required', number: null, reason: created.allocation.reason },
        delivery: { status: 'disabled', channel: null, scheduled_for: null },
        view_url: `${suite.file.view_url_base}/${created.public_id}`,
        pdf_url: `${suite.file.pdf_url_base}/${created.public_id}`,
        based_on: source.id,
        cancelled_at: null,
        created_at: created.created_at,
        warnings: [{ code: 'date_in_past', message: expect.any(String), message_he: expect.any(String) }],
      });
      expect(created.allocation.reason).toMatch(/\S/);
    });

    it('4.6 reading adds title, notes, items and payments to what lists show', async () => {
      const { warnings: _warnings, ...same } = created;
      expect(await suite.read(issuer.key, created.id)).toEqual({
        ...same,
        title: 'כותרת לדוגמה',
        notes: 'הערה לדוגמה',
        items: [
          { description: 'פריט א', quantity: 2.5, unit_price: 10.1, line_total: 25.25, sku: 'A-1' },
          { description: 'פריט ב', quantity: 1, unit_price: 74.75, line_total: 74.75, sku: null },
        ],
        payments: [
          {
            method: 'check',
            amount: 50,
            date,
            reference: null,
            check_number: '77',
            bank_code: 12,
            card_last_digits: null,
          },
          {
            method: 'credit_card',
            amount: 50,
            date,
            reference: null,
            check_number: null,
            bank_code: null,
            card_last_digits: '0007',
          },
          {
            method: 'wallet_method_1',
            amount: 6.2,
            date,
            reference: 'R-9',
            check_number: null,
            bank_code: null,
            card_last_digits: null,
          },
        ],
      });
    });

    it('4.6 what was not sent is null, and a document without payments has none', async () => {
      const { id } = await suite.issued(issuer.key, quote({ customer: { name: newName() } }));
      expect(await suite.read(issuer.key, id)).toMatchObject({
        title: null,
        notes: null,
        external_ref: null,
        due_date: null,
        based_on: null,
        payments: [],
        customer: { tax_id: null },
      });
    });

    it('4.6 a document that is missing or foreign, and an id that is no UUID, are not_found', async () => {
      const stranger = await suite.newIssuer();
      expectRefusal(await suite.get(stranger.key, `/documents/${created.id}`), 'not_found');
      for (const id of [randomUUID(), '', '17', created.public_id, `${created.id}0`, '%00', '..%2fme']) {
        expectRefusal(await suite.get(issuer.key, `/documents/${id}`), 'not_found');
      }
    });

    it('4.6 a UUID may be written in upper case', async () => {
      const answer = await suite.get<{ id: string }>(issuer.key, `/documents/${created.id.toUpperCase()}`);
      expect([answer.status, answer.body.id]).toEqual([200, created.id]);
    });

    it('4.6 takes no parameters', async () => {
      const answer = await suite.get(issuer.key, `/documents/${created.id}?expand=items`);
      expect(faultPathsOf(answer)).toEqual(['/query/expand']);
    });

    it('decisions, Settled, Fields: public_id carries at least 128 bits, and every document has its own', async () => {
      const others = await Promise.all([1, 2, 3].map(() => suite.issued(issuer.key, quote())));
      const ids = [created, source, ...others].map(({ public_id }) => public_id);
      expect(new Set(ids).size).toBe(ids.length);
      // 22 letters of an alphabet of 64 have 132 bits.
      for (const id of ids) {
        expect(id).toMatch(/^[A-Za-z0-9_-]{22,64}$/);
      }
    });
  });
}
