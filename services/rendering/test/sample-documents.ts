import { randomUUID } from 'node:crypto';
import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import { exampleBusiness } from '@pinkas/testkit/examples';

/** A licensed dealer with every printed field filled. */
export function sampleBusiness(change: Partial<Business> = {}): Business {
  return exampleBusiness({
    name: 'עסק לדוגמה לעיצוב ותכנון',
    legal_type: 'osek_murshe',
    tax_id: '514327892',
    address: 'רחוב הרצל 12',
    city: 'תל אביב',
    email: 'office@example.com',
    phone: '03-5551234',
    ...change,
  });
}

const payment = {
  date: '2026-03-08',
  reference: null,
  check_number: null,
  check_date: null,
  bank_code: null,
  branch: null,
  account: null,
  card_last_digits: null,
  card_type: null,
} as const;

/** A document of one type with two lines, a discount where it is allowed, and payments where they are required. */
export function sampleDocument(
  type: DocumentType,
  business: Business,
  change: Partial<IssuedDocument> = {},
): IssuedDocument {
  const rules = documentTypeRules[type];
  const discounted = rules.discount === 'allowed';
  const source = rules.sources.at(-1);
  const total = discounted ? 3009 : 3186;
  return {
    id: randomUUID(),
    business_id: business.id,
    public_id: randomUUID().replaceAll('-', ''),
    type,
    number: 1042,
    date: '2026-03-08',
    due_date: rules.dueDate ? '2026-04-07' : null,
    issued_at: '2026-03-08T09:30:00.000Z',
    external_ref: null,
    customer: {
      id: randomUUID(),
      name: 'לקוח לדוגמה בע"מ',
      tax_id: '515151512',
      legal_type: 'hevra_baam',
      email: 'customer@example.com',
      phone: '+972-4-5550101',
      address: 'שדרות הנשיא 7',
      city: 'חיפה',
    },
    items: [
      {
        description: 'עיצוב לוגו ושפה חזותית',
        quantity: 1,
        unit_price: 1500,
        line_total: 1500,
        sku: 'LG-01',
      },
      { description: 'שעות ייעוץ (Zoom)', quantity: 4.8, unit_price: 250, line_total: 1200, sku: null },
    ],
    prices_include_vat: false,
    discount: discounted ? { type: 'amount', value: 150 } : null,
    payments:
      rules.payments === 'required'
        ? [
            {
              ...payment,
              method: 'check',
              amount: 1000,
              check_number: '5001',
              check_date: '2026-04-01',
              bank_code: 12,
              branch: '600',
              account: '123456',
            },
            { ...payment, method: 'credit_card', amount: 1500, card_last_digits: '4242', card_type: 'Visa' },
            { ...payment, method: 'wallet_method_1', amount: total - 2500, reference: 'BT-77120' },
          ]
        : [],
    totals: discounted
      ? { subtotal: 2700, discount: 150, vat: 459, vat_rate: 18, total, currency: 'ILS' }
      : { subtotal: 2700, discount: 0, vat: 486, vat_rate: 18, total, currency: 'ILS' },
    based_on:
      source === undefined ? null : { id: randomUUID(), type: source, number: 77, date: '2026-02-01' },
    title: 'פרויקט מיתוג – אביב 2026',
    notes: 'תודה שבחרתם בנו.\nלשאלות: office@example.com',
    send: true,
    ...change,
  };
}
