import { describe, expect, it } from '@jest/globals';
import { parsePhoneNumber } from '../text/phone-number.js';
import { type DeliveringBusiness, decideDelivery, type MessageChannel } from './delivery-decision.js';

const noon = '2026-06-15T09:00:00.000Z';
const night = '2026-06-15T20:00:00.000Z';
const nightEnd = '2026-06-16T04:00:00.000Z';
const mail = 'customer@example.com';
const phone = '+972501234567';
const decide = ({
  enabled = true,
  channel = 'email',
  quietHours = null,
  send = true,
  email = mail,
  number = null,
  suppressed = [],
  whatsapp = true,
  at = noon,
}: {
  enabled?: boolean;
  channel?: DeliveringBusiness['auto_send']['channel'];
  quietHours?: string | null;
  send?: boolean;
  email?: string | null;
  number?: string | null;
  suppressed?: readonly MessageChannel[];
  whatsapp?: boolean;
  at?: string;
}) =>
  decideDelivery(
    { issued_at: at, send, customer: { email, phone: number } },
    {
      auto_send: { enabled, channel, quiet_hours: quietHours },
      accountant_copy: { enabled: false, email: null },
    },
    { suppressed, whatsapp_configured: whatsapp },
  );

describe('decideDelivery', () => {
  it('decideDelivery checks auto-send, suppression, recipient and quiet hours in this order', () => {
    const worst = { enabled: false, send: false, email: null, quietHours: '22:00-07:00', at: night };
    const nothing = (status: string) => ({
      outcome: { status, channel: null, scheduled_for: null },
      addresses: [],
    });
    expect(decide(worst)).toEqual(nothing('disabled'));
    expect(decide({ ...worst, enabled: true })).toEqual(nothing('suppressed'));
    expect(decide({ ...worst, enabled: true, send: true })).toEqual(nothing('no_recipient'));
    expect(decide({ ...worst, enabled: true, send: true, email: mail }).outcome.status).toBe(
      'deferred_quiet_hours',
    );
    expect(decide({ quietHours: '22:00-07:00' }).outcome.status).toBe('queued');
  });

  it.each([
    ['email', mail, null, [], true, 'queued', 'email', [mail]],
    ['email', null, '03-1234567', [], true, 'no_recipient', null, []],
    ['email', mail, '050-1234567', [], true, 'queued', 'email', [mail]],
    ['email', mail, null, ['email'], true, 'suppressed', null, []],
    ['whatsapp', mail, null, [], true, 'no_recipient', null, []],
    ['whatsapp', null, '1234567', [], true, 'no_recipient', null, []],
    ['whatsapp', mail, '050-1234567', [], true, 'queued', 'whatsapp', [phone]],
    ['whatsapp', mail, '050-1234567', [], false, 'send_failed', 'whatsapp', [phone]],
    ['whatsapp', mail, '050-1234567', ['whatsapp'], true, 'suppressed', null, []],
    ['both', null, null, [], true, 'no_recipient', null, []],
    ['both', mail, '1234567', [], true, 'queued', 'email', [mail]],
    ['both', null, '050-1234567', [], true, 'queued', 'whatsapp', [phone]],
    ['both', null, '050-1234567', [], false, 'send_failed', 'whatsapp', [phone]],
    ['both', mail, '050-1234567', [], true, 'queued', 'both', [mail, phone]],
    ['both', mail, '050-1234567', [], false, 'queued', 'email', [mail]],
    ['both', mail, '050-1234567', ['email'], true, 'queued', 'whatsapp', [phone]],
    ['both', mail, '050-1234567', ['email'], false, 'send_failed', 'whatsapp', [phone]],
    ['both', mail, '050-1234567', ['whatsapp'], true, 'queued', 'email', [mail]],
    ['both', mail, '050-1234567', ['email', 'whatsapp'], true, 'suppressed', null, []],
  ] as const)(
    'decideDelivery by channel %s with email %s, phone %s, suppressed %p and WhatsApp configured %p returns %s by %s',
    (channel, email, number, suppressed, whatsapp, status, used, addresses) => {
      const decision = decide({ channel, email, number, suppressed, whatsapp });
      expect(decision.outcome).toEqual({ status, channel: used, scheduled_for: null });
      expect(decision.addresses.map(({ address }) => address)).toEqual(addresses);
    },
  );

  it('decideDelivery defers both messages to the end of the quiet hours in which the document was issued', () => {
    const deferred = decide({ channel: 'both', number: phone, quietHours: '22:00-07:00', at: night });
    expect(deferred).toEqual({
      outcome: { status: 'deferred_quiet_hours', channel: 'both', scheduled_for: nightEnd },
      addresses: [
        { channel: 'email', address: mail },
        { channel: 'whatsapp', address: phone },
      ],
    });
  });
});

describe('parsePhoneNumber', () => {
  it.each([
    ['050-1234567', '+972501234567'],
    ['050 123 4567', '+972501234567'],
    ['0501234567', '+972501234567'],
    ['077-1234567', '+972771234567'],
    ['02-1234567', '+97221234567'],
    ['03-0000000', '+97230000000'],
    ['+972-50-1234567', '+972501234567'],
    ['+972 (0)50 1234567', '+972501234567'],
    ['+44 7911 123456', '+447911123456'],
    ['+1 212 555 0100', '+12125550100'],
    ['972501234567', '+972501234567'],
    ['972-0501234567', '+972501234567'],
    ['972 50-123-4567', '+972501234567'],
    ['501234567', '+972501234567'],
    ['50-1234567', '+972501234567'],
  ])('parsePhoneNumber reads %s as %s', (text, number) => expect(parsePhoneNumber(text)).toBe(number));

  it.each([
    '',
    '1234567',
    '97221234567',
    '21234567',
    '5012345678',
    '50123456',
    '50-1234567 ext 5',
    '0501234',
    '050123456789012',
    '+1 555-555-5555',
    '+999 1234567',
    '050-1234567 ext 5',
    '--------',
    '0',
    '+',
  ])('parsePhoneNumber rejects %p', (text) => expect(parsePhoneNumber(text)).toBeNull());
});
