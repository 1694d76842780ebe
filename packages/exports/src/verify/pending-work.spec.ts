import { describe, expect, it } from '@jest/globals';
import type { DonationOutcome, MessagingService } from '@pinkas/contracts';
import { type Audits, exampleAudits, exampleEntry, exampleMessage } from '../../test/example-book.js';
import type { DeliveryAudit } from './delivery-sends.js';
import { checkAllocation, type PendingWork, pendingWork, stateOfWork, workGraceMs } from './pending-work.js';

/** An hour after the documents of these tests were issued. */
const now = new Date('2026-06-15T09:00:00.000Z');
const past = '2026-06-15T08:30:00.000Z';
const future = '2026-06-15T09:30:00.000Z';
const failed = { status: 'failed', number: null, reason: 'refused' } as const;

const work = (change: Partial<{ [P in keyof Audits]: Partial<Audits[P]> }>, entry = exampleEntry()) => {
  const audits = exampleAudits(entry.document);
  return pendingWork(
    entry,
    {
      customer: { ...audits.customer, ...change.customer },
      allocation: { ...audits.allocation, ...change.allocation },
      delivery: { ...audits.delivery, ...change.delivery },
      artifact: { ...audits.artifact, ...change.artifact },
    },
    now,
  );
};
const messages = (...args: Parameters<typeof work>) => work(...args).map((item) => item.message);
const message = (change: Parameters<typeof exampleMessage>[0]) => ({
  delivery: { messages: [exampleMessage({ ...change, accepted: 0 })] },
});

