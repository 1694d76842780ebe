import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  completeConnection,
  listBusinesses,
  listConnections,
  retryAllocation,
  showBusiness,
  showConnection,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit/asking';
import { allocationCommands } from './allocation-commands.js';
import type { Ask, Given, Output } from './command.js';

const id = randomUUID();
const requestedAt = '2026-06-15T08:00:00.000Z';
const started = {
  authorize_url: 'https://authority.example.com/authorize?state=s',
  requested_at: requestedAt,
  expires_at: '2026-06-15T08:10:00.000Z',
};
const connection = {
  business_id: id,
  state: 'connected',
  since: '2026-06-15T08:01:00.000Z',
  connected_at: '2026-06-15T08:01:00.000Z',
  until: '2026-09-13T08:01:00.000Z',
};
const business = { id, name: 'Example Ltd', tax_authority_connected: false };

type Answers = Record<string, (request: never) => unknown>;

/** Runs a command; `answers` stand for the system, by subject. */
function run(
  verb: string,
  words: Given['arguments'],
  answers: Answers,
  options: Given['options'] = {},
): { output: Promise<Output>; asked: [string, unknown][]; said: string[] } {
  const command = allocationCommands.find((one) => one.verb === verb);
  if (!command) throw new Error(`no command ${verb}`);
  const asked: [string, unknown][] = [];
  const said: string[] = [];
  const ask = (async (contract, request) => {
    asked.push([contract.subject, request]);
    const answer = answers[contract.subject];
    if (!answer) throw new Error(`${contract.subject} was asked`);
    return answer(request as never);
  }) as Ask;
  const progress = { show: () => {}, say: (line: string) => void said.push(line) };
  return { output: command.run({ arguments: words, options }, ask, progress), asked, said };
}

const exists = { [showBusiness.subject]: () => ({ business }), [startConnection.subject]: () => started };

describe('pinkas allocation connect', () => {
  const connect = (answers: Answers, options: Given['options'] = {}) =>
    run('connect', { BUSINESS_ID: id }, { ...exists, ...answers }, options);

  it('says the address, waits, and tells when the business is connected', async () => {
    const { output, said } = connect({ [showConnection.subject]: () => ({ connection, request: null }) });
    expect(await output).toEqual({
      json: connection,
      text: `Example Ltd is connected to the tax authority, until ${connection.until}`,
    });
    expect(said.join('\n')).toContain(started.authorize_url);
  });

  it('does not take the connection that there was before for the new one', async () => {
    const older = { ...connection, connected_at: '2026-06-15T07:59:59.999Z' };
    const request = { ...started, state: 'failed', reason: 'The owner did not agree.' };
    const { output } = connect({ [showConnection.subject]: () => ({ connection: older, request }) });
    await expect(output).rejects.toThrow(
      `The owner did not agree. To try anew, start again with pinkas allocation connect ${id}`,
    );
  });

  it('says that a newer address has replaced its own', async () => {
    const request = { ...started, requested_at: '2026-06-15T08:00:01.000Z', state: 'open', reason: null };
    const { output } = connect({ [showConnection.subject]: () => ({ connection: null, request }) });
    await expect(output).rejects.toThrow('Somebody has started another connection');
  });

  it('gives up when the address has lived its time', async () => {
    const short = { ...started, expires_at: requestedAt };
    const { output } = connect({
      [startConnection.subject]: () => short,
      [showConnection.subject]: () => ({
        connection: null,
        request: { ...short, state: 'open', reason: null },
      }),
    });
    await expect(output).rejects.toThrow('Nobody logged in with that address in time');
  });

  it('only shows the address with --no-wait', async () => {
    const { output } = connect({}, { 'no-wait': 'yes' });
    expect((await output).json).toEqual({
      business_id: id,
      authorize_url: started.authorize_url,
      expires_at: started.expires_at,
    });
  });

  it('completes a connection from the address that the browser ended at, and marks the business', async () => {
    const { output, asked } = connect(
      {
        [completeConnection.subject]: () => ({ outcome: 'connected', business_id: id, reason: null }),
        [updateBusiness.subject]: () => ({ business }),
        [showConnection.subject]: () => ({ connection, request: null }),
      },
      { callback: 'https://elsewhere.example.com/back?code=c%2F1&state=s' },
    );
    expect((await output).json).toEqual(connection);
    expect(asked).toContainEqual([completeConnection.subject, { business_id: id, state: 's', code: 'c/1' }]);
    expect(asked).toContainEqual([
      updateBusiness.subject,
      { business_id: id, change: { tax_authority_connected: true } },
    ]);
  });

  it.each([
    ['no address', 'code=c', undefined, '--callback takes the whole address'],
    ['a used one', 'https://x.example.com/?code=c&state=s', 'stale', 'was used, is too old'],
    ['one that failed', 'https://x.example.com/?error=access_denied&state=s', 'failed', 'To try anew'],
  ])('says what is wrong with %s', async (_case, callback, outcome, message) => {
    const { output } = connect(
      { [completeConnection.subject]: () => ({ outcome, business_id: null, reason: null }) },
      { callback },
    );
    await expect(output).rejects.toThrow(message);
  });

  it('says that there is no such business', async () => {
    const missing = () => {
      throw new Problem('not_found');
    };
    const { output } = connect({ [showBusiness.subject]: missing });
    await expect(output).rejects.toThrow(`No business has the id ${id}`);
  });
});

