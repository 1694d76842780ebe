import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as allocationLaw from '../allocation-decision.js';
import * as deliveryLaw from '../delivery/delivery-decision.js';
import { decideAllocation, undeductibleVat } from './provoked-allocation.js';
import { addressesToCheck, decideDelivery } from './provoked-delivery.js';
import { decideDonation } from './provoked-donation.js';
import { provokedOutcomes, testSkus } from './provoked-outcomes.js';
import { businessOfBook, isTestBook, testBook, testBookOf } from './test-book.js';

const liveBook = '3f0c2b5e-6d0a-4c57-9a41-0d6c7b8e9f10';
const inTestBook = testBookOf(liveBook);

describe('testBook', () => {
  it('a test book has the settings of its business, and series of its own that begin with 1', () => {
    const business = { id: '5b9f8c1e-2d3a-4f6b-8c7d-9e0f1a2b3c4d', name: 'A', first_numbers: { quote: 500 } };
    expect(testBook(business)).toEqual({ ...business, id: testBookOf(business.id), first_numbers: {} });
  });
});

describe('testBookOf', () => {
  it('the id of a test book leads back to its business, and is never that of a business', () => {
    const business = randomUUID();
    const book = testBookOf(business);
    expect([isTestBook(business), isTestBook(book)]).toEqual([false, true]);
    expect(book).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([businessOfBook(book), businessOfBook(business)]).toEqual([business, business]);
  });
});

describe('provokedOutcomes', () => {
  const items = [
    { sku: 'A-1' },
    { sku: 'test_engine_error' },
    { sku: null },
    {},
    { sku: 'test_slow_3s' },
    { sku: 'test_request_in_progress' },
    { sku: 'constructor' },
  ];

  it('the first item of each kind provokes its outcome in a test book', () => {
    expect(provokedOutcomes(testBookOf(randomUUID()), { items })).toEqual({
      error: 'engine_error',
      delaySeconds: 3,
    });
  });

  it('a live book provokes nothing', () => expect(provokedOutcomes(randomUUID(), { items })).toEqual({}));
});

describe('decideAllocation', () => {
  const unconnected = { tax_id: '514713288', allocation_threshold_net: 5000, tax_authority_connected: false };
  const connected = { ...unconnected, tax_authority_connected: true };
  const document = (book: string, sku: string | null, type: 'tax_invoice' | 'quote' = 'tax_invoice') => ({
    business_id: book,
    items: [{ sku: null }, { sku }],
    type,
    date: '2026-06-15',
    totals: { subtotal: 6000, discount: 0, vat: 1080 },
    customer: { tax_id: '777777723', legal_type: null },
  });

  it.each(Object.entries(testSkus.allocation))(
    'the item %s provokes the outcome %s in a test book, whatever the settings, and changes nothing in a live one',
    (sku, outcome) => {
      for (const business of [connected, unconnected]) {
        expect(decideAllocation(document(inTestBook, sku), business)).toMatchObject(
          ['issued', 'failed', 'late'].includes(outcome) ? { required: true } : { status: outcome },
        );
        const live = document(liveBook, sku);
        expect(decideAllocation(live, business)).toEqual(allocationLaw.decideAllocation(live, business));
        const quote = document(inTestBook, sku, 'quote');
        expect(decideAllocation(quote, business)).toEqual(allocationLaw.decideAllocation(quote, business));
      }
    },
  );

  it('undeductibleVat of a document of either book is that of the law, unless an item provokes what becomes of its number', () => {
    const vatOf = (book: string, sku: string | null) => undeductibleVat(document(book, sku), unconnected, 80);
    expect([vatOf(liveBook, null), vatOf(inTestBook, null)]).toEqual([100_000n, 100_000n]);
    expect(vatOf(liveBook, 'test_allocation_not_required')).toBe(100_000n);
    for (const sku of Object.keys(testSkus.allocation)) {
      expect(vatOf(inTestBook, sku)).toBe(0n);
    }
  });
});

