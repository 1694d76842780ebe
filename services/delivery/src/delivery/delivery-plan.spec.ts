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
    now,
  );

const nothing = (status: string) => ({
  outcome: { status, channel: null, scheduled_for: null },
  messages: [],
});

describe("the customer's copy", () => {
  it('is queued to the mail address on the document', () => {
    expect(plan()).toEqual({
      outcome: { status: 'queued', channel: 'email', scheduled_for: null },
      messages: [
        { channel: 'email', purpose: 'customer', recipient: 'customer@example.com', notBefore: null },
      ],
    });
  });

  it('is looked at in this order: auto-send off, suppressed, no recipient, quiet hours', () => {
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
  ] as const)('by %s with mail %s and phone %s is %s', (channel, email, phone, status, used) => {
    const planned = plan({ channel, email, phone });
    expect(planned.outcome).toEqual({ status, channel: used, scheduled_for: null });
    expect(planned.messages).toHaveLength(status === 'queued' ? 1 : 0);
  });
});

describe("the accountant's copy", () => {
  const accountant = { enabled: true, email: 'accountant@example.com' };

  it.each([
    ['auto-send is off', { enabled: false }],
    ['the caller suppressed the mail', { send: false }],
    ['the customer has no address', { email: null }],
  ])('goes out although %s', (_case, change) => {
    expect(plan({ ...change, accountant }).messages).toEqual([
      { channel: 'email', purpose: 'accountant', recipient: 'accountant@example.com', notBefore: null },
    ]);
  });

  it('knows no quiet hours', () => {
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

  it('does not go out when it is switched off, or has no address', () => {
    expect(plan({ send: false, accountant: { enabled: false, email: 'a@example.com' } }).messages).toEqual(
      [],
    );
    expect(plan({ send: false, accountant: { enabled: true, email: null } }).messages).toEqual([]);
  });
});