describe('pinkas allocation connections', () => {
  it('lists every business that is connected, or ought to be, over all pages', async () => {
    const never = { id: randomUUID(), name: 'Never Ltd', tax_authority_connected: true };
    const apart = { id: randomUUID(), name: 'Apart Ltd', tax_authority_connected: false };
    const pages = [
      { connections: [{ ...connection, business_id: randomUUID() }], next_after: connection.business_id },
      { connections: [connection], next_after: null },
    ];
    const { output } = run(
      'connections',
      {},
      {
        [listBusinesses.subject]: () => ({ businesses: [business, never, apart], next_after: null }),
        [listConnections.subject]: () => pages.shift(),
      },
    );
    const { json, text } = await output;
    expect(json).toEqual([
      {
        business_id: id,
        name: 'Example Ltd',
        state: 'connected',
        since: connection.since,
        until: connection.until,
      },
      { business_id: never.id, name: 'Never Ltd', state: 'never', since: null, until: null },
    ]);
    expect(text).toMatch(/^BUSINESS +STATE +SINCE +UNTIL +NAME\n/);
  });
});

describe('pinkas allocation retry', () => {
  const reply = {
    business_id: id,
    document_id: id,
    outcome: 'issued',
    number: '123456789',
    refusal_codes: [],
    reason: null,
    next_attempt_at: null,
  };
  const retry = (change: object) =>
    run('retry', { DOCUMENT_ID: id }, { [retryAllocation.subject]: () => ({ ...reply, ...change }) }).output;

  it('tells the number', async () => {
    expect(await retry({})).toEqual({
      json: reply,
      text: 'The allocation number is 123456789; the PDF is made anew with it',
    });
    expect(await retry({ outcome: 'not_retryable', reason: 'It has one.' })).toMatchObject({
      text: 'The document has its allocation number: 123456789',
    });
  });

  it.each([
    [
      { outcome: 'refused', reason: 'refused: 460 no' },
      'No number: refused: 460 no',
      'after a won objection',
    ],
    [
      { outcome: 'failed', reason: 'No answer.', next_attempt_at: requestedAt },
      'No number yet: No answer.',
      `It is asked for again by itself at ${requestedAt}`,
    ],
    [
      { outcome: 'failed', reason: 'Not subscribed.' },
      'No number yet: Not subscribed.',
      'when that is mended',
    ],
    [{ outcome: 'not_retryable', reason: 'Below.' }, 'No number is asked for: Below.', 'nothing to retry'],
  ])('ends as failed where there is no number, with what comes next: %p', async (change, text, failure) => {
    const output = await retry({ number: null, ...change });
    expect(output.text).toBe(text);
    expect(output.failure).toContain(failure);
  });

  it('says that there is no such document', async () => {
    const missing = () => {
      throw new Problem('not_found');
    };
    const { output } = run('retry', { DOCUMENT_ID: id }, { [retryAllocation.subject]: missing });
    await expect(output).rejects.toThrow(`No document with the id ${id}`);
    await expect(output).rejects.toThrow(/has reached the step of the allocation number: pinkas queue dead/);
  });
});
