import { describe, expect, it } from '@jest/globals';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { planDelivery } from './delivery-plan.js';

const noon = new Date('2026-06-15T09:00:00Z');
const night = new Date('2026-06-15T20:00:00Z');

const plan = (
  change: {
    enabled?: boolean;
    channel?: Business['auto_send']['channel'];
    quietHours?: string | null;
    accountant?: Business['accountant_copy'];
    send?: boolean;
    email?: string | null;
    phone?: string | null;
    whatsappConfigured?: boolean;
    suppressed?: readonly string[];
  } = {},
  now = noon,
) =>
  planDelivery(
    {
      send: change.send ?? true,
      customer: {
        email: change.email === undefined ? 'customer@example.com' : change.email,
        phone: change.phone ?? null,
      },
    } as IssuedDocument,
    {
      auto_send: {
        enabled: change.enabled ?? true,
        channel: change.channel ?? 'email',
        quiet_hours: change.quietHours ?? null,
      },
      accountant_copy: change.accountant ?? { enabled: false, email: null },
    } as Business,
    {
      now,
      whatsappConfigured: change.whatsappConfigured ?? false,
      isSuppressed: ({ address }) => change.suppressed?.includes(address) ?? false,
    },
  );

const nothing = (status: string) => ({
  outcome: { status, channel: null, scheduled_for: null },
  messages: [],
});

describe('planDelivery for the customer', () => {
  it('planDelivery queues an email to the address on the document', () => {
    expect(plan()).toEqual({
      outcome: { status: 'queued', channel: 'email', scheduled_for: null },
      messages: [
        { channel: 'email', purpose: 'customer', recipient: 'customer@example.com', notBefore: null },
      ],
    });
  });

  it('planDelivery checks auto-send, suppression, recipient and quiet hours in this order', () => {
    const worst = { enabled: false, send: false, email: null, quietHours: '22:00-07:00' };
    expect(plan(worst, night)).toEqual(nothing('disabled'));
    expect(plan({ ...worst, enabled: true }, night)).toEqual(nothing('suppressed'));
    expect(plan({ ...worst, enabled: true, send: true }, night)).toEqual(nothing('no_recipient'));
    expect(plan({ quietHours: '22:00-07:00' }, night)).toMatchObject({
      outcome: {
        status: 'deferred_quiet_hours',
        channel: 'email',
        scheduled_for: '2026-06-16T04:00:00.000Z',
      },
      messages: [{ notBefore: new Date('2026-06-16T04:00:00Z') }],
    });
    expect(plan({ quietHours: '22:00-07:00' }, noon).outcome.status).toBe('queued');
  });

  it.each([
    ['email', 'a@example.com', null, 'queued', 'email'],
    ['email', null, '03-1234567', 'no_recipient', null],
    ['whatsapp', 'a@example.com', null, 'no_recipient', null],
    ['whatsapp', 'a@example.com', '03-1234567', 'send_failed', 'whatsapp'],
    ['both', 'a@example.com', '03-1234567', 'queued', 'email'],
    ['both', 'a@example.com', null, 'queued', 'email'],
    ['both', null, '03-1234567', 'send_failed', 'whatsapp'],
    ['both', null, null, 'no_recipient', null],
  ] as const)(
    'planDelivery without WhatsApp, channel %s, email %s and phone %s returns %s',
    (channel, email, phone, status, used) => {
      const planned = plan({ channel, email, phone });
      expect(planned.outcome).toEqual({ status, channel: used, scheduled_for: null });
      expect(planned.messages.filter(({ failure }) => failure === undefined)).toHaveLength(
        status === 'queued' ? 1 : 0,
      );
    },
  );

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

  const mail = 'a@example.com';
  const phone = '+972501234567';
  it.each([
    ['email', mail, '050-1234567', [], 'queued', 'email', [mail]],
    ['whatsapp', mail, '050-1234567', [], 'queued', 'whatsapp', [phone]],
    ['whatsapp', null, '1234567', [], 'no_recipient', null, []],
    ['both', mail, '050-1234567', [], 'queued', 'both', [mail, phone]],
    ['both', mail, '1234567', [], 'queued', 'email', [mail]],
    ['both', null, '050-1234567', [], 'queued', 'whatsapp', [phone]],
    ['both', null, null, [], 'no_recipient', null, []],
    ['both', mail, '050-1234567', [mail], 'queued', 'whatsapp', [phone]],
    ['both', mail, '050-1234567', [phone], 'queued', 'email', [mail]],
    ['both', mail, '050-1234567', [mail, phone], 'suppressed', null, []],
    ['email', mail, null, [mail], 'suppressed', null, []],
    ['whatsapp', mail, '050-1234567', [phone], 'suppressed', null, []],
  ] as const)(
    'planDelivery by channel %s with email %s, phone %s and suppressed %p returns %s by %s',
    (channel, email, number, suppressed, status, used, recipients) => {
      const planned = plan({ channel, email, phone: number, suppressed, whatsappConfigured: true });
      expect(planned.outcome).toEqual({ status, channel: used, scheduled_for: null });
      expect(planned.messages.map(({ recipient }) => recipient)).toEqual(recipients);
    },
  );

  it('planDelivery by both channels defers both messages to the end of the quiet hours', () => {
    const planned = plan(
      { channel: 'both', phone: '050-1234567', whatsappConfigured: true, quietHours: '22:00-07:00' },
      night,
    );
    expect(planned.outcome).toEqual({
      status: 'deferred_quiet_hours',
      channel: 'both',
      scheduled_for: '2026-06-16T04:00:00.000Z',
    });
    expect(planned.messages.map(({ notBefore }) => notBefore?.toISOString())).toEqual([
      '2026-06-16T04:00:00.000Z',
      '2026-06-16T04:00:00.000Z',
    ]);
  });
});

