import type { Business } from '@pinkas/contracts';
import type { Sheet } from '@pinkas/rendering';
import { exampleDocument } from '@pinkas/testkit/examples';

/** A line as a request has it. */
export interface MeasuredItem {
  readonly description: string;
  readonly quantity: number;
  readonly unit_price: number;
  readonly sku?: string;
}

/** The sheet of an invoice of these lines. Its totals are those of the three lines that are issued for measuring. */
export function measuredSheet(business: Business, items: readonly MeasuredItem[]): Sheet {
  const document = exampleDocument({
    business_id: business.id,
    number: 1_000,
    items: items.map((item) => ({
      ...item,
      sku: item.sku ?? null,
      line_total: item.quantity * item.unit_price,
    })),
    totals: { subtotal: 279.9, discount: 0, vat: 50.38, vat_rate: 18, total: 330.28, currency: 'ILS' },
  });
  const state = { allocationNumber: null, numberPending: false, cancelledAt: null, logo: null };
  return { document, business, ...state, output: 'original' };
}