describe('decideDelivery', () => {
  const document = (book: string, sku: string | null, phone: string | null = null) => ({
    business_id: book,
    items: [{ sku }],
    issued_at: '2026-06-15T09:00:00.000Z',
    send: false,
    customer: { email: 'customer@example.com', phone },
  });
  const off: deliveryLaw.DeliveringBusiness = {
    auto_send: { enabled: false, channel: 'whatsapp', quiet_hours: '00:00-23:00' },
    accountant_copy: { enabled: false, email: null },
  };
  const onlyEmail: deliveryLaw.RecipientCheck = { suppressed: ['email'], whatsapp_configured: false };

  it.each(Object.entries(testSkus.delivery))(
    'the item %s provokes the outcome %s in a test book, whatever the settings, and changes nothing in a live one',
    (sku, outcome) => {
      const isSent = outcome === 'queued' || outcome === 'failed' || outcome === 'deferred_quiet_hours';
      // The channel of the business has no address: the email is used.
      expect(decideDelivery(document(inTestBook, sku), off, onlyEmail)).toEqual({
        outcome: {
          status: outcome === 'failed' ? 'queued' : outcome,
          channel: isSent ? 'email' : null,
          scheduled_for: outcome === 'deferred_quiet_hours' ? '2026-06-15T10:00:00.000Z' : null,
        },
        addresses: isSent ? [{ channel: 'email', address: 'customer@example.com' }] : [],
      });
      const live = document(liveBook, sku);
      expect(decideDelivery(live, off, onlyEmail)).toEqual(deliveryLaw.decideDelivery(live, off, onlyEmail));
    },
  );

  it('a message that is provoked leaves by the channel of the business where that has an address, and not without any', () => {
    const { outcome } = decideDelivery(
      document(inTestBook, 'test_delivery_queued', '050-1234567'),
      off,
      onlyEmail,
    );
    expect(outcome).toEqual({ status: 'queued', channel: 'whatsapp', scheduled_for: null });
    for (const sku of ['test_delivery_queued', 'test_delivery_deferred_quiet_hours']) {
      const nobody = { ...document(inTestBook, sku), customer: { email: null, phone: null } };
      expect(decideDelivery(nobody, off, onlyEmail).outcome.status).toBe('no_recipient');
    }
  });

  it('a test book needs no WhatsApp account', () => {
    const on = { ...off, auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: null } as const };
    const statusIn = (book: string) =>
      decideDelivery({ ...document(book, null, '050-1234567'), send: true }, on, onlyEmail).outcome.status;
    expect([statusIn(inTestBook), statusIn(liveBook)]).toEqual(['queued', 'send_failed']);
  });

  it('addressesToCheck has the addresses of a document, unless its outcome is provoked', () => {
    const on = { ...off, auto_send: { enabled: true, channel: 'email', quiet_hours: null } as const };
    const found = (book: string, sku: string) => addressesToCheck({ ...document(book, sku), send: true }, on);
    expect(found(liveBook, 'test_delivery_queued')).toHaveLength(1);
    expect(found(inTestBook, 'A-1')).toHaveLength(1);
    expect(found(inTestBook, 'test_delivery_queued')).toEqual([]);
  });
});

describe('decideDonation', () => {
  const institution = {
    legal_type: 'amuta' as const,
    tax_id: '580000008',
    donation_approval: { valid_until: null },
  };
  const receipt = { type: 'donation_receipt' as const, date: '2026-03-01', totals: { total: 100 } };

  it.each(Object.entries(testSkus.donation))(
    'the item %s provokes the outcome %s of a donation in a test book, and changes nothing in a live one',
    (sku, outcome) => {
      const required = outcome !== 'not_required';
      const business = { ...institution, tax_authority_connected: !required };
      const decide = (business_id: string) =>
        decideDonation({ ...receipt, business_id, items: [{ sku }] }, business).required;
      expect([decide(inTestBook), decide(liveBook)]).toEqual([required, !required]);
    },
  );

  it('an item provokes nothing of a receipt of a date before the law', () => {
    const items = [{ sku: 'test_donation_reported' }];
    const document = { ...receipt, date: '2025-12-31', business_id: inTestBook, items };
    expect(decideDonation(document, { ...institution, tax_authority_connected: true }).required).toBe(false);
  });
});
