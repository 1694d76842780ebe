import { describe, expect, it } from '@jest/globals';
import type { MessagingService } from '@pinkas/contracts';
import { type Audits, exampleAudits, exampleEntry, exampleMessage } from '../../test/example-book.js';
import { faultsOfAllocation, judgeStep, owedSteps, stepGraceMs } from './owed-steps.js';

/** An hour after the documents of these tests were issued. */
const now = new Date('2026-06-15T09:00:00.000Z');
const past = '2026-06-15T08:30:00.000Z';
const toCome = '2026-06-15T09:30:00.000Z';
const failed = { status: 'failed', number: null, reason: 'refused' } as const;

const owed = (change: Partial<{ [P in keyof Audits]: Partial<Audits[P]> }>, entry = exampleEntry()) => {
  const audits = exampleAudits(entry.document);
  return owedSteps(
    entry,
    {
      allocation: { ...audits.allocation, ...change.allocation },
      delivery: { ...audits.delivery, ...change.delivery },
      artifact: { ...audits.artifact, ...change.artifact },
    },
    now,
  );
};
const words = (...args: Parameters<typeof owed>) => owed(...args).map((step) => step.words);
const message = (change: Parameters<typeof exampleMessage>[0]) => ({
  delivery: { messages: [exampleMessage({ ...change, accepted: 0 })] },
});

describe('the steps that a document owes', () => {
  it('are none when everything is done', () => expect(words({})).toEqual([]));

  it('are none while the next try is known and to come', () => {
    const asked = exampleEntry({}, { allocation: failed });
    expect(words({ allocation: { state: 'asking', number: null, next_attempt_at: toCome } }, asked)).toEqual(
      [],
    );
    expect(words(message({ state: 'ready', next_attempt_at: toCome }))).toEqual([]);
  });

  it('are none while its message is being handed over, however long ago the document was issued', () =>
    expect(words(message({ state: 'sending', next_attempt_at: toCome }))).toEqual([]));

  it.each(['refused', 'given_up'] as const)(
    'are none when the number was %s, which an operator sees',
    (state) =>
      expect(
        words({ allocation: { state, number: null } }, exampleEntry({}, { allocation: failed })),
      ).toEqual([]),
  );

  it('are none when its message has failed, which an operator sees', () =>
    expect(words(message({ state: 'failed' }))).toEqual([]));

  it('are none when its message was withdrawn with the document, and a message when the document stands', () => {
    const entry = exampleEntry();
    const cancelled = { ...entry, state: { ...entry.state, cancelled_at: past } };
    expect(words(message({ state: 'withdrawn' }), cancelled)).toEqual([]);
    expect(words(message({ state: 'withdrawn' }), entry)).toEqual([
      'its message to the customer by email was withdrawn, though the document stands',
    ]);
  });

  it('are the messages that were promised, by each channel', () => {
    const promised = (status: 'queued' | 'disabled', channel: 'email' | 'whatsapp' | 'both' | null) =>
      exampleEntry({}, { delivery: { status, channel, scheduled_for: null } });
    const none = { delivery: { messages: [exampleMessage({ purpose: 'accountant' })] } };
    expect(words(none, promised('disabled', null))).toEqual([]);
    expect(words(none, promised('queued', 'email'))).toEqual([
      'it is to go to the customer by email, and there is no such message',
    ]);
    expect(words({}, promised('queued', 'both'))).toEqual([
      'it is to go to the customer by whatsapp, and there is no such message',
    ]);
  });

  it('are what was never begun', () => {
    expect(words({ allocation: { state: null, number: null } })).toEqual([
      'it is not decided whether it needs an allocation number',
    ]);
    expect(words({ delivery: { planned: false, messages: [] } })).toEqual([
      'it is not decided what is sent of it',
    ]);
  });

  it('are what is due and not done', () => {
    const asked = exampleEntry({}, { allocation: failed });
    expect(words({ allocation: { state: 'asking', number: null, next_attempt_at: past } }, asked)).toEqual([
      'its allocation number is not asked for, though it is due',
    ]);
    expect(words(message({ state: 'ready', next_attempt_at: past }))).toEqual([
      'its message to the customer by email has not left, though it is due',
    ]);
    expect(words(message({ state: 'waiting' }))).toEqual([
      'its message to the customer by email still waits for its PDF',
    ]);
    expect(words(message({ state: 'sending', next_attempt_at: past }))).toEqual([
      'its message to the customer by email never came back',
    ]);
    expect(words({ artifact: { owed: ['final', 'allocation_number', 'cancelled'] } })).toEqual([
      'no PDF of it is declared final',
      'no PDF of it bears its allocation number',
      'no PDF of it says that it is cancelled',
    ]);
  });

  it('are what the book was not told', () => {
    expect(words({}, exampleEntry({}, { delivery: null }))).toEqual([
      'the book does not know what is sent of it',
    ]);
    expect(words({}, exampleEntry({}, { allocation: null }))).toEqual([
      'the book says nothing of its allocation number, and the allocation service says issued',
    ]);
    expect(words({ allocation: { state: 'not_required', number: null } })).toEqual([
      'the book says issued of its allocation number, and the allocation service says not_required',
    ]);
  });
});

