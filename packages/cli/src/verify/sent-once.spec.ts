import { describe, expect, it } from '@jest/globals';
import { exampleAudits, exampleEntry, exampleMessage } from '../../test/example-book.js';
import { faultsOfDelivery } from './sent-once.js';

const entry = exampleEntry();
const faults = (
  messages: readonly Parameters<typeof exampleMessage>[0][],
  status: NonNullable<typeof entry.delivery>['status'] = 'queued',
) =>
  faultsOfDelivery(
    { ...entry, delivery: { status, channel: null, scheduled_for: null } },
    { ...exampleAudits(entry.document).delivery, messages: messages.map((change) => exampleMessage(change)) },
  ).map(({ check, message }) => `${check}: ${message}`);

describe('a delivery', () => {
  it('is right when each recipient got it once by each channel, for each purpose', () => {
    expect(
      faults([
        {},
        { purpose: 'accountant' },
        { channel: 'whatsapp', recipient: '+972500000000' },
        { recipient: 'other@example.com' },
        { state: 'failed', recipient: 'third@example.com', accepted: 0 },
      ]),
    ).toEqual([]);
  });

  it('is wrong when one recipient got it twice, in one message or in two', () => {
    const twice = ['deliveries: it was sent to the customer by email 2 times'];
    expect(faults([{ accepted: 2 }])).toEqual(twice);
    expect(faults([{}, {}])).toEqual(twice);
  });

  it('may have arrived once more where its outcome was unknown, and no oftener', () => {
    expect(faults([{ accepted: 1, unknown: 1 }])).toEqual([]);
    expect(faults([{ accepted: 0, unknown: 2 }])).toEqual([]);
    // Both were taken after all.
    expect(faults([{ accepted: 2, unknown: 1 }])).toEqual([]);
    expect(faults([{ accepted: 3, unknown: 1 }])).toEqual([
      'deliveries: it was sent to the customer by email 3 times',
    ]);
    expect(faults([{ accepted: 0, unknown: 3 }])).toEqual([
      'deliveries: it may have been sent to the customer by email 3 times',
    ]);
    expect(faults([{ accepted: 0, unknown: 3, resends: 1 }])).toEqual([]);
  });

  it.each(['disabled', 'suppressed', 'no_recipient'] as const)(
    'never went to the customer when it is %s',
    (status) => {
      expect(faults([{}], status)).toEqual([
        `deliveries: it was sent to the customer, though it is ${status}`,
      ]);
      expect(faults([{ purpose: 'accountant' }, { accepted: 0 }], status)).toEqual([]);
    },
  );
});
