type Members = Readonly<Record<string, unknown>>;
type Line = Members & { readonly total_tax: string };

/** What differs from an order of nothing. */
export interface OrderChange extends Members {
  readonly line_items?: readonly Line[];
  readonly shipping_lines?: readonly Line[];
  readonly fee_lines?: readonly Line[];
}

const address = {
  company: '',
  address_1: '',
  address_2: '',
  city: '',
  state: '',
  postcode: '',
  country: 'IL',
};
const sum = (lines: readonly Line[]) =>
  (lines.reduce((agorot, line) => agorot + Math.round(Number(line.total_tax) * 100), 0) / 100).toFixed(2);

/** An order with the members and the types that `GET /wp-json/wc/v3/orders/ID` of WooCommerce gives them. */
export function wooCommerceOrder({
  line_items: items = [],
  shipping_lines: shipping = [],
  fee_lines: fees = [],
  billing,
  ...change
}: OrderChange): Members {
  const taxes = [sum(items), sum(fees), sum(shipping)].map(Number) as [number, number, number];
  return {
    id: 1042,
    parent_id: 0,
    status: 'processing',
    currency: 'ILS',
    version: '9.3.3',
    prices_include_tax: true,
    date_created: '2026-11-02T10:15:00',
    date_modified: '2026-11-02T10:15:08',
    discount_total: '0.00',
    discount_tax: '0.00',
    shipping_total: '0.00',
    shipping_tax: sum(shipping),
    cart_tax: (taxes[0] + taxes[1]).toFixed(2),
    total_tax: (taxes[0] + taxes[1] + taxes[2]).toFixed(2),
    customer_id: 0,
    order_key: 'wc_order_demo',
    billing: {
      first_name: 'לקוח',
      last_name: 'לדוגמה',
      ...address,
      email: 'customer@example.com',
      phone: '',
      ...(billing as object | undefined),
    },
    shipping: { first_name: '', last_name: '', ...address, phone: '' },
    payment_method: 'stripe',
    payment_method_title: 'Credit / Debit Card',
    transaction_id: 'ch_demo',
    customer_ip_address: '192.0.2.1',
    customer_user_agent: '',
    created_via: 'checkout',
    customer_note: '',
    date_completed: null,
    date_paid: '2026-11-02T10:15:08',
    cart_hash: '',
    number: '1042',
    meta_data: [{ id: 1, key: 'is_vat_exempt', value: 'no' }],
    line_items: items.map((line, index) => ({
      id: 10 + index,
      name: 'Mug',
      product_id: 30 + index,
      variation_id: 0,
      quantity: 1,
      tax_class: '',
      subtotal: line.total,
      subtotal_tax: line.total_tax,
      taxes: [{ id: 1, total: line.total_tax, subtotal: line.subtotal_tax ?? line.total_tax }],
      meta_data: [],
      sku: '',
      price: Number(line.total),
      image: { id: '', src: '' },
      parent_name: null,
      ...line,
    })),
    tax_lines: [
      { id: 20, rate_code: 'IL-VAT-1', rate_id: 1, label: 'VAT', compound: false, rate_percent: 18 },
    ],
    shipping_lines: shipping.map((line, index) => ({
      id: 40 + index,
      method_title: 'Courier',
      method_id: 'flat_rate',
      instance_id: '1',
      taxes: [],
      meta_data: [],
      ...line,
    })),
    fee_lines: fees.map((line, index) => ({
      id: 50 + index,
      name: 'Fee',
      tax_class: '',
      tax_status: 'taxable',
      amount: '',
      taxes: [],
      meta_data: [],
      ...line,
    })),
    coupon_lines: [],
    refunds: [],
    payment_url: '',
    is_editable: false,
    needs_payment: false,
    needs_processing: true,
    date_created_gmt: '2026-11-02T08:15:00',
    date_modified_gmt: '2026-11-02T08:15:08',
    date_completed_gmt: null,
    date_paid_gmt: '2026-11-02T08:15:08',
    currency_symbol: '₪',
    ...change,
  };
}
