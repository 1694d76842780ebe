import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  listDeadLetteredAllocations,
  messaging,
  messagingServices,
  retryAllocation,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { notFound, run } from '../../test/run.js';

const id = randomUUID();
const documentId = randomUUID();

const deadLetter = (change: object = {}) => ({
  id,
  service: 'delivery',
  consumer: 'delivery-due-messages',
  document_id: documentId,
  subject: `evt.issuing.document.issued.v1.${documentId}`,
  reason: 'the printer is unavailable',
  attempts: 10,
  dead_lettered_at: '2026-06-15T08:00:00.000Z',
  redrivable: true,
  ...change,
});
const allocation = {
  document_id: documentId,
  business_id: randomUUID(),
  reason: 'the connection has ended',
  attempts: 3,
  dead_lettered_at: '2026-06-14T08:00:00.000Z',
};

/** Runs a command on a system without dead letters; `replaced` replaces its replies by subject. */
function runQueue(
  verb: 'dead' | 'redrive' | 'drop',
  replaced: Record<string, (request: never) => unknown> = {},
  words: Record<string, string | true> = verb === 'dead' ? {} : { ID: id },
) {
  const replies: Record<string, (request: never) => unknown> = {
    [listDeadLetteredAllocations.subject]: () => ({ documents: [], next_after: null }),
  };
  for (const service of messagingServices) {
    replies[messaging[service].listDeadLetters.subject] = () => ({ dead_letters: [], next_after: null });
    replies[messaging[service].redriveDeadLetter.subject] = notFound;
    replies[messaging[service].dropDeadLetter.subject] = notFound;
  }
  return run(`queue ${verb}`, words, { ...replies, ...replaced });
}
const unreachable = () => {
  throw new ApiError('engine_error');
};