describe('pendingWork', () => {
  it('a document with all work done has no pending work', () => expect(messages({})).toEqual([]));

  it('work with a known next attempt in the future is not pending', () => {
    const requested = exampleEntry({}, { allocation: failed });
    expect(
      messages({ allocation: { state: 'pending', number: null, next_attempt_at: future } }, requested),
    ).toEqual([]);
    expect(messages(message({ state: 'ready', next_attempt_at: future }))).toEqual([]);
  });

  it('a message that left without the allocation number needs a follow-up once there is one', () => {
    const left = exampleMessage({ without_number: 1 });
    const accountant = exampleMessage({ purpose: 'accountant', without_number: 1 });
    const sent = (...args: DeliveryAudit['messages']) => ({ delivery: { messages: args } });
    const missing = (purpose: string) =>
      `its message to the ${purpose} by email left without the allocation number, and no follow-up brings it`;
    expect(messages(sent(left, accountant))).toEqual([missing('customer'), missing('accountant')]);
    expect(messages(sent(left, accountant, { ...accountant, follow_up: true, without_number: 0 }))).toEqual([
      missing('customer'),
    ]);
    const settled_at = '2026-06-15T08:59:30.000Z';
    expect(work({ ...sent(left), allocation: { settled_at } }).map(({ due }) => due.toISOString())).toEqual([
      settled_at,
    ]);
    const requested = exampleEntry({}, { allocation: failed });
    expect(
      messages(
        { ...sent(left), allocation: { state: 'pending', number: null, next_attempt_at: future } },
        requested,
      ),
    ).toEqual([]);
    expect(messages(sent(exampleMessage({ without_number: 0 })))).toEqual([]);
    const entry = exampleEntry();
    expect(messages(sent(left), { ...entry, state: { ...entry.state, cancelled_at: past } })).toEqual([]);
    expect(
      messages(sent(exampleMessage({ follow_up: true, state: 'ready', next_attempt_at: past }))),
    ).toEqual(['its follow-up to the customer by email is due and was not sent']);
  });

  it('a message that is being sent is not pending', () =>
    expect(messages(message({ state: 'sending', next_attempt_at: future }))).toEqual([]));

  it.each(['refused', 'dead_lettered'] as const)('an allocation number in state %s is not pending', (state) =>
    expect(
      messages({ allocation: { state, number: null } }, exampleEntry({}, { allocation: failed })),
    ).toEqual([]),
  );

  it('a failed message is not pending', () => expect(messages(message({ state: 'failed' }))).toEqual([]));

  it('a withdrawn message is pending unless the document is cancelled', () => {
    const entry = exampleEntry();
    const cancelled = { ...entry, state: { ...entry.state, cancelled_at: past } };
    expect(messages(message({ state: 'withdrawn' }), cancelled)).toEqual([]);
    expect(messages(message({ state: 'withdrawn' }), entry)).toEqual([
      'its message to the customer by email was withdrawn, but the document is not cancelled',
    ]);
  });

  it('a reminder that is withdrawn once all is paid, and one that left without the number, are not pending', () => {
    const reminder = { requested: true, reminder: true } as const;
    expect(
      messages({
        delivery: { messages: [exampleMessage(), exampleMessage({ ...reminder, state: 'withdrawn' })] },
      }),
    ).toEqual([]);
    for (const statement of [false, true]) {
      const left = exampleMessage({ ...reminder, statement, without_number: 1 });
      expect(messages({ delivery: { messages: [exampleMessage(), left] } })).toEqual([]);
    }
    const late = exampleMessage({ ...reminder, state: 'ready', next_attempt_at: past });
    expect(messages({ delivery: { messages: [exampleMessage(), late] } })).toEqual([
      'its reminder to the customer by email is due and was not sent',
    ]);
  });

  it('a missing message is pending for each channel of the delivery', () => {
    const promised = (status: 'queued' | 'disabled', channel: 'email' | 'whatsapp' | 'both' | null) =>
      exampleEntry({}, { delivery: { status, channel, scheduled_for: null } });
    const none = { delivery: { messages: [exampleMessage({ purpose: 'accountant' })] } };
    expect(messages(none, promised('disabled', null))).toEqual([]);
    expect(messages(none, promised('queued', 'email'))).toEqual([
      'there is no message to the customer by email, which its delivery requires',
    ]);
    expect(messages({}, promised('queued', 'both'))).toEqual([
      'there is no message to the customer by whatsapp, which its delivery requires',
    ]);
    // One that a person asked for is not the one that was promised.
    const requested = { delivery: { messages: [exampleMessage({ requested: true })] } };
    expect(messages(requested, promised('queued', 'email'))).toEqual([
      'there is no message to the customer by email, which its delivery requires',
    ]);
  });

  it('a number that is required and not requested is pending, and one that is not required is nothing', () => {
    const none = { allocation: { state: null, number: null } };
    for (const allocation of [null, failed]) {
      expect(messages(none, exampleEntry({}, { allocation }))).toEqual([
        'its allocation number is required, and not requested',
      ]);
    }
    const allocation = { status: 'not_required', number: null, reason: 'Below.' } as const;
    expect(messages(none, exampleEntry({}, { allocation }))).toEqual([]);
    expect(messages({}, exampleEntry({}, { allocation }))).toEqual([
      'the book has not_required as its allocation, and the allocation service has issued',
    ]);
  });

  it('a message to the accountant that its business requires is pending until it is planned', () => {
    const entry = exampleEntry({}, { accountant_copy: true });
    expect(messages({}, entry)).toEqual([
      'there is no message to the accountant by email, which its delivery requires',
    ]);
    const copy = exampleMessage({ purpose: 'accountant' });
    expect(messages({ delivery: { messages: [exampleMessage(), copy] } }, entry)).toEqual([]);
  });

  it('a customer without a card, and a card without a detail of the document, are pending', () => {
    expect(messages({ customer: { details: null } })).toEqual(['its customer is not recorded on a card']);
    const { document } = exampleEntry();
    const customer = { ...document.customer, legal_type: null };
    const entry = exampleEntry({ customer });
    expect(messages({ customer: { details: ['tax_id'] } }, entry)).toEqual([
      'the card of its customer has no email, which the document has',
    ]);
    expect(messages({ customer: { details: ['tax_id', 'email', 'phone'] } }, entry)).toEqual([]);
  });

  it('work that is due and not done is pending', () => {
    const requested = exampleEntry({}, { allocation: failed });
    expect(
      messages({ allocation: { state: 'pending', number: null, next_attempt_at: past } }, requested),
    ).toEqual(['the request for its allocation number is overdue']);
    expect(messages(message({ state: 'ready', next_attempt_at: past }))).toEqual([
      'its message to the customer by email is due and was not sent',
    ]);
    expect(messages(message({ state: 'waiting' }))).toEqual([
      'its message to the customer by email still waits for its PDF',
    ]);
    expect(messages(message({ state: 'sending', next_attempt_at: past }))).toEqual([
      'its message to the customer by email was being sent and has no result',
    ]);
    expect(messages({ artifact: { pending: ['final', 'allocation_number', 'cancelled'] } })).toEqual([
      'none of its PDFs is final',
      'none of its PDFs has its allocation number',
      'none of its PDFs says that it is cancelled',
    ]);
  });

  it('outcomes that the book has not recorded are pending', () => {
    expect(messages({}, exampleEntry({}, { allocation: null }))).toEqual([
      'the book has nothing as its allocation, and the allocation service has issued',
    ]);
    expect(messages({ allocation: { state: 'refused', number: null } })).toEqual([
      'the book has issued as its allocation, and the allocation service has refused',
    ]);
  });
});

