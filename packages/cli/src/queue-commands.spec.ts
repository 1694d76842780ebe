import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { listGivenUpAllocations, messaging, messagingServices, retryAllocation } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import type { Ask } from './command.js';
import { queueCommands } from './queue-commands.js';

const id = randomUUID();
const documentId = randomUUID();

const letter = (change: object = {}) => ({
  id,
  service: 'delivery',
  consumer: 'delivery-plan',
  document_id: documentId,
  subject: `evt.issuing.document.issued.v1.${documentId}`,
  reason: 'the printer is away',
  attempts: 10,
  given_up_at: '2026-06-15T08:00:00.000Z',
  ...change,
});
const allocation = {
  document_id: documentId,
  business_id: randomUUID(),
  reason: 'the connection has ended',
  attempts: 3,
  given_up_at: '2026-06-14T08:00:00.000Z',
};

/** The system as it answers where nothing is parked, but for what a test replaces. */
function run(
  verb: 'dead' | 'redrive',
  replaced: Record<string, (request: never) => unknown> = {},
  ID: string = id,
) {
  const asked: string[] = [];
  const quiet: Record<string, (request: never) => unknown> = {
    [listGivenUpAllocations.subject]: () => ({ documents: [], next_after: null }),
  };
  for (const service of messagingServices) {
    quiet[messaging[service].listDeadLetters.subject] = () => ({ dead_letters: [], next_after: null });
    quiet[messaging[service].redriveDeadLetter.subject] = () => {
      throw new Problem('not_found');
    };
  }
  const ask = (async ({ subject }, request) => {
    asked.push(subject);
    const answer = replaced[subject] ?? quiet[subject];
    if (!answer) throw new Error(`${subject} was asked`);
    return answer(request as never);
  }) as Ask;
  const command = queueCommands.find((one) => one.verb === verb);
  if (!command) throw new Error(`no command ${verb}`);
  const progress = { show: () => {}, say: () => {} };
  return { asked, output: command.run({ arguments: { ID }, options: {} }, ask, progress) };
}
const away = () => {
  throw new Problem('engine_error');
};

describe('pinkas queue dead', () => {
  it('says so when nothing is parked', async () => {
    expect(await run('dead').output).toEqual({ json: [], text: 'Nothing is parked' });
  });

  it('shows what every service has parked, on all of its pages, the oldest first', async () => {
    const later = letter({ id: randomUUID(), given_up_at: '2026-06-16T08:00:00.000Z', attempts: 11 });
    const { output } = run('dead', {
      [messaging.delivery.listDeadLetters.subject]: ({ after }: { after?: string }) =>
        after === undefined
          ? { dead_letters: [later], next_after: later.id }
          : { dead_letters: [letter()], next_after: null },
      [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
    });
    const { json, text, failure } = await output;
    expect(json).toEqual([
      {
        id: documentId,
        service: 'allocation',
        step: 'allocation-number',
        document_id: documentId,
        given_up_at: '2026-06-14T08:00:00.000Z',
        attempts: 3,
        reason: 'the connection has ended',
      },
      {
        id,
        service: 'delivery',
        step: 'delivery-plan',
        document_id: documentId,
        given_up_at: '2026-06-15T08:00:00.000Z',
        attempts: 10,
        reason: 'the printer is away',
      },
      expect.objectContaining({ id: later.id, attempts: 11 }),
    ]);
    expect(text).toMatch(/^ID +STEP +DOCUMENT +WHEN +TRIES +REASON\n/);
    expect(text).toContain('2026-06-15T08:00:00.000Z  10     the printer is away');
    expect(failure).toBeUndefined();
  });

  it('shows what it has, and fails, when a service does not answer', async () => {
    const { json, failure } = await run('dead', {
      [messaging.delivery.listDeadLetters.subject]: () => ({ dead_letters: [letter()], next_after: null }),
      [messaging.rendering.listDeadLetters.subject]: away,
      [messaging.allocation.listDeadLetters.subject]: away,
      [listGivenUpAllocations.subject]: away,
    }).output;
    expect(json).toHaveLength(1);
    expect(failure).toMatch(/^The list is not complete: rendering and allocation did not answer: /);
  });

  it('does not say that nothing is parked when it does not know', async () => {
    const { text } = await run('dead', { [messaging.rendering.listDeadLetters.subject]: away }).output;
    expect(text).toBe('Nothing is parked in the services that answered');
  });
});

describe('pinkas queue redrive', () => {
  it.each([
    ['done', /^Done/],
    ['done_before', /^It had been done already/],
  ])('tells that it is %s', async (outcome, text) => {
    const { output } = run('redrive', {
      [messaging.rendering.redriveDeadLetter.subject]: () => ({ outcome, reason: null }),
      // Found is found.
      [messaging.issuing.redriveDeadLetter.subject]: away,
    });
    expect(await output).toEqual({
      json: { id, service: 'rendering', outcome, reason: null },
      text: expect.stringMatching(text),
    });
  });

  it('tells why it failed again', async () => {
    const { failure } = await run('redrive', {
      [messaging.delivery.redriveDeadLetter.subject]: () => ({
        outcome: 'failed',
        reason: 'the paper is out',
      }),
    }).output;
    expect(failure).toBe(`the paper is out: mend that, then pinkas queue redrive ${id} tries it again`);
  });

  it('asks for the number again where the authority was given up', async () => {
    const { output, asked } = run(
      'redrive',
      {
        [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [retryAllocation.subject]: () => ({ outcome: 'issued', reason: null }),
      },
      documentId,
    );
    expect(await output).toMatchObject({ json: { id: documentId, service: 'allocation', outcome: 'done' } });
    expect(asked).toContain(retryAllocation.subject);
  });

  it.each([
    [
      'refused',
      null,
      'refused',
      /^The tax authority refused: the step is parked no more$/,
      'allocation retry',
    ],
    ['failed', '2026-06-15T09:00:05.000Z', 'tried_again', /by itself .* parked no more$/, 'allocation retry'],
    ['failed', null, 'failed', /stays parked$/, 'queue redrive'],
  ] as const)(
    'tells what becomes of a number that was %s again, with a next try at %s',
    async (outcome, next, told, text, nextCommand) => {
      const { output } = run(
        'redrive',
        {
          [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
          [retryAllocation.subject]: () => ({ outcome, reason: 'It did not work.', next_attempt_at: next }),
        },
        documentId,
      );
      expect(await output).toEqual({
        json: { id: documentId, service: 'allocation', outcome: told, reason: 'It did not work.' },
        text: expect.stringMatching(text),
        failure: expect.stringMatching(new RegExp(`^It did not work: .*pinkas ${nextCommand} ${documentId}`)),
      });
    },
  );

  it('retries no allocation that is not parked', async () => {
    const { output, asked } = run('redrive', {}, documentId);
    await expect(output).rejects.toThrow(`No step with the id ${documentId} is parked: pinkas queue dead`);
    expect(asked).not.toContain(retryAllocation.subject);
  });

  it('does not say that there is no such step when it does not know', async () => {
    const { output } = run('redrive', { [messaging.customer.redriveDeadLetter.subject]: away });
    await expect(output).rejects.toThrow('customer did not answer');
  });

  it('takes an id and nothing else', async () => {
    expect(() => run('redrive', {}, '17').output).toThrow('"17" is no id: pinkas queue dead shows them');
  });
});
