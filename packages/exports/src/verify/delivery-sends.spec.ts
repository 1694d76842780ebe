import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { exampleAudits, exampleEntry, exampleMessage } from '../../test/example-book.js';
import { checkDelivery } from './delivery-sends.js';

const entry = exampleEntry();
const findings = (
  messages: readonly Parameters<typeof exampleMessage>[0][],
  status: NonNullable<typeof entry.delivery>['status'] = 'queued',
) =>
  checkDelivery(
    { ...entry, delivery: { status, channel: null, scheduled_for: null } },
    { ...exampleAudits(entry.document).delivery, messages: messages.map((change) => exampleMessage(change)) },
  ).map(({ check, message }) => `${check}: ${message}`);

describe('checkDelivery', () => {
  it('one accepted send for each channel, purpose and recipient is no finding', () => {
    expect(
      findings([
        {},
        { purpose: 'accountant' },
        { channel: 'whatsapp', recipient: '+972500000000' },
        { recipient: 'other@example.com' },
        { state: 'failed', recipient: 'third@example.com', accepted: 0 },
      ]),
    ).toEqual([]);
  });

  it('two accepted sends to one recipient are a finding', () => {
    const twice = ['deliveries: it was sent to the customer by email 2 times'];
    expect(findings([{ accepted: 2 }])).toEqual(twice);
    expect(findings([{}, {}])).toEqual(twice);
  });

  it('a follow-up with the allocation number counts separately', () => {
    expect(findings([{}, { follow_up: true }])).toEqual([]);
    expect(findings([{}, { follow_up: true, accepted: 2 }])).toEqual([
      'deliveries: it was sent to the customer by email as a follow-up 2 times',
    ]);
  });

  it('each message that a person asked for counts separately', () => {
    const asked = (change: Parameters<typeof exampleMessage>[0] = {}) => ({
      requested: true,
      delivery_id: randomUUID(),
      ...change,
    });
    expect(findings([{}, asked(), asked(), asked({ accepted: 2, unknown: 1 })])).toEqual([]);
    expect(findings([{}, asked({ accepted: 2 })])).toEqual([
      'deliveries: it was sent to the customer by email on request 2 times',
    ]);
  });

  it('a recipient of planned and requested messages gets one follow-up', () => {
    const followUps = [{ follow_up: true }, { follow_up: true, requested: true, delivery_id: randomUUID() }];
    expect(findings([{}, ...followUps.slice(1)])).toEqual([]);
    expect(findings([{}, ...followUps])).toEqual([
      'deliveries: it was sent to the customer by email as a follow-up 2 times',
    ]);
  });

  it.each(['disabled', 'suppressed', 'no_recipient'] as const)(
    'a person may have a document sent whose delivery is %s',
    (status) => {
      const requested = { requested: true, delivery_id: randomUUID() };
      expect(findings([requested, { ...requested, follow_up: true }], status)).toEqual([]);
    },
  );

  it('a send with an unknown result allows one more', () => {
    expect(findings([{ accepted: 1, unknown: 1 }])).toEqual([]);
    expect(findings([{ accepted: 0, unknown: 2 }])).toEqual([]);
    // The send with the unknown result was accepted as well.
    expect(findings([{ accepted: 2, unknown: 1 }])).toEqual([]);
    expect(findings([{ accepted: 3, unknown: 1 }])).toEqual([
      'deliveries: it was sent to the customer by email 3 times',
    ]);
    expect(findings([{ accepted: 0, unknown: 3 }])).toEqual([
      'deliveries: it may have been sent to the customer by email 3 times',
    ]);
    expect(findings([{ accepted: 0, unknown: 3, resends: 1 }])).toEqual([]);
  });

  it.each(['disabled', 'suppressed', 'no_recipient'] as const)(
    'an accepted send to the customer is a finding when the delivery is %s',
    (status) => {
      expect(findings([{}], status)).toEqual([
        `deliveries: it was sent to the customer, but its delivery is ${status}`,
      ]);
      expect(findings([{ purpose: 'accountant' }, { accepted: 0 }], status)).toEqual([]);
    },
  );
});
