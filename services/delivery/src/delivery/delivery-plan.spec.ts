import { describe, expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { planDelivery } from './delivery-plan.js';

const noon = '2026-06-15T09:00:00.000Z';
const night = '2026-06-15T20:00:00.000Z';
const customer = 'customer@example.com';

const businessId = '5d1f6f0c-3c1a-4d0e-9b53-0f5a6f6f1c11';

const plan = ({
  enabled = true,
  channel = 'email',
  quietHours = null,
  accountant = { enabled: false, email: null },
  send = true,
  email = customer,
  phone = null,
  suppressed = false,
  at = noon,
}: {
  enabled?: boolean;
  channel?: Business['auto_send']['channel'];
  quietHours?: string | null;
  accountant?: Business['accountant_copy'];
  send?: boolean;
  email?: string | null;
  phone?: string | null;
  suppressed?: boolean;
  at?: string;
}) =>
  planDelivery(
    { business_id: businessId, issued_at: at, send, customer: { email, phone } } as IssuedDocument,
    {
      auto_send: { enabled, channel, quiet_hours: quietHours },
      accountant_copy: accountant,
    } as Business,
    { suppressed: suppressed ? ['email'] : [], whatsapp_configured: false },
  );

describe('planDelivery', () => {
  it('planDelivery fails a message visibly when only WhatsApp could carry it and is not configured', () => {
    expect(plan({ channel: 'both', email: null, phone: '050-1234567' }).messages).toEqual([
      {
        channel: 'whatsapp',
        purpose: 'customer',
        recipient: '+972501234567',
        notBefore: null,
        failure: 'WhatsApp is not set up.',
      },
    ]);
  });

  const accountant = { enabled: true, email: 'accountant@example.com' };

  it.each([
    ['auto-send is off', { enabled: false }],
    ['the caller suppressed the mail', { send: false }],
    ['the customer has no address', { email: null }],
    ["the customer's address is suppressed", { suppressed: true }],
  ])("planDelivery sends the accountant's copy although %s", (_case, change) => {
    expect(plan({ ...change, accountant }).messages).toEqual([
      { channel: 'email', purpose: 'accountant', recipient: 'accountant@example.com', notBefore: null },
    ]);
  });

  it("planDelivery sends the accountant's copy in quiet hours, also to the address of the customer", () => {
    const same = { enabled: true, email: customer };
    expect(plan({ accountant: same, quietHours: '22:00-07:00', at: night }).messages).toEqual([
      {
        channel: 'email',
        purpose: 'customer',
        recipient: customer,
        notBefore: new Date('2026-06-16T04:00:00Z'),
      },
      { channel: 'email', purpose: 'accountant', recipient: customer, notBefore: null },
    ]);
  });

  it("planDelivery plans no accountant's copy when it is disabled or has no address", () => {
    expect(
      plan({ send: false, accountant: { enabled: false, email: 'accountant@example.com' } }).messages,
    ).toEqual([]);
    expect(plan({ send: false, accountant: { enabled: true, email: null } }).messages).toEqual([]);
  });
});
