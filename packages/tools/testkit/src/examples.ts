import { randomBytes, randomUUID } from 'node:crypto';
import type { Business, EventOf, IssuedDocument, messageDue } from '@pinkas/contracts';
import { demoBusiness, demoCustomer } from '@pinkas/local-stack/demo';

export { demoBusiness, demoCustomer };

/** The demo business as the gateway sends it with requests: with everything that an invoice needs. */
export function exampleBusiness(change: Partial<Business> = {}): Business {
  return {
    id: randomUUID(),
    ...demoBusiness,
    vat_rate: 18,
    prices_include_vat: false,
    payment_terms_days: 30,
    first_numbers: {},
    allocation_threshold_net: 5000,
    tax_authority_connected: true,
    allocation_hold_minutes: 10,
    auto_send: { enabled: true, channel: 'email', quiet_hours: null },
    accountant_copy: { enabled: false, email: null },
    wallet_labels: {
      wallet_method_1: { he: 'ביט', en: 'Bit' },
      wallet_method_2: { he: 'פייבוקס', en: 'PayBox' },
      wallet_method_3: { he: 'PayPal', en: 'PayPal' },
      wallet_method_4: { he: 'Google Pay', en: 'Google Pay' },
      wallet_method_5: { he: 'Apple Pay', en: 'Apple Pay' },
    },
    language: 'he',
    subscription: 'active',
    archived: false,
    provider: 'native',
    track: 'full',
    created_at: '2026-01-01T00:00:00.000Z',
    ...change,
  };
}

/** A tax invoice of 6,000 net that was issued to the demo customer. */
export function exampleDocument(change: Partial<IssuedDocument> = {}): IssuedDocument {
  return {
    id: randomUUID(),
    business_id: randomUUID(),
    public_id: randomBytes(16).toString('base64url'),
    type: 'tax_invoice',
    number: 1,
    date: '2026-06-15',
    due_date: '2026-07-15',
    issued_at: '2026-06-15T08:00:00.000Z',
    external_ref: null,
    customer: {
      id: randomUUID(),
      ...demoCustomer,
      legal_type: 'hevra_baam',
      phone: null,
      address: null,
      city: null,
    },
    items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 6000, line_total: 6000, sku: null }],
    prices_include_vat: false,
    discount: null,
    payments: [],
    totals: { subtotal: 6000, discount: 0, vat: 1080, vat_rate: 18, total: 7080, currency: 'ILS' },
    based_on: null,
    title: null,
    notes: null,
    send: true,
    ...change,
  };
}

/** The event of an issued document that has messages; its response has an outcome of the delivery that no plan has. */
export function exampleDue(
  document: IssuedDocument,
  business: Business,
  change: Partial<EventOf<typeof messageDue>> = {},
): EventOf<typeof messageDue> {
  const delivery = { status: 'send_failed', channel: null, scheduled_for: null } as const;
  const artifact_sha256 = 'ab'.repeat(32);
  return { document, business, delivery, number_required: true, artifact_sha256, ...change };
}
