import { describe, expect, it } from '@jest/globals';
import { type Business, type IssuedDocument } from '@pinkas/contracts';
import { sendTransition } from '../message/send-policy.js';
import { normaliseAddress, parseAddress, parseRecipient } from '../suppression/address.js';
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
const now = new Date('2026-06-15T08:00:00Z');
const fresh = { attempts: 0, unknown_outcomes: 0, first_attempt_at: null, cancelled: false };

describe('normaliseAddress', () => {
  it('normaliseAddress folds the letter case of an email address', () => {
    expect(normaliseAddress('email', 'Customer@Example.COM')).toBe('customer@example.com');
  });
});

describe('parseAddress', () => {
  it('parseAddress recognizes the channel of an address', () => {
    expect(parseAddress(' Customer@Example.com ')).toEqual({
      channel: 'email',
      address: 'customer@example.com',
    });
    expect(parseAddress('050-1234567')).toEqual({ channel: 'whatsapp', address: '+972501234567' });
    expect(parseAddress('customer')).toBeNull();
    expect(parseAddress('a b@example.com')).toBeNull();
  });
});

describe('parseRecipient', () => {
  it('parseRecipient reads an address of the channel only', () => {
    expect(parseRecipient('email', ' Customer@Example.com ')).toBe('Customer@example.com');
    expect(parseRecipient('email', '050-1234567')).toBeNull();
    expect(parseRecipient('whatsapp', '050-1234567')).toBe('+972501234567');
    expect(parseRecipient('whatsapp', 'customer@example.com')).toBeNull();
  });
});

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

describe('sendTransition', () => {
  it('sendTransition marks an accepted message as sent', () => {
    expect(sendTransition(fresh, { kind: 'accepted' }, now)).toMatchObject({
      state: 'sent',
      attempts: 1,
      nextAttemptAt: null,
      lastError: null,
    });
  });

  it('sendTransition fails a permanently rejected message with the reason of the provider', () => {
    expect(sendTransition(fresh, { kind: 'permanent', reason: '550 no such mailbox' }, now)).toMatchObject({
      state: 'failed',
      nextAttemptAt: null,
      lastError: '550 no such mailbox',
    });
  });

  it('sendTransition repeats a temporary failure and fails after a day', () => {
    const outcome = { kind: 'temporary', reason: '451 later' } as const;
    expect(sendTransition(fresh, outcome, now)).toMatchObject({
      state: 'ready',
      nextAttemptAt: new Date('2026-06-15T08:00:05Z'),
      firstAttemptAt: now,
    });
    const dayLater = new Date(now.getTime() + 24 * 3_600_000);
    expect(
      sendTransition(
        { attempts: 26, unknown_outcomes: 0, first_attempt_at: now, cancelled: false },
        outcome,
        dayLater,
      ),
    ).toMatchObject({ state: 'failed', lastError: '451 later' });
  });

  it('sendTransition repeats an unknown outcome once and never a third time', () => {
    const outcome = { kind: 'unknown', reason: 'no answer' } as const;
    const once = sendTransition(fresh, outcome, now);
    expect(once).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    const between = sendTransition(
      { attempts: 1, unknown_outcomes: 1, first_attempt_at: now, cancelled: false },
      { kind: 'temporary', reason: '451 later' },
      now,
    );
    expect(between).toMatchObject({ state: 'ready', unknownOutcomes: 1 });
    expect(
      sendTransition(
        { attempts: 2, unknown_outcomes: 1, first_attempt_at: now, cancelled: false },
        outcome,
        now,
      ),
    ).toMatchObject({ state: 'failed', unknownOutcomes: 2, nextAttemptAt: null });
  });

  it('sendTransition does not repeat an attempt for a cancelled document', () => {
    for (const [kind, unknownOutcomes] of [
      ['temporary', 0],
      ['unknown', 1],
    ] as const) {
      expect(sendTransition({ ...fresh, cancelled: true }, { kind, reason: '451 later' }, now)).toMatchObject(
        {
          state: 'withdrawn',
          attempts: 1,
          unknownOutcomes,
          nextAttemptAt: null,
          lastError: '451 later',
        },
      );
    }
  });

  it('sendTransition keeps a final outcome although the document is cancelled', () => {
    const cancelled = { ...fresh, cancelled: true };
    expect(sendTransition(cancelled, { kind: 'accepted' }, now)).toMatchObject({ state: 'sent' });
    expect(sendTransition(cancelled, { kind: 'permanent', reason: '550 no' }, now)).toMatchObject({
      state: 'failed',
    });
  });
});
