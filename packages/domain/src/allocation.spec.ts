import { describe, expect, it } from '@jest/globals';
import { customerNumberOf, whyNoNumber } from './allocation-by-hand.js';
import {
  type AllocatedDocument,
  decideAllocation,
  lacksBuyerId,
  lacksNumberUnconnected,
  undeductibleVat,
} from './allocation-decision.js';
import {
  allocationPolicyOn,
  allocationThresholdOn,
  decidingThreshold,
  thresholdDifference,
} from './allocation-policy.js';
import { fromShekels } from './money/agorot.js';
import { openDecisions, refusalDeadlines } from './refused-number.js';

const business = {
  tax_id: '514713288',
  allocation_threshold_net: 5000,
  tax_authority_connected: true,
};
const document = (change: {
  type?: AllocatedDocument['type'];
  date?: string;
  subtotal?: number;
  discount?: number;
  vat?: number;
  taxId?: string | null;
  legalType?: AllocatedDocument['customer']['legal_type'];
}): AllocatedDocument => ({
  type: change.type ?? 'tax_invoice',
  date: change.date ?? '2026-06-15',
  totals: {
    subtotal: change.subtotal ?? 6000,
    discount: change.discount ?? 0,
    vat: change.vat ?? 1080,
  },
  customer: {
    tax_id: change.taxId === undefined ? '777777723' : change.taxId,
    legal_type: change.legalType ?? null,
  },
});

describe('decideAllocation', () => {
  it.each(['tax_invoice', 'tax_invoice_receipt', 'credit_note'] as const)(
    'decideAllocation requires a number on a %s above the threshold',
    (type) => {
      expect(decideAllocation(document({ type }), business)).toEqual({ required: true });
    },
  );

  it.each([
    'quote',
    'order',
    'delivery_note',
    'return_note',
    'proforma',
    'receipt',
    'donation_receipt',
  ] as const)('decideAllocation does not require a number on a %s and names the type', (type) => {
    expect(decideAllocation(document({ type }), business)).toMatchObject({
      required: false,
      status: 'not_required',
      reason: expect.stringContaining('needs no allocation number'),
    });
  });

  it.each([
    ['exactly at the threshold', { subtotal: 5000 }],
    ['brought down to the threshold by its discount', { subtotal: 6000, discount: 1000 }],
  ])('decideAllocation does not require a number %s', (_case, change) => {
    expect(decideAllocation(document(change), business)).toMatchObject({
      status: 'not_required',
      reason: 'The net amount is not above the threshold of 5000 ILS.',
    });
  });

  it('decideAllocation requires a number one agora above the threshold', () => {
    expect(decideAllocation(document({ subtotal: 5000.01 }), business)).toEqual({ required: true });
    expect(
      decideAllocation(document({ subtotal: 8.05, discount: 7.95 }), {
        ...business,
        allocation_threshold_net: 0.1,
      }),
    ).toMatchObject({ status: 'not_required' });
  });

  it('decideAllocation requires no number before the law took effect', () => {
    expect(decideAllocation(document({ date: '2024-05-04' }), business)).toMatchObject({
      status: 'not_required',
    });
  });

  it('decideAllocation requires no number without VAT', () => {
    expect(decideAllocation(document({ vat: 0 }), business)).toMatchObject({
      status: 'not_required',
      reason: 'The document has no VAT.',
    });
  });

  it.each(['osek_murshe', 'hevra_baam', 'amuta', null] as const)(
    'decideAllocation requires a number for a buyer of the kind %s, and skips one without a tax id',
    (legalType) => {
      expect(decideAllocation(document({ legalType }), business)).toEqual({ required: true });
      expect(decideAllocation(document({ legalType, taxId: null }), business)).toMatchObject({
        status: 'skipped_customer_tax_id_missing',
      });
    },
  );

  it.each(['private', 'osek_patur'] as const)(
    'decideAllocation requires no number for a buyer of the kind %s, with a tax id or without',
    (legalType) => {
      for (const taxId of ['777777723', null]) {
        for (const settings of [business, { ...business, tax_authority_connected: false, tax_id: null }]) {
          expect(decideAllocation(document({ legalType, taxId }), settings)).toEqual({
            required: false,
            status: 'not_required',
            reason: 'The customer deducts no VAT.',
          });
        }
      }
    },
  );

  it('decideAllocation requires no number of a credit note where the operator asks for none', () => {
    const skip = { creditNotes: 'skip' } as const;
    expect(decideAllocation(document({ type: 'credit_note' }), business, skip)).toEqual({
      required: false,
      status: 'not_required',
      reason: 'The tax authority gives credit notes no number.',
    });
    expect(decideAllocation(document({}), business, skip)).toEqual({ required: true });
  });

  it('decideAllocation requires no number of an unconnected business, whatever tax ids are missing', () => {
    expect(
      decideAllocation(document({ taxId: null }), {
        ...business,
        tax_id: null,
        tax_authority_connected: false,
      }),
    ).toMatchObject({
      status: 'not_required',
      reason: 'The business is not connected to the tax authority.',
    });
  });

  it('decideAllocation skips a missing tax id and checks the business first', () => {
    expect(decideAllocation(document({ taxId: null }), business)).toMatchObject({
      status: 'skipped_customer_tax_id_missing',
    });
    expect(decideAllocation(document({ taxId: null }), { ...business, tax_id: null })).toMatchObject({
      status: 'skipped_business_tax_id_missing',
    });
  });
});

