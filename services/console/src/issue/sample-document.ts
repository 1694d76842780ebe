import type { Business, DocumentState, IssuedDocument } from '@pinkas/contracts';
import { computeTotals, dueOn, mayIssue, toShekels } from '@pinkas/domain';

const items = [
  { description: { he: 'שירות לדוגמה', en: 'Sample service' }, quantity: 3, unit_price: 240 },
  { description: { he: 'מוצר לדוגמה', en: 'Sample product' }, quantity: 1, unit_price: 129.9 },
] as const;

const termsOf = ({ payment_terms_days: days, payment_terms_from: from = 'date' }: Business) => ({
  days,
  from,
});

/** A document that was never issued, to show how those of a business look. @param today YYYY-MM-DD. */
export function sampleDocument(
  business: Business,
  today: string,
  now: Date,
): { document: IssuedDocument; state: DocumentState } {
  const type =
    business.legal_type !== null && mayIssue(business.legal_type, 'tax_invoice') ? 'tax_invoice' : 'proforma';
  const { language } = business;
  const totals = computeTotals({
    vatRate: business.vat_rate,
    pricesIncludeVat: false,
    items: items.map((item) => ({ quantity: item.quantity, unitPrice: item.unit_price })),
    discount: null,
  });
  const document: IssuedDocument = {
    id: '00000000-0000-4000-8000-000000000001',
    business_id: business.id,
    public_id: 'sample',
    type,
    number: 1,
    date: today,
    due_date: dueOn(today, termsOf(business)),
    issued_at: now.toISOString(),
    external_ref: null,
    customer: {
      id: '00000000-0000-4000-8000-000000000002',
      name: language === 'he' ? 'לקוח לדוגמה' : 'Sample customer',
      tax_id: null,
      legal_type: null,
      email: 'customer@example.com',
      phone: null,
      address: null,
      city: null,
    },
    totals: {
      subtotal: toShekels(totals.subtotal),
      discount: toShekels(totals.discount),
      vat: toShekels(totals.vat),
      vat_rate: business.vat_rate,
      total: toShekels(totals.total),
      currency: 'ILS',
    },
    based_on: null,
    items: items.map((item, index) => ({
      description: item.description[language],
      quantity: item.quantity,
      unit_price: item.unit_price,
      line_total: toShekels(totals.lineTotals[index] ?? 0n),
      sku: null,
    })),
    prices_include_vat: false,
    discount: null,
    payments: [],
    title: null,
    notes: business.default_notes ?? null,
    send: false,
  };
  return { document, state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } };
}
