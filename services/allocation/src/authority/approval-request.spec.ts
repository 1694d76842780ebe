import { describe, expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { approvalRequest } from './approval-request.js';

const business = { tax_id: '039337423', name: 'עסק לדוגמה עם שם ארוך מאוד בע"מ' } as Business;

const document = (change: Partial<IssuedDocument> = {}): IssuedDocument =>
  ({
    id: '0d6a8f7e-8c3e-4b3d-9a54-5f3f2f0f0a01',
    number: 1042,
    date: '2026-06-15',
    issued_at: '2026-06-15T21:30:00.000Z',
    prices_include_vat: false,
    customer: { tax_id: '12344', name: '👩‍🚀'.repeat(20) },
    items: [
      {
        description: 'D'.repeat(200),
        quantity: 1.3333,
        unit_price: 4500.1,
        line_total: 5999.98,
        sku: 'S'.repeat(64),
      },
    ],
    totals: { subtotal: 5999.98, discount: 0.1, vat: 1079.98, vat_rate: 18, total: 7079.86, currency: 'ILS' },
    ...change,
  }) as IssuedDocument;

const parts = { invoiceType: 305, accountingSoftwareNumber: 99999999 };

describe('approvalRequest', () => {
  it('approvalRequest is the same for the same document, under its id', () => {
    expect(approvalRequest(document(), business, parts)).toEqual(
      approvalRequest(document(), business, parts),
    );
    expect(approvalRequest(document(), business, parts).invoice_id).toBe(document().id);
  });

  it("approvalRequest has the document's net, discount, VAT and gross amounts", () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      invoice_type: 305,
      amount_before_discount: 5999.98,
      discount: 0.1,
      payment_amount: 5999.88,
      vat_amount: 1079.98,
      payment_amount_including_vat: 7079.86,
    });
  });

  it('approvalRequest writes tax ids as numbers without leading zeros', () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      vat_number: 39337423,
      customer_vat_number: 12344,
    });
  });

  it('approvalRequest has the printed date and the day of issue in Israel', () => {
    expect(approvalRequest(document(), business, parts)).toMatchObject({
      invoice_date: '2026-06-15',
      invoice_issuance_date: '2026-06-16',
    });
  });

  it('approvalRequest truncates texts to the field lengths between characters', () => {
    const { user_name, customer_name, items } = approvalRequest(document(), business, parts);
    expect(user_name).toBe('עסק לדוגמה עם שם ארוך מאו');
    // Five units each: whole astronauts, and no half of one.
    expect(customer_name).toBe('👩‍🚀'.repeat(5));
    expect(items[0]?.description).toHaveLength(30);
    expect(items[0]?.catalog_id).toHaveLength(13);
  });

  it('approvalRequest rounds quantities to two decimals and keeps exact totals', () => {
    expect(approvalRequest(document(), business, parts).items[0]).toMatchObject({
      index: 1,
      quantity: 1.33,
      price_per_unit: 4500.1,
      total_amount: 5999.98,
      vat_rate: 18,
      vat_amount: 1080,
    });
  });

  it('approvalRequest subtracts the VAT from lines whose prices include it', () => {
    const items = [{ description: 'x', quantity: 1, unit_price: 118, line_total: 118, sku: null }];
    expect(approvalRequest(document({ prices_include_vat: true, items }), business, parts).items).toEqual([
      {
        index: 1,
        description: 'x',
        quantity: 1,
        price_per_unit: 100,
        discount: 0,
        total_amount: 100,
        vat_rate: 18,
        vat_amount: 18,
      },
    ]);
  });
});
