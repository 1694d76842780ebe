import { describe, expect, it } from '@jest/globals';
import { type CreateDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import type { ApiError } from '@pinkas/service-kit';
import { exampleBusiness } from '@pinkas/testkit';
import {
  checkCancellable,
  checkRequest,
  checkSeriesDate,
  checkSource,
  closesSource,
  defaultDate,
  dueDate,
  termsOf,
  totalsOf,
} from './document-rules.js';

const codeOf = (check: () => unknown): string | null => {
  try {
    check();
    return null;
  } catch (error) {
    return (error as ApiError).code;
  }
};

/** The table of sources, as the decisions on the interface write it. */
const sourcesOf: Record<DocumentType, DocumentType[]> = {
  quote: [],
  order: ['quote'],
  delivery_note: ['quote', 'order'],
  return_note: ['delivery_note'],
  proforma: ['quote', 'order', 'delivery_note'],
  tax_invoice: ['quote', 'order', 'delivery_note', 'return_note', 'proforma'],
  tax_invoice_receipt: ['quote', 'order', 'delivery_note', 'proforma'],
  receipt: ['tax_invoice', 'proforma'],
  credit_note: ['tax_invoice', 'tax_invoice_receipt'],
  donation_receipt: [],
};
const pairs = documentTypes.flatMap((type) => documentTypes.map((source) => [type, source] as const));

describe('the rules of sources', () => {
  it.each(pairs)('the effects of a %s based on a %s are those of the table', (type, source) => {
    const open = { type: source, status: 'open' } as const;
    if (sourcesOf[type].includes(source)) {
      expect(() => checkSource(type, open)).not.toThrow();
      expect(() => checkSource(type, { ...open, status: 'closed' })).not.toThrow();
      expect(codeOf(() => checkSource(type, { ...open, status: 'cancelled' }))).toBe('based_on_cancelled');
    } else {
      expect(() => checkSource(type, { ...open, status: 'cancelled' })).toThrow(
        expect.objectContaining({
          code: 'based_on_type_not_allowed',
          details: { allowed_source_types: sourcesOf[type] },
        }),
      );
    }
  });

  it.each(pairs.filter(([type, source]) => sourcesOf[type].includes(source)))(
    'say whether a %s closes its %s',
    (type, source) => {
      const closes = closesSource(
        { type, total: 100n, paid: type === 'receipt' ? 40n : 0n },
        { type: source, total: 118n, settled: 0n },
      );
      expect(closes).toBe(['receipt', 'tax_invoice', 'tax_invoice_receipt'].includes(type));
    },
  );

  it('close nothing by a receipt of nothing', () => {
    const receipt = { type: 'receipt', total: 0n, paid: 0n } as const;
    expect(closesSource(receipt, { type: 'tax_invoice', total: 118n, settled: 0n })).toBe(false);
  });

  it.each([
    ['tax_invoice', 0n, 117n, false],
    ['tax_invoice', 0n, 118n, true],
    ['tax_invoice', 50n, 67n, false],
    ['tax_invoice', 50n, 68n, true],
    ['tax_invoice', 118n, 1n, true],
    ['tax_invoice_receipt', 118n, 118n, false],
  ] as const)(
    'close a %s of which 118 are asked and %s settled by a credit note of %s: %s',
    (type, settled, total, closes) => {
      const credit = { type: 'credit_note', total, paid: 0n } as const;
      expect(closesSource(credit, { type, total: 118n, settled })).toBe(closes);
    },
  );
});

describe('the rules of cancelling', () => {
  const notes: DocumentType[] = ['delivery_note', 'return_note'];
  const cancellable: DocumentType[] = ['quote', 'order', 'proforma', ...notes];
  const cases = documentTypes.flatMap((type) =>
    (['open', 'closed', 'cancelled'] as const).flatMap((status) =>
      [false, true].map((invoiced) => [type, status, invoiced] as const),
    ),
  );
  it.each(cases)('decide on a %s that is %s (invoiced: %s)', (type, status, invoiced) => {
    const rules: [applies: boolean, code: string][] = [
      [!cancellable.includes(type), 'use_credit_note'],
      [status === 'cancelled', 'already_cancelled'],
      [invoiced && notes.includes(type), 'linked_document_closed'],
    ];
    const expected = rules.find(([applies]) => applies)?.[1] ?? null;
    expect(codeOf(() => checkCancellable({ type, status }, invoiced))).toBe(expected);
  });
});

describe('the rules of a request', () => {
  const business = exampleBusiness({ legal_type: 'osek_patur' });
  const today = '2026-06-15';
  const body = (change: Partial<CreateDocument>): CreateDocument => ({
    type: 'credit_note',
    customer: { name: 'לקוח לדוגמה' },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 100 }],
    ...change,
  });

  it('refuse in the order that is promised: the first one is returned, however many there are', () => {
    let faulty = body({
      payments: [{ method: 'cash', amount: 1 }],
      customer: { name: 'לקוח לדוגמה', tax_id: '123456789' },
      date: '2026-06-16',
    });
    let issuer = business;
    const reported = () => codeOf(() => checkRequest(faulty, issuer, today));
    expect(reported()).toBe('legal_type_forbidden');
    issuer = exampleBusiness();
    expect(reported()).toBe('payments_not_allowed');
    const { payments: _payments, ...unpaid } = faulty;
    faulty = unpaid;
    expect(reported()).toBe('based_on_required');
    faulty = { ...faulty, based_on: business.id };
    expect(reported()).toBe('invalid_customer_tax_id');
    faulty = { ...faulty, customer: { name: 'לקוח לדוגמה' } };
    expect(reported()).toBe('future_date');
    faulty = { ...faulty, date: today };
    expect(reported()).toBeNull();
  });

  it('ask for payments before they forbid a discount', () => {
    const discount = { type: 'percent', value: 10 } as const;
    const receipt = body({ type: 'receipt', discount });
    expect(codeOf(() => checkRequest(receipt, exampleBusiness(), today))).toBe('payments_required');
    const paid = { ...receipt, payments: [{ method: 'cash' as const, amount: 1 }], date: '2026-06-16' };
    expect(codeOf(() => checkRequest(paid, exampleBusiness(), today))).toBe('discount_not_allowed');
  });

  it.each([
    ['lines of no price', { items: [{ description: 'א', quantity: 1, unit_price: 0 }] }],
    ['a discount of the sum', { discount: { type: 'percent', value: 100 } }],
  ] as const)('ask for no payments where nothing is to be paid, by %s', (_what, change) => {
    const free = body({ type: 'tax_invoice_receipt', ...(change as Partial<CreateDocument>) });
    const unpaid = () => checkRequest(free, exampleBusiness(), today);
    expect(codeOf(unpaid)).toBeNull();
    expect(codeOf(() => totalsOf(free, exampleBusiness(), 18))).toBeNull();
    // A discount that no document can have is refused once the totals are.
    const beyond = { ...free, discount: { type: 'percent' as const, value: 101 } };
    expect(codeOf(() => checkRequest(beyond, exampleBusiness(), today))).toBe('payments_required');
  });

  it('hold the total against what is expected before what is paid', () => {
    const receipt = body({ type: 'receipt', payments: [{ method: 'cash', amount: 1 }], expected_total: 1 });
    expect(codeOf(() => totalsOf(receipt, exampleBusiness(), 18))).toBe('total_mismatch');
    expect(codeOf(() => totalsOf({ ...receipt, expected_total: 118 }, exampleBusiness(), 18))).toBe(
      'payments_total_mismatch',
    );
  });

  it.each([
    [
      '/items',
      { items: Array.from({ length: 100 }, () => ({ description: 'א', quantity: 1e6, unit_price: 1e8 })) },
    ],
    ['/discount/value', { discount: { type: 'amount', value: 100.01 } }],
    ['/discount/value', { discount: { type: 'percent', value: 100.01 } }],
  ] as const)('find an impossible amount at %s', (path, change) => {
    const fault = () => totalsOf(body({ ...(change as Partial<CreateDocument>) }), exampleBusiness(), 18);
    expect(fault).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        details: {
          errors: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining(path) })]),
        },
      }),
    );
  });
});