describe('allocationPolicyOn', () => {
  it.each([
    ['2024-05-05', 25_000],
    ['2024-12-31', 25_000],
    ['2025-01-01', 20_000],
    ['2025-12-31', 20_000],
    ['2026-01-01', 10_000],
    ['2026-05-31', 10_000],
    ['2026-06-01', 5_000],
    ['2027-01-01', 5_000],
  ])('the threshold on %s is %d', (day, threshold) => {
    expect(allocationPolicyOn(day)?.thresholdNet).toBe(threshold);
    expect(allocationThresholdOn(day)).toBe(threshold);
  });

  it('there is no policy before the law took effect, and the first threshold applies from that day', () => {
    expect(allocationPolicyOn('2024-05-04')).toBeUndefined();
    expect(allocationThresholdOn('2024-05-04')).toBe(25_000);
  });

  it('there is no policy once the temporary order is over', () => {
    expect(allocationPolicyOn('2028-12-31')?.thresholdNet).toBe(5_000);
    expect(allocationPolicyOn('2029-01-01')).toBeUndefined();
    expect(allocationThresholdOn('2029-01-01')).toBe(5_000);
  });

  it('the types that get a number, and no others, have a code of the authority', () => {
    expect(allocationPolicyOn('2026-06-15')?.codes).toEqual({
      tax_invoice: 305,
      tax_invoice_receipt: 320,
      credit_note: 330,
    });
  });
});

describe('lacksNumberUnconnected', () => {
  const unconnected = { ...business, tax_authority_connected: false };

  it('an invoice lacks its number where the connection alone is missing', () => {
    for (const type of ['tax_invoice', 'tax_invoice_receipt'] as const) {
      expect(lacksNumberUnconnected(document({ type }), unconnected)).toBe(true);
      expect(lacksNumberUnconnected(document({ type }), business)).toBe(false);
    }
  });

  it.each([
    ['a credit note', { type: 'credit_note' }],
    ['a net amount at the threshold', { subtotal: 5000 }],
    ['no VAT', { vat: 0 }],
    ['a buyer without a tax id', { taxId: null }],
    ['another type', { type: 'proforma' }],
    ['a buyer who deducts no VAT', { legalType: 'private' }],
  ] as const)('no number is missing with %s', (_what, change) => {
    expect(lacksNumberUnconnected(document(change), unconnected)).toBe(false);
  });

  it('a buyer loses the VAT that no credit note has taken back, where the connection alone is missing', () => {
    const invoice = document({});
    const vat = fromShekels(invoice.totals.vat);
    expect(undeductibleVat(invoice, unconnected, 0)).toBe(vat);
    expect(undeductibleVat(invoice, unconnected, 0.01)).toBe(vat - 1n);
    expect(undeductibleVat(invoice, unconnected, invoice.totals.vat + 1)).toBe(0n);
    expect(undeductibleVat(invoice, business, 0)).toBe(0n);
  });
});