describe('pendingWork of a donation', () => {
  const number = '405123456789';
  const entryOf = (donation: DonationOutcome) =>
    exampleEntry(
      { type: 'donation_receipt' },
      {
        allocation: { status: 'not_required', number: null, reason: 'x' },
        state: { status: 'closed', paid: 0, allocation_number: null, donation, cancelled_at: null },
      },
    );
  const outcome = (status: DonationOutcome['status'], given: string | null = null): DonationOutcome => ({
    status,
    number: given,
    reason: given === null ? 'x' : null,
  });
  const donated = (
    donation: DonationOutcome,
    allocation: Partial<Audits['allocation']>,
    more: Parameters<typeof work>[0] = {},
  ) =>
    messages({ ...more, allocation: { kind: 'donation', number: null, ...allocation } }, entryOf(donation));

  it('a donation that is reported, and one that is not to be reported, have no pending work', () => {
    expect(donated(outcome('reported', number), { state: 'issued', number })).toEqual([]);
    expect(donated(outcome('not_required'), { state: null })).toEqual([]);
    expect(donated(outcome('pending'), { state: 'pending', next_attempt_at: future })).toEqual([]);
    expect(donated(outcome('refused'), { state: 'refused' })).toEqual([]);
    expect(donated(outcome('failed'), { state: 'dead_lettered' })).toEqual([]);
  });

  it('a donation that no report is due of, or whose report is overdue, is pending', () => {
    expect(donated(outcome('pending'), { state: null })).toEqual([
      'its donation is to be reported, and no report of it is due',
    ]);
    expect(donated(outcome('pending'), { state: 'pending', next_attempt_at: past })).toEqual([
      'the report of its donation is overdue',
    ]);
    expect(donated(outcome('pending'), { state: 'issued', number })).toEqual([
      'the book has pending as its donation, and the allocation service has reported',
    ]);
  });

  it('a cancelled report needs the book and its PDF to say so, and no follow-up with its number', () => {
    const left = { delivery: { messages: [exampleMessage({ without_number: 1 })] } };
    const cancelled = { state: 'issued', number, cancelled: true } as const;
    expect(donated(outcome('cancelled', number), cancelled, left)).toEqual([]);
    expect(donated(outcome('reported', number), cancelled)).toEqual([
      'the book has reported as its donation, and the allocation service has cancelled',
    ]);
    const overdue = { ...cancelled, state: 'pending', next_attempt_at: past } as const;
    expect(donated(outcome('reported', number), overdue)).toEqual([
      'the cancellation of the report of its donation is overdue',
    ]);
    const pdf = { artifact: { pending: ['report_cancelled' as const] } };
    expect(donated(outcome('cancelled', number), cancelled, pdf)).toEqual([
      'none of its PDFs says that the report of its donation is cancelled',
    ]);
  });

  it('a number of a report that is not the one of the tax authority is found', () => {
    const entry = entryOf(outcome('reported', number));
    const { allocation } = exampleAudits(entry.document);
    expect(checkAllocation(entry, { ...allocation, number: '1' }).map((finding) => finding.message)).toEqual([
      `the book has the report number ${number}, and the tax authority gave 1`,
    ]);
    expect(checkAllocation(entry, { ...allocation, number })).toEqual([]);
  });
});

describe('stateOfWork', () => {
  const state = (ageMs: number, ...deadLetteredIn: MessagingService[]) => {
    const due = new Date(now.getTime() - ageMs);
    const pending: PendingWork = { message: 'it is missing', due, services: ['delivery'] };
    return stateOfWork(pending, new Set(deadLetteredIn), now);
  };

  it('work is pending for a minute after it is due, and late from then on', () => {
    expect(state(workGraceMs - 1)).toBe('pending');
    expect(state(workGraceMs)).toBe('late');
  });

  it('work is dead-lettered when one of its services has a dead letter of the document', () => {
    expect(state(workGraceMs, 'delivery')).toBe('deadLettered');
    expect(state(workGraceMs, 'customer')).toBe('late');
  });

  it('work on a cancellation is due from the cancellation on', () => {
    const cancelledState = {
      status: 'cancelled',
      paid: 0,
      allocation_number: '123456789',
      cancelled_at: past,
    } as const;
    const [cancelled] = work(
      { artifact: { pending: ['cancelled'] } },
      exampleEntry({}, { state: cancelledState }),
    );
    expect(cancelled?.due).toEqual(new Date(past));
  });
});

describe('checkAllocation', () => {
  const findings = (entry: ReturnType<typeof exampleEntry>, number: string | null) =>
    checkAllocation(entry, { ...exampleAudits(entry.document).allocation, number }).map(
      ({ check, message: text }) => `${check}: ${text}`,
    );
  const state = (allocation_number: string | null) => ({
    state: { status: 'open' as const, paid: 0, allocation_number, cancelled_at: null },
  });

  it('equal allocation numbers have no findings', () => {
    expect(findings(exampleEntry(), '123456789')).toEqual([]);
    expect(findings(exampleEntry({}, { ...state(null), allocation: failed }), null)).toEqual([]);
  });

  it('allocation numbers that differ between the book, its outcome and the tax authority are found', () => {
    expect(findings(exampleEntry(), '987654321')).toEqual([
      'allocation: the book has the allocation number 123456789, and the tax authority gave 987654321',
    ]);
    expect(findings(exampleEntry(), null)).toEqual([
      'allocation: the book has the allocation number 123456789, and the tax authority gave none',
    ]);
    expect(findings(exampleEntry({}, state('987654321')), '987654321')).toEqual([
      'allocation: its outcome has 123456789, and the document has 987654321',
    ]);
  });
});
