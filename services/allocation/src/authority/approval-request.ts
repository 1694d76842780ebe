import { type Business, type IssuedDocument } from '@pinkas/contracts';
import {
  type Agorot,
  customerNumberOf,
  dayInIsrael,
  fromShekels,
  normaliseTaxId,
  parsePercentage,
  portionOf,
  roundDecimal,
  toShekels,
  withoutPortion,
} from '@pinkas/domain';
import { truncateUtf16 } from './truncate-utf16.js';

/** The person who issues, to the authority: by name or by id. */
export type Person = { readonly user_name: string } | { readonly user_id: number };

/** One line of a request; amounts are net, in ILS. */
interface ApprovalItem {
  index: number;
  catalog_id?: string;
  description: string;
  quantity: number;
  price_per_unit: number;
  discount: number;
  total_amount: number;
  vat_rate: number;
  vat_amount: number;
}

/**
 * The body of `POST Invoices/v2/Approval` (Israel Tax Authority, technical specification v2, July 2024, and the portal's OpenAPI file of
 * it). Amounts are ILS, twelve digits and two decimals, of the header never negative: a credit is said by the type.
 */
export interface ApprovalRequest {
  invoice_id: string;
  invoice_type: number;
  vat_number: number;
  /** Who issues: a person, by one of the two. */
  user_name?: string;
  user_id?: number;
  invoice_reference_number: string;
  customer_vat_number: number;
  customer_name: string;
  invoice_date: string;
  invoice_issuance_date: string;
  accounting_software_number: number;
  amount_before_discount: number;
  discount: number;
  payment_amount: number;
  vat_amount: number;
  payment_amount_including_vat: number;
  items: ApprovalItem[];
}

/**
 * The authority's field lengths, in characters; ours are longer and are cut on the way out only. Our `invoice_id` (36 of 50) and
 * `invoice_reference_number` (9 of 20), the number of lines (100 of 999,999) and the amounts (12 whole digits, which issuing
 * refuses to exceed) fit by themselves.
 */
const lengths = { name: 25, catalogId: 13, description: 30 } as const;

/**
 * What the authority is asked, under an `invoice_id` that stays the same: it has no other handle for repeated requests.
 * @throws Error when the business has no tax id: no number is requested then.
 */
export function approvalRequest(
  document: IssuedDocument,
  business: Business,
  parts: { invoiceType: number; accountingSoftwareNumber: number; person: Person },
): ApprovalRequest {
  const { customer, totals } = document;
  if (business.tax_id === null) {
    throw new Error('the tax id of the business is missing');
  }
  return {
    invoice_id: document.id,
    invoice_type: parts.invoiceType,
    vat_number: Number(normaliseTaxId(business.tax_id)),
    ...parts.person,
    invoice_reference_number: String(document.number),
    customer_vat_number: Number(normaliseTaxId(customerNumberOf(customer, document.date))),
    customer_name: truncateUtf16(customer.name, lengths.name),
    invoice_date: document.date,
    invoice_issuance_date: dayInIsrael(new Date(document.issued_at)),
    accounting_software_number: parts.accountingSoftwareNumber,
    amount_before_discount: totals.subtotal,
    discount: totals.discount,
    payment_amount: toShekels(fromShekels(totals.subtotal) - fromShekels(totals.discount)),
    vat_amount: totals.vat,
    payment_amount_including_vat: totals.total,
    items: document.items.map((item, position) => approvalItem(item, position + 1, document)),
  };
}

/** The body of the look-up of a request: what the buyer knows of the invoice. The authority knows it by nothing of ours but the number. */
export function lookUpRequest(request: string) {
  const sent: ApprovalRequest = JSON.parse(request);
  return {
    customer_vat_number: sent.customer_vat_number,
    vat_number: sent.vat_number,
    payment_amount: sent.payment_amount,
    vat_amount: sent.vat_amount,
    invoice_date: sent.invoice_date,
    invoice_reference_number: sent.invoice_reference_number,
  };
}

function approvalItem(
  item: IssuedDocument['items'][number],
  index: number,
  document: IssuedDocument,
): ApprovalItem {
  const { prices_include_vat: gross, totals } = document;
  const rate = parsePercentage(totals.vat_rate);
  const net = (amount: Agorot) => (gross ? withoutPortion(amount, rate) : amount);
  const lineTotal = fromShekels(item.line_total);
  const total = net(lineTotal);
  const catalogId = truncateUtf16(item.sku ?? '', lengths.catalogId);
  const vat = gross ? lineTotal - total : portionOf(lineTotal, rate);
  return {
    index,
    ...(catalogId ? { catalog_id: catalogId } : {}),
    description: truncateUtf16(item.description, lengths.description),
    // Two decimals here, four in ours: the total is exact, the quantity rounded.
    quantity: roundDecimal(item.quantity, 2),
    price_per_unit: toShekels(net(fromShekels(item.unit_price))),
    discount: 0,
    total_amount: toShekels(total),
    vat_rate: totals.vat_rate,
    vat_amount: toShekels(vat),
  };
}