describe('pinkas queue dead', () => {
  it('queue dead prints that nothing is dead-lettered', async () => {
    expect(await runQueue('dead').output).toEqual({ json: [], text: 'Nothing is dead-lettered' });
  });

  it('queue dead lists the dead letters of every service, all pages, the oldest first', async () => {
    const later = deadLetter({
      id: randomUUID(),
      dead_lettered_at: '2026-06-16T08:00:00.000Z',
      attempts: 11,
    });
    const { output } = runQueue('dead', {
      [messaging.delivery.listDeadLetters.subject]: ({ after }: { after?: string }) =>
        after === undefined
          ? { dead_letters: [later], next_after: later.id }
          : { dead_letters: [deadLetter()], next_after: null },
      [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
    });
    const { json, text, failure } = await output;
    expect(json).toEqual([
      {
        id: documentId,
        service: 'allocation',
        consumer: 'allocation-number',
        document_id: documentId,
        dead_lettered_at: '2026-06-14T08:00:00.000Z',
        attempts: 3,
        reason: 'the connection has ended',
        redrivable: true,
      },
      {
        id,
        service: 'delivery',
        consumer: 'delivery-due-messages',
        document_id: documentId,
        dead_lettered_at: '2026-06-15T08:00:00.000Z',
        attempts: 10,
        reason: 'the printer is unavailable',
        redrivable: true,
      },
      expect.objectContaining({ id: later.id, attempts: 11 }),
    ]);
    expect(text).toMatch(/^ID +CONSUMER +DOCUMENT +DEAD-LETTERED AT +ATTEMPTS +REASON\n/);
    expect(text).toContain('2026-06-15T08:00:00.000Z  10        the printer is unavailable');
    expect(failure).toBeUndefined();
  });

  it('queue dead fails with a partial list when a service does not answer', async () => {
    const { json, failure } = await runQueue('dead', {
      [messaging.delivery.listDeadLetters.subject]: () => ({
        dead_letters: [deadLetter()],
        next_after: null,
      }),
      [messaging.rendering.listDeadLetters.subject]: unreachable,
      [messaging.allocation.listDeadLetters.subject]: unreachable,
      [listDeadLetteredAllocations.subject]: unreachable,
    }).output;
    expect(json).toHaveLength(1);
    expect(failure).toMatch(/^The list is not complete: rendering and allocation did not answer: /);
  });

  it('queue dead marks what can only be dropped', async () => {
    const { text } = await runQueue('dead', {
      [messaging.delivery.listDeadLetters.subject]: () => ({
        dead_letters: [deadLetter({ redrivable: false })],
        next_after: null,
      }),
    }).output;
    expect(text).toContain('the printer is unavailable (can only be dropped)');
  });

  it('queue dead does not claim that nothing is dead-lettered when a service does not answer', async () => {
    const { text } = await runQueue('dead', { [messaging.rendering.listDeadLetters.subject]: unreachable })
      .output;
    expect(text).toBe('Nothing is dead-lettered in the services that answered');
  });
});

describe('pinkas queue redrive', () => {
  it.each([
    ['handled', /^Handled/],
    ['already_handled', /^It was handled already/],
  ])('queue redrive prints that it is %s', async (outcome, text) => {
    const { output } = runQueue('redrive', {
      [messaging.rendering.redriveDeadLetter.subject]: () => ({ outcome, reason: null }),
      // Irrelevant, since the dead letter was found.
      [messaging.issuing.redriveDeadLetter.subject]: unreachable,
    });
    expect(await output).toEqual({
      json: { id, service: 'rendering', outcome, reason: null },
      text: expect.stringMatching(text),
    });
  });

  it('queue redrive prints why it failed again', async () => {
    const { failure } = await runQueue('redrive', {
      [messaging.delivery.redriveDeadLetter.subject]: () => ({
        outcome: 'failed',
        reason: 'the paper is out',
      }),
    }).output;
    expect(failure).toBe(`the paper is out: correct the cause, then run pinkas queue redrive ${id}`);
  });

  it('queue redrive prints how to remove what no redrive can handle', async () => {
    const { text, failure } = await runQueue('redrive', {
      [messaging.delivery.redriveDeadLetter.subject]: () => ({
        outcome: 'not_redrivable',
        reason: 'it does not match its schema',
      }),
    }).output;
    expect(text).toBe('It stays dead-lettered: no redrive can succeed');
    expect(failure).toBe(`it does not match its schema: to remove it, run pinkas queue drop ${id}`);
  });

  it('queue redrive requests a dead-lettered allocation number again', async () => {
    const { output, requests, subjects } = runQueue(
      'redrive',
      {
        [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [retryAllocation.subject]: () => ({ outcome: 'issued', reason: null }),
      },
      { ID: documentId },
    );
    expect(await output).toMatchObject({
      json: { id: documentId, service: 'allocation', outcome: 'handled' },
    });
    expect(requests).toContainEqual([
      listDeadLetteredAllocations.subject,
      { limit: 200, document_id: documentId },
    ]);
    expect(subjects).toContain(retryAllocation.subject);
  });

  it.each([
    [
      'refused',
      null,
      'refused',
      /^The tax authority refused: it is no longer dead-lettered$/,
      'allocation retry',
    ],
    [
      'failed',
      '2026-06-15T09:00:05.000Z',
      'retrying',
      /is retried .* no longer dead-lettered$/,
      'allocation retry',
    ],
    ['failed', null, 'failed', /stays dead-lettered$/, 'queue redrive'],
  ] as const)(
    'queue redrive prints the result of a number that was %s again, with the next attempt at %s',
    async (outcome, next, expected, text, nextCommand) => {
      const { output } = runQueue(
        'redrive',
        {
          [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
          [retryAllocation.subject]: () => ({ outcome, reason: 'It did not work.', next_attempt_at: next }),
        },
        { ID: documentId },
      );
      expect(await output).toEqual({
        json: { id: documentId, service: 'allocation', outcome: expected, reason: 'It did not work.' },
        text: expect.stringMatching(text),
        failure: expect.stringMatching(new RegExp(`^It did not work: .*pinkas ${nextCommand} ${documentId}`)),
      });
    },
  );

  it('queue redrive does not retry an allocation that is not dead-lettered', async () => {
    const { output, subjects } = runQueue('redrive', {}, { ID: documentId });
    await expect(output).rejects.toThrow(`No dead letter has the id ${documentId}: pinkas queue dead`);
    expect(subjects).not.toContain(retryAllocation.subject);
  });

  it('queue redrive names a service that did not answer when the id was not found', async () => {
    const { output } = runQueue('redrive', { [messaging.customer.redriveDeadLetter.subject]: unreachable });
    await expect(output).rejects.toThrow('customer did not answer');
  });

  it('queue redrive rejects anything but an id', async () => {
    await expect(runQueue('redrive', {}, { ID: '17' }).output).rejects.toThrow(
      '"17" is not an id: pinkas queue dead shows them',
    );
  });
});

describe('pinkas queue redrive --all', () => {
  const all = { all: true } as const;
  const stored = (...deadLetters: object[]) => ({
    [messaging.delivery.listDeadLetters.subject]: () => ({ dead_letters: deadLetters, next_after: null }),
  });
  const others = Array.from({ length: 3 }, () => randomUUID());

  it('queue redrive --all redrives everything, the oldest first, and prints a summary', async () => {
    const redriven: string[] = [];
    const { output, shown } = runQueue(
      'redrive',
      {
        ...stored(
          ...others.map((other) => deadLetter({ id: other })),
          deadLetter({ dead_lettered_at: '2026-06-16T08:00:00.000Z' }),
        ),
        [messaging.delivery.redriveDeadLetter.subject]: (request: { id: string }) => {
          redriven.push(request.id);
          return request.id === id
            ? { outcome: 'handled', reason: null }
            : { outcome: 'failed', reason: 'the paper is out' };
        },
        [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [retryAllocation.subject]: () => {
          redriven.push(documentId);
          return { outcome: 'issued', reason: null, next_attempt_at: null };
        },
      },
      all,
    );
    const { json, text, failure } = await output;
    expect(redriven).toEqual([documentId, ...others, id]);
    expect(json).toHaveLength(5);
    expect(json).toContainEqual({
      id: others[0],
      service: 'delivery',
      consumer: 'delivery-due-messages',
      outcome: 'failed',
      reason: 'the paper is out',
    });
    expect(text).toBe('2 handled\n3 still dead-lettered\n  3 × delivery-due-messages: the paper is out');
    expect(failure).toBe('3 of 5 stay dead-lettered: pinkas queue dead shows them');
    expect(shown.at(-1)).toBe('Redriving 5 of 5: delivery-due-messages');
  });

  it('queue redrive --all succeeds when nothing stays dead-lettered', async () => {
    const { output } = runQueue('redrive', stored(deadLetter()), all);
    expect(await output).toMatchObject({ text: '1 handled' });
    expect((await output).failure).toBeUndefined();
    expect(await runQueue('redrive', {}, all).output).toEqual({ json: [], text: 'Nothing is dead-lettered' });
  });

  it('queue redrive --all skips what can only be dropped', async () => {
    const { output, subjects } = runQueue('redrive', stored(deadLetter({ redrivable: false })), all);
    const { text, failure } = await output;
    expect(text).toMatch(/^1 still dead-lettered, can only be dropped\n/);
    expect(failure).toMatch(/^1 of 1 stay dead-lettered/);
    expect(subjects).not.toContain(messaging.delivery.redriveDeadLetter.subject);
  });

  it('queue redrive --all calls a service that does not answer only once', async () => {
    const { output, subjects } = runQueue(
      'redrive',
      {
        ...stored(...others.map((other) => deadLetter({ id: other }))),
        [messaging.delivery.redriveDeadLetter.subject]: unreachable,
        [messaging.rendering.listDeadLetters.subject]: () => ({
          dead_letters: [deadLetter({ service: 'rendering', dead_lettered_at: '2026-06-20T08:00:00.000Z' })],
          next_after: null,
        }),
        [messaging.rendering.redriveDeadLetter.subject]: () => ({ outcome: 'handled', reason: null }),
        [messaging.issuing.listDeadLetters.subject]: unreachable,
      },
      all,
    );
    const { text, failure } = await output;
    expect(text).toBe(
      '1 handled\n3 still dead-lettered\n  3 × delivery-due-messages: delivery did not answer',
    );
    expect(failure).toMatch(/^issuing and delivery did not answer: .*; 3 of 4 stay dead-lettered/);
    const isRedrive = (subject: string) => subject === messaging.delivery.redriveDeadLetter.subject;
    expect(subjects.filter(isRedrive)).toHaveLength(1);
  });

  it('queue redrive --all --consumer redrives only the work of the consumer', async () => {
    const { output, subjects } = runQueue(
      'redrive',
      {
        ...stored(deadLetter(), deadLetter({ id: others[0], consumer: 'delivery-release' })),
        [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [messaging.delivery.redriveDeadLetter.subject]: () => ({ outcome: 'handled', reason: null }),
      },
      { ...all, consumer: 'delivery-release' },
    );
    expect((await output).json).toMatchObject([{ id: others[0] }]);
    expect(subjects).not.toContain(retryAllocation.subject);
    const one = runQueue('redrive', {}, { ID: id, consumer: 'delivery-release' });
    await expect(one.output).rejects.toThrow('--consumer requires --all');
  });
});

describe('pinkas queue drop', () => {
  it('queue drop removes what no redrive can handle', async () => {
    const { output } = runQueue('drop', {
      [messaging.delivery.dropDeadLetter.subject]: () => ({
        outcome: 'dropped',
        reason: 'it does not match its schema',
      }),
    });
    expect(await output).toEqual({
      json: { id, service: 'delivery', outcome: 'dropped', reason: 'it does not match its schema' },
      text: expect.stringMatching(/^Dropped: .*it does not match its schema/),
    });
  });

  it('queue drop rejects what can still be handled', async () => {
    const { output } = runQueue('drop', {
      [messaging.delivery.dropDeadLetter.subject]: () => ({
        outcome: 'redrivable',
        reason: 'the paper is out',
      }),
    });
    await expect(output).rejects.toThrow(/^It is not dropped, .*\(the paper is out\).*pinkas queue redrive/);
  });

  it('queue drop rejects a request for an allocation number', async () => {
    const { output } = runQueue(
      'drop',
      { [listDeadLetteredAllocations.subject]: () => ({ documents: [allocation], next_after: null }) },
      { ID: documentId },
    );
    await expect(output).rejects.toThrow(`pinkas allocation retry ${documentId}`);
  });

  it('queue drop rejects an unknown id, and names a service that did not answer', async () => {
    await expect(runQueue('drop').output).rejects.toThrow(`No dead letter has the id ${id}`);
    await expect(
      runQueue('drop', { [messaging.customer.dropDeadLetter.subject]: unreachable }).output,
    ).rejects.toThrow('customer did not answer');
  });
});