describe('planDelivery for the accountant', () => {
  const accountant = { enabled: true, email: 'accountant@example.com' };

  it.each([
    ['auto-send is off', { enabled: false }],
    ['the caller suppressed the mail', { send: false }],
    ['the customer has no address', { email: null }],
  ])("planDelivery sends the accountant's copy although %s", (_case, change) => {
    expect(plan({ ...change, accountant }).messages).toEqual([
      { channel: 'email', purpose: 'accountant', recipient: 'accountant@example.com', notBefore: null },
    ]);
  });

  it("planDelivery sends the accountant's copy in quiet hours", () => {
    expect(
      plan({ accountant, quietHours: '22:00-07:00' }, night).messages.map(({ purpose, notBefore }) => [
        purpose,
        notBefore?.toISOString() ?? null,
      ]),
    ).toEqual([
      ['customer', '2026-06-16T04:00:00.000Z'],
      ['accountant', null],
    ]);
  });

  it("planDelivery plans a separate accountant's copy to the address of the customer", () => {
    const same = { enabled: true, email: 'customer@example.com' };
    expect(plan({ accountant: same }).messages.map(({ purpose, recipient }) => [purpose, recipient])).toEqual(
      [
        ['customer', 'customer@example.com'],
        ['accountant', 'customer@example.com'],
      ],
    );
  });

  it("planDelivery plans the accountant's copy to a suppressed address, where it fails visibly", () => {
    const same = { enabled: true, email: 'customer@example.com' };
    const planned = plan({ accountant: same, suppressed: ['customer@example.com'] });
    expect(planned.outcome.status).toBe('suppressed');
    expect(planned.messages.map(({ purpose }) => purpose)).toEqual(['accountant']);
  });

  it("planDelivery plans no accountant's copy when it is disabled or has no address", () => {
    expect(plan({ send: false, accountant: { enabled: false, email: 'a@example.com' } }).messages).toEqual(
      [],
    );
    expect(plan({ send: false, accountant: { enabled: true, email: null } }).messages).toEqual([]);
  });
});