describe('the dates of a document', () => {
  it('a due date follows the payment terms of the business, across months and years', () => {
    const invoice = { type: 'tax_invoice' } as CreateDocument;
    const terms = termsOf(exampleBusiness({ payment_terms_days: 30 }), undefined);
    expect(dueDate(invoice, terms, '2026-12-15')).toBe('2027-01-14');
    expect(dueDate(invoice, terms, '2028-02-01')).toBe('2028-03-02');
    expect(dueDate({ ...invoice, due_date: '2026-12-15' }, terms, '2026-12-15')).toBe('2026-12-15');
    expect(dueDate({ ...invoice, type: 'quote' }, terms, '2026-12-15')).toBeNull();
    const ofMonth = termsOf(
      exampleBusiness({ payment_terms_days: 30, payment_terms_from: 'end_of_month' }),
      undefined,
    );
    expect(dueDate(invoice, ofMonth, '2026-12-15')).toBe('2027-01-30');
    expect(dueDate(invoice, termsOf(exampleBusiness(), { days: 60, from: 'date' }), '2026-12-15')).toBe(
      '2027-02-13',
    );
  });

  it('dates never decrease in a series and may repeat', () => {
    expect(() => checkSeriesDate('2026-06-15', null)).not.toThrow();
    expect(() => checkSeriesDate('2026-06-15', '2026-06-15')).not.toThrow();
    expect(() => checkSeriesDate('2026-06-14', '2026-06-15')).toThrow(
      expect.objectContaining({
        code: 'date_before_last_document',
        details: { last_document_date: '2026-06-15' },
      }),
    );
  });

  it('a date is today by default, or the last one of the series when the clock lags', () => {
    expect(defaultDate('2026-06-15', null)).toBe('2026-06-15');
    expect(defaultDate('2026-06-15', '2026-06-01')).toBe('2026-06-15');
    expect(defaultDate('2026-06-15', '2026-06-16')).toBe('2026-06-16');
  });

  it('a date more than one day ahead of today is no default', () => {
    expect(defaultDate('2026-06-30', '2026-07-01')).toBe('2026-07-01');
    expect(defaultDate('2026-06-15', '2026-06-17')).toBeNull();
    expect(defaultDate('2026-06-15', '2027-06-15')).toBeNull();
  });
});