describe('an owed step', () => {
  const { document } = exampleEntry();
  const step = (due: Date) => ({ words: 'it is owed', due, graceMs: stepGraceMs, by: ['delivery'] as const });
  const judge = (ageMs: number, ...parked: MessagingService[]) =>
    judgeStep(document, step(new Date(now.getTime() - ageMs)), new Set(parked), now);

  it('is under way for a minute, and undone from then on', () => {
    expect(judge(stepGraceMs - 1)).toBe('under_way');
    expect(judge(stepGraceMs)).toEqual({
      check: 'steps',
      document_id: document.id,
      type: 'tax_invoice',
      number: 1,
      message: 'it is owed',
    });
  });

  it('is no fault where a service has given it up and shows it, and another service does not excuse it', () => {
    expect(judge(stepGraceMs, 'delivery')).toBe('parked');
    expect(judge(stepGraceMs, 'customer')).toMatchObject({ check: 'steps' });
  });

  it('counts a cancellation from its own instant', () => {
    const state = {
      status: 'cancelled',
      paid: 0,
      allocation_number: '123456789',
      cancelled_at: past,
    } as const;
    const [cancelled] = owed({ artifact: { owed: ['cancelled'] } }, exampleEntry({}, { state }));
    expect(cancelled?.due).toEqual(new Date(past));
  });
});

describe('the allocation number', () => {
  const faults = (entry: ReturnType<typeof exampleEntry>, number: string | null) =>
    faultsOfAllocation(entry, { ...exampleAudits(entry.document).allocation, number }).map(
      ({ check, message: text }) => `${check}: ${text}`,
    );
  const state = (allocation_number: string | null) => ({
    state: { status: 'open' as const, paid: 0, allocation_number, cancelled_at: null },
  });

  it('is the same in the book and with the authority', () => {
    expect(faults(exampleEntry(), '123456789')).toEqual([]);
    expect(faults(exampleEntry({}, { ...state(null), allocation: failed }), null)).toEqual([]);
  });

  it('is faulty where they differ, or the book differs from itself', () => {
    expect(faults(exampleEntry(), '987654321')).toEqual([
      'allocation: the book has the allocation number 123456789, and the authority gave 987654321',
    ]);
    expect(faults(exampleEntry(), null)).toEqual([
      'allocation: the book has the allocation number 123456789, and the authority gave none',
    ]);
    expect(faults(exampleEntry({}, state('987654321')), '987654321')).toEqual([
      'allocation: its outcome names 123456789, and the document bears 987654321',
    ]);
  });
});
