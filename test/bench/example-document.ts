import { randomBytes, randomUUID } from 'node:crypto';
import type { Business, IssuedDocument } from '@pinkas/contracts';

/** A line as a request has it. */
export interface ExampleItem {
  readonly description: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly sku?: string;
}

/** An invoice of plain demo data with these lines. Its totals are those of the three lines that are issued for measuring. */
export function exampleDocument(business: Business, items: readonly ExampleItem[]): IssuedDocument {
  return {
    id: randomUUID(),
    business_id: business.id,
    public_id: randomBytes(16).toString('base64url'),
    type: 'tax_invoice',
    number: 1_000,
    date: '2026-06-15',
    due_date: '2026-07-15',
    issued_at: '2026-06-15T08:00:00.000Z',
    external_ref: null,
    customer: {
      id: randomUUID(),
      name: 'לקוח למדידה',
      tax_id: '777777723',
      legal_type: null,
      email: null,
      phone: null,
      address: null,
      city: 'ירושלים',
    },
    items: items.map((item) => ({
      ...item,
      sku: item.sku ?? null,
      line_total: item.quantity * item.unit_price,
    })),
    prices_include_vat: false,
    discount: null,
    payments: [],
    totals: { subtotal: 279.9, discount: 0, vat: 50.38, vat_rate: 18, total: 330.28, currency: 'ILS' },
    based_on: null,
    title: null,
    notes: null,
    send: true,
  };
}