describe('lacksBuyerId', () => {
  const nameless = { taxId: null, subtotal: 5000.01 };

  it.each(['tax_invoice', 'tax_invoice_receipt'] as const)(
    "a %s one agora above 5,000 lacks the number of a buyer who gives none, whatever the buyer's kind",
    (type) => {
      for (const legalType of [null, 'hevra_baam', 'osek_patur'] as const) {
        expect(lacksBuyerId(document({ ...nameless, type, legalType }))).toBe(true);
        expect(lacksBuyerId(document({ ...nameless, type, legalType, vat: 0 }))).toBe(true);
      }
    },
  );

  it.each([
    ['a private person', { legalType: 'private' }],
    ['a tax id', { taxId: '777777723' }],
    ['a net amount of 5,000', { subtotal: 5000 }],
    ['a net amount that a discount brings down to 5,000', { subtotal: 6000, discount: 1000 }],
    ['a credit note', { type: 'credit_note' }],
    ['a quote', { type: 'quote' }],
    ['a date before the law', { date: '2013-12-31' }],
  ] as const)('no number of a buyer is lacking with %s', (_what, change) => {
    expect(lacksBuyerId(document({ ...nameless, ...change }))).toBe(false);
  });
});

describe('whyNoNumber', () => {
  it.each([
    [null, 'an invoice below the threshold', { subtotal: 100, vat: 18 }],
    [null, 'an invoice of exactly a year', { date: '2025-06-15' }],
    ['age', 'an invoice of more than a year', { date: '2025-06-14' }],
    ['type', 'a credit note', { type: 'credit_note' }],
    ['type', 'a receipt', { type: 'receipt' }],
    ['no_vat', 'an invoice without VAT', { vat: 0 }],
  ] as const)('whyNoNumber answers %s for %s', (why, _what, change) => {
    expect(whyNoNumber(document(change), business, '2026-06-15')).toBe(why);
  });

  it('whyNoNumber counts a year from 29 February to 28 February', () => {
    const today = '2028-02-29';
    expect(whyNoNumber(document({ date: '2027-02-28' }), business, today)).toBeNull();
    expect(whyNoNumber(document({ date: '2027-02-27' }), business, today)).toBe('age');
  });

  it('whyNoNumber names a business without a tax id', () => {
    expect(whyNoNumber(document({}), { tax_id: null }, '2026-06-15')).toBe('no_tax_id');
  });
});

describe('customerNumberOf', () => {
  it.each([
    ['777777715', '777777715', 'osek_murshe'],
    ['777777715', '777777715', null],
    ['999999998', '777777715', 'private'],
    ['999999998', '777777715', 'osek_patur'],
    ['999999998', null, null],
  ] as const)(
    'customerNumberOf is %s for the number %s of a buyer of type %s',
    (sent, tax_id, legal_type) => {
      expect(customerNumberOf({ tax_id, legal_type }, '2026-06-15')).toBe(sent);
    },
  );
});

describe('openDecisions', () => {
  it.each([
    [['continue', 'cancel', 'object'], null],
    [['continue', 'cancel', 'object'], { decision: 'cancel', state: 'failed' }],
    [['cancel'], { decision: 'cancel', state: 'pending' }],
    [['object'], { decision: 'continue', state: 'taken' }],
    [[], { decision: 'cancel', state: 'taken' }],
    [[], { decision: 'object', state: 'taken' }],
  ] as const)('openDecisions are %j after %j', (open, last) => {
    expect(openDecisions(last)).toEqual(open);
  });

  it('refusalDeadlines count business days for a hearing and days for an objection', () => {
    expect(refusalDeadlines('2026-11-26')).toEqual({ hearing: '2026-11-30', objection: '2026-12-26' });
  });
});

describe('the threshold that the authority names', () => {
  const day = '2026-06-15';

  it('thresholdDifference compares with the table on the day of the answer', () => {
    expect(thresholdDifference(null)).toBe(0);
    expect(thresholdDifference({ day, net: 5_000 })).toBe(0);
    expect(thresholdDifference({ day, net: 3_000 })).toBe(-2_000);
    expect(thresholdDifference({ day: '2026-05-31', net: 5_000 })).toBe(-5_000);
    expect(thresholdDifference({ day, net: 8_000 })).toBe(3_000);
  });

  it.each([
    ['without an answer, that of the business', 5_000, null, 5_000],
    ['a lower one of the authority', 5_000, 3_000, 3_000],
    ['that of the table, where the authority names a higher one', 5_000, 8_000, 5_000],
    ['a still lower one of the business', 2_000, 3_000, 2_000],
    ['a higher one of the business, where the authority names that of the table', 7_000, 5_000, 7_000],
    [
      'that of the authority, where the law was lowered and the business has a higher one',
      7_000,
      3_000,
      3_000,
    ],
  ])('decidingThreshold is %s', (_what, ofBusiness, net, expected) => {
    expect(decidingThreshold(ofBusiness, net === null ? null : { day, net })).toBe(expected);
  });
});
