import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { listGivenUpAllocations, messaging, messagingServices, retryAllocation } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import type { Ask, Given } from './command.js';
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
  redrivable: true,
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
  verb: 'dead' | 'redrive' | 'drop',
  replaced: Record<string, (request: never) => unknown> = {},
  ID: string = id,
  options: Given['options'] = {},
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
    quiet[messaging[service].dropDeadLetter.subject] = () => {
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
  const shown: string[] = [];
  const progress = { show: (line: string) => shown.push(line), say: () => {} };
  return { asked, shown, output: command.run({ arguments: { ID }, options }, ask, progress) };
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
        redrivable: true,
      },
      {
        id,
        service: 'delivery',
        step: 'delivery-plan',
        document_id: documentId,
        given_up_at: '2026-06-15T08:00:00.000Z',
        attempts: 10,
        reason: 'the printer is away',
        redrivable: true,
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

  it('says of what no redrive can carry out that it can only be dropped', async () => {
    const { text } = await run('dead', {
      [messaging.delivery.listDeadLetters.subject]: () => ({
        dead_letters: [letter({ redrivable: false })],
        next_after: null,
      }),
    }).output;
    expect(text).toContain('the printer is away (it can only be dropped)');
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

  it('says of what no redrive can carry out how it is removed', async () => {
    const { text, failure } = await run('redrive', {
      [messaging.delivery.redriveDeadLetter.subject]: () => ({
        outcome: 'impossible',
        reason: 'it does not match its schema',
      }),
    }).output;
    expect(text).toBe('It stays parked: no redrive can succeed');
    expect(failure).toBe(`it does not match its schema: pinkas queue drop ${id} removes it`);
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

describe('pinkas queue redrive --all', () => {
  const all = { all: 'yes' };
  const parked = (...letters: object[]) => ({
    [messaging.delivery.listDeadLetters.subject]: () => ({ dead_letters: letters, next_after: null }),
  });
  const others = Array.from({ length: 3 }, () => randomUUID());

  it('redrives everything that is parked, the oldest first, and sums up', async () => {
    const redriven: string[] = [];
    const { output, shown } = run(
      'redrive',
      {
        ...parked(
          ...others.map((one) => letter({ id: one })),
          letter({ given_up_at: '2026-06-16T08:00:00.000Z' }),
        ),
        [messaging.delivery.redriveDeadLetter.subject]: (request: { id: string }) => {
          redriven.push(request.id);
          return request.id === id
            ? { outcome: 'done', reason: null }
            : { outcome: 'failed', reason: 'the paper is out' };
        },
        [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [retryAllocation.subject]: () => {
          redriven.push(documentId);
          return { outcome: 'issued', reason: null, next_attempt_at: null };
        },
      },
      '',
      all,
    );
    const { json, text, failure } = await output;
    expect(redriven).toEqual([documentId, ...others, id]);
    expect(json).toHaveLength(5);
    expect(json).toContainEqual({
      id: others[0],
      service: 'delivery',
      step: 'delivery-plan',
      outcome: 'failed',
      reason: 'the paper is out',
    });
    expect(text).toBe('2 done\n3 still parked\n  3 × delivery-plan: the paper is out');
    expect(failure).toBe('3 of 5 stay parked: pinkas queue dead shows them');
    expect(shown.at(-1)).toBe('Redriving 5 of 5: delivery-plan');
  });

  it('ends well when nothing stays parked, also where somebody else was faster', async () => {
    const { output } = run('redrive', parked(letter()), '', all);
    expect(await output).toMatchObject({ text: '1 done' });
    expect((await output).failure).toBeUndefined();
    expect(await run('redrive', {}, '', all).output).toEqual({ json: [], text: 'Nothing is parked' });
  });

  it('does not try what can only be dropped', async () => {
    const { output, asked } = run('redrive', parked(letter({ redrivable: false })), '', all);
    const { text, failure } = await output;
    expect(text).toMatch(/^1 still parked, and only to be dropped\n/);
    expect(failure).toMatch(/^1 of 1 stay parked/);
    expect(asked).not.toContain(messaging.delivery.redriveDeadLetter.subject);
  });

  it('asks a service that does not answer once, and the others all the same', async () => {
    const { output, asked } = run(
      'redrive',
      {
        ...parked(...others.map((one) => letter({ id: one }))),
        [messaging.delivery.redriveDeadLetter.subject]: away,
        [messaging.rendering.listDeadLetters.subject]: () => ({
          dead_letters: [letter({ service: 'rendering', given_up_at: '2026-06-20T08:00:00.000Z' })],
          next_after: null,
        }),
        [messaging.rendering.redriveDeadLetter.subject]: () => ({ outcome: 'done', reason: null }),
        [messaging.issuing.listDeadLetters.subject]: away,
      },
      '',
      all,
    );
    const { text, failure } = await output;
    expect(text).toBe('1 done\n3 still parked\n  3 × delivery-plan: delivery did not answer');
    expect(failure).toMatch(/^issuing and delivery did not answer: .*; 3 of 4 stay parked/);
    const isRedrive = (subject: string) => subject === messaging.delivery.redriveDeadLetter.subject;
    expect(asked.filter(isRedrive)).toHaveLength(1);
  });

  it('takes one step alone where it is named', async () => {
    const { output, asked } = run(
      'redrive',
      {
        ...parked(letter(), letter({ id: others[0], consumer: 'delivery-release' })),
        [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }),
        [messaging.delivery.redriveDeadLetter.subject]: () => ({ outcome: 'done', reason: null }),
      },
      '',
      { ...all, step: 'delivery-release' },
    );
    expect((await output).json).toMatchObject([{ id: others[0] }]);
    expect(asked).not.toContain(retryAllocation.subject);
    expect(() => run('redrive', {}, id, { step: 'delivery-release' }).output).toThrow('--step goes with');
  });
});

describe('pinkas queue drop', () => {
  it('removes what no redrive can carry out', async () => {
    const { output } = run('drop', {
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

  it('leaves what can still be carried out', async () => {
    const { output } = run('drop', {
      [messaging.delivery.dropDeadLetter.subject]: () => ({
        outcome: 'redrivable',
        reason: 'the paper is out',
      }),
    });
    await expect(output).rejects.toThrow(/^It is not dropped, .*\(the paper is out\).*pinkas queue redrive/);
  });

  it('says of an allocation number that was given up that there is nothing to drop', async () => {
    const { output } = run(
      'drop',
      { [listGivenUpAllocations.subject]: () => ({ documents: [allocation], next_after: null }) },
      documentId,
    );
    await expect(output).rejects.toThrow(`pinkas allocation retry ${documentId}`);
  });

  it('says when nothing of that id is parked, and when it does not know', async () => {
    await expect(run('drop').output).rejects.toThrow(`No step with the id ${id} is parked`);
    await expect(run('drop', { [messaging.customer.dropDeadLetter.subject]: away }).output).rejects.toThrow(
      'customer did not answer',
    );
  });
});
