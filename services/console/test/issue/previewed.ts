import type { previewDocument, ReplyOf, RequestOf } from '@pinkas/contracts';
import { computeTotals, documentTypeRules, toShekels } from '@pinkas/domain';

type Request = RequestOf<typeof previewDocument>;
type Reply = ReplyOf<typeof previewDocument>;

/** What issuing would preview of a request, by the totals of the domain; the checks are issuing's own. */
export function previewOf({ business, body }: Request, change: Partial<Reply> = {}): Reply {
  const { type, items, customer, date = '2026-06-15' } = body;
  const { vat_rate } = business;
  const prices_include_vat = body.prices_include_vat ?? business.prices_include_vat;
  const totals = computeTotals({
    vatRate: vat_rate,
    pricesIncludeVat: prices_include_vat,
    items: items.map((item) => ({ quantity: item.quantity, unitPrice: item.unit_price })),
    discount: body.discount ?? null,
  });
  const extras = {
    reference: null,
    check_number: null,
    check_date: null,
    bank_code: null,
    branch: null,
    account: null,
    card_last_digits: null,
    card_type: null,
  };
  return {
    draft: {
      business_id: business.id,
      type,
      date,
      due_date: documentTypeRules[type].dueDate ? (body.due_date ?? date) : null,
      external_ref: body.external_ref ?? null,
      customer: {
        id: customer.id ?? null,
        name: customer.name ?? 'לקוח',
        tax_id: customer.tax_id ?? null,
        legal_type: customer.legal_type ?? null,
        email: customer.email ?? null,
        phone: customer.phone ?? null,
        address: customer.address ?? null,
        city: customer.city ?? null,
      },
      totals: {
        subtotal: toShekels(totals.subtotal),
        discount: toShekels(totals.discount),
        vat: toShekels(totals.vat),
        vat_rate,
        total: toShekels(totals.total),
        currency: 'ILS',
      },
      based_on: null,
      items: items.map((item, index) => ({
        ...item,
        sku: item.sku ?? null,
        line_total: toShekels(totals.lineTotals[index] ?? 0n),
      })),
      prices_include_vat,
      discount: body.discount ?? null,
      payments: (body.payments ?? []).map((payment) => ({ ...extras, date, ...payment })),
      title: body.title ?? null,
      notes: body.notes ?? null,
      send: body.send ?? true,
    },
    next_number: business.first_numbers[type] ?? 1,
    allocation: { status: 'not_required' },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    matched_by: customer.id === undefined ? null : 'id',
    warnings: [],
    ...change,
  };
}
