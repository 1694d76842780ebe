import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { WebhookEndpoint } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit/client';
import type { Call, CommandInput, Output } from './command.js';
import { webhookCommands } from './webhook-commands.js';

const id = randomUUID();
const endpoint = (change: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  business_id: id,
  url: 'https://shop.example.com/pinkas',
  types: null,
  description: null,
  enabled: true,
  disabled_reason: null,
  created_at: '2026-03-01T08:00:00.000Z',
  previous_secret_until: null,
  failing_since: null,
  last_received_at: null,
  last_failure: null,
  pending: 0,
  ...change,
});

/** Runs a command; `answer` replaces the system. */
function run(
  verb: string,
  args: CommandInput['arguments'],
  options: CommandInput['options'],
  answer: (subject: string, request: never) => unknown,
): Promise<Output> {
  const command = webhookCommands.find((candidate) => candidate.verb === verb);
  if (!command) {
    throw new Error(`no command ${verb}`);
  }
  const call = (async (contract, request) => answer(contract.subject, request as never)) as Call;
  return command.run({ arguments: args, options }, call, { show: () => {}, print: () => {} });
}

describe('pinkas webhook', () => {
  it('webhook create asks for the test book in mode test, and prints the secret', async () => {
    const asked: unknown[] = [];
    const output = await run(
      'create',
      { URL: 'https://shop.example.com/pinkas' },
      { business: id, mode: 'test', types: 'document.issued, delivery.failed' },
      (subject, request) => {
        asked.push(request);
        return subject.includes('business') ? {} : { endpoint: endpoint(), secret: 'whsec_example' };
      },
    );
    expect(asked[1]).toEqual({
      business_id: testBookOf(id),
      url: 'https://shop.example.com/pinkas',
      types: ['document.issued', 'delivery.failed'],
    });
    expect(output.text).toContain('whsec_example');
    await expect(run('create', { URL: '' }, { business: id, types: 'no' }, () => ({}))).rejects.toThrow(
      '--types takes document.issued',
    );
  });

  it('webhook list shows the state of each endpoint', async () => {
    const endpoints = [
      endpoint({ pending: 1_000, failing_since: '2026-03-02T08:00:00.000Z' }),
      endpoint({ enabled: false, disabled_reason: 'gone' }),
      endpoint({ enabled: false, disabled_reason: 'failing' }),
    ];
    const { text } = await run('list', {}, { business: id }, () => ({ endpoints }));
    expect(text).toContain('failing since 2026-03-02T08:00:00.000Z');
    expect(text).toContain('1,000 or more');
    expect(text).toContain('disabled, its answer was 410');
    expect(text).toContain('disabled, it failed for five days');
  });

  it('webhook resend reads page after page, and takes either an event or an instant', async () => {
    const after: unknown[] = [];
    const { json } = await run(
      'resend',
      { ID: id },
      { since: '2026-03-01' },
      (_subject, request: { after: number }) => {
        after.push(request.after);
        return { resent: 2, next_after: after.length < 3 ? after.length * 1_000 : null };
      },
    );
    expect([json, after]).toEqual([{ resent: 6 }, [0, 1_000, 2_000]]);
    for (const options of [
      {},
      { since: '2026-03-01', event: 'evt_1' },
      { event: 'evt_1' },
      { since: 'soon' },
    ]) {
      await expect(run('resend', { ID: id }, options, () => ({}))).rejects.toThrow(
        /resend|id of an event|instant/,
      );
    }
  });

  it('an unknown endpoint is a refusal that names the command with the ids', async () => {
    for (const verb of ['show', 'enable', 'disable', 'remove', 'rotate', 'test']) {
      const refused = run(verb, { ID: id }, {}, () => {
        throw new ApiError('not_found');
      });
      await expect(refused).rejects.toThrow('pinkas webhook list --business ID shows them');
    }
  });
});
