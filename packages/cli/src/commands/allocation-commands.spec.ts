import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  completeConnection,
  decideRefusal,
  endConnection,
  enterAllocationNumber,
  getDocumentFacts,
  listBusinesses,
  listConnections,
  markConnected,
  requestAllocationNumber,
  retryAllocation,
  showBusiness,
  showConnection,
  startConnection,
  updateBusiness,
} from '@pinkas/contracts';
import { notFound, run } from '../../test/run.js';

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

const exists = { [showBusiness.subject]: () => ({ business }), [startConnection.subject]: () => started };

describe('pinkas allocation connect', () => {
  const person = { 'user-name': 'Demo User' };
  const connect = (answers: Record<string, () => unknown>, options: Record<string, string | true> = {}) =>
    run('allocation connect', { BUSINESS_ID: id, ...person, ...options }, { ...exists, ...answers });

  it.each([
    [{ 'user-name': ' Demo User ' }, { user_name: 'Demo User' }],
    [{ 'user-id': '18' }, { user_id: '000000018' }],
  ])('allocation connect %j tells who issues', async (options, sent) => {
    const { output, requests } = run(
      'allocation connect',
      { BUSINESS_ID: id, ...options, 'no-wait': true },
      exists,
    );
    await output;
    expect(requests).toContainEqual([startConnection.subject, { business_id: id, ...sent }]);
  });

  it.each([
    {},
    { 'user-name': 'Demo User', 'user-id': '18' },
    { 'user-name': '00 0' },
    { 'user-name': 'N'.repeat(26) },
    { 'user-id': '19' },
    { 'user-id': 'Demo' },
  ])('allocation connect %j is refused, since it names no person', async (options) => {
    const { output, requests } = run('allocation connect', { BUSINESS_ID: id, ...options }, exists);
    await expect(output).rejects.toThrow(/--user-(name|id)/);
    expect(requests).toHaveLength(1);
  });

  it('allocation connect prints the address, waits, and prints that the business is connected', async () => {
    const { output, printed } = connect({ [showConnection.subject]: () => ({ connection, request: null }) });
    expect(await output).toEqual({
      json: connection,
      text: `Example Ltd is connected to the tax authority, until ${connection.until}`,
    });
    expect(printed.join('\n')).toContain(started.authorize_url);
  });

  it('allocation connect does not accept an earlier connection', async () => {
    const older = { ...connection, connected_at: '2026-06-15T07:59:59.999Z' };
    const request = { ...started, state: 'failed', reason: 'The owner did not agree.' };
    const { output } = connect({ [showConnection.subject]: () => ({ connection: older, request }) });
    await expect(output).rejects.toThrow(
      `The owner did not agree. To retry, run pinkas allocation connect ${id} again`,
    );
  });

  it('allocation connect fails when a newer request has replaced its own', async () => {
    const request = { ...started, requested_at: '2026-06-15T08:00:01.000Z', state: 'open', reason: null };
    const { output } = connect({ [showConnection.subject]: () => ({ connection: null, request }) });
    await expect(output).rejects.toThrow('Another connection of this business was started');
  });

  it('allocation connect fails when the address has expired', async () => {
    const short = { ...started, expires_at: requestedAt };
    const { output } = connect({
      [startConnection.subject]: () => short,
      [showConnection.subject]: () => ({
        connection: null,
        request: { ...short, state: 'open', reason: null },
      }),
    });
    await expect(output).rejects.toThrow('The owner did not log in before the address expired');
  });

  it('allocation connect --no-wait only prints the address', async () => {
    const { output } = connect({}, { 'no-wait': true });
    expect((await output).json).toEqual({
      business_id: id,
      authorize_url: started.authorize_url,
      expires_at: started.expires_at,
    });
  });

  it('allocation connect --callback completes the connection and marks the business', async () => {
    const { output, requests } = connect(
      {
        [completeConnection.subject]: () => ({ outcome: 'connected', business_id: id, reason: null }),
        [markConnected.subject]: () => ({ connected: true }),
        [showConnection.subject]: () => ({ connection, request: null }),
      },
      { callback: 'https://elsewhere.example.com/back?code=c%2F1&state=s' },
    );
    expect((await output).json).toEqual(connection);
    expect(requests).toContainEqual([
      completeConnection.subject,
      { business_id: id, state: 's', code: 'c/1' },
    ]);
    expect(requests).toContainEqual([markConnected.subject, { business_id: id }]);
  });

  it.each([
    ['no address', 'code=c', undefined, '--callback takes the whole address'],
    ['a used one', 'https://x.example.com/?code=c&state=s', 'stale', 'was used already, has expired'],
    [
      'one of a person',
      'https://x.example.com/?code=c&state=s',
      'other_person',
      'began this connection in the console',
    ],
    ['one that failed', 'https://x.example.com/?error=access_denied&state=s', 'failed', 'To retry'],
  ])('allocation connect --callback rejects %s', async (_case, callback, outcome, message) => {
    const { output } = connect(
      { [completeConnection.subject]: () => ({ outcome, business_id: null, reason: null }) },
      { callback },
    );
    await expect(output).rejects.toThrow(message);
  });

  it('allocation connect rejects an unknown business', async () => {
    const { output } = connect({ [showBusiness.subject]: notFound });
    await expect(output).rejects.toThrow(`No business has the id ${id}`);
  });
});

describe('pinkas allocation disconnect', () => {
  const disconnect = (ended: boolean, isMarked: boolean) =>
    run(
      'allocation disconnect',
      { BUSINESS_ID: id },
      {
        [showBusiness.subject]: () => ({ business: { ...business, tax_authority_connected: isMarked } }),
        [endConnection.subject]: () => ({ ended }),
        [updateBusiness.subject]: () => ({ business }),
      },
    );
  const unmark = [updateBusiness.subject, { business_id: id, change: { tax_authority_connected: false } }];

  it('allocation disconnect ends the connection, and then marks the business as unconnected', async () => {
    const { output, requests } = disconnect(true, true);
    const { json, text } = await output;
    expect(json).toEqual({ business_id: id, ended: true });
    expect(text).toMatch(/^Example Ltd is no longer connected to the tax authority: /);
    expect(requests.slice(1)).toEqual([[endConnection.subject, { business_id: id }], unmark]);
  });

  it('allocation disconnect states that there was no connection, and marks the business all the same', async () => {
    const { output, requests } = disconnect(false, true);
    expect(await output).toEqual({
      json: { business_id: id, ended: false },
      text: 'Example Ltd was not connected to the tax authority',
    });
    expect(requests).toContainEqual(unmark);
  });

  it('allocation disconnect changes no setting of a business that is not marked', async () => {
    const { output, requests } = disconnect(true, false);
    await output;
    expect(requests.map(([subject]) => subject)).toEqual([showBusiness.subject, endConnection.subject]);
  });

  it('allocation disconnect rejects an unknown business', async () => {
    const { output } = run(
      'allocation disconnect',
      { BUSINESS_ID: id },
      { [showBusiness.subject]: notFound },
    );
    await expect(output).rejects.toThrow(`No business has the id ${id}`);
  });
});

describe('pinkas allocation connections', () => {
  it('allocation connections lists every page of businesses that are or should be connected', async () => {
    const never = { id: randomUUID(), name: 'Never Ltd', tax_authority_connected: true };
    const apart = { id: randomUUID(), name: 'Apart Ltd', tax_authority_connected: false };
    const pages = [
      { connections: [{ ...connection, business_id: randomUUID() }], next_after: connection.business_id },
      { connections: [connection], next_after: null },
    ];
    const { output } = run(
      'allocation connections',
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
    run(
      'allocation retry',
      { DOCUMENT_ID: id },
      { [retryAllocation.subject]: () => ({ ...reply, ...change }) },
    ).output;

  it('allocation retry prints the number', async () => {
    expect(await retry({})).toEqual({
      json: reply,
      text: 'The allocation number is 123456789; the next revision of the PDF has it',
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
      `It is retried at ${requestedAt}`,
    ],
    [{ outcome: 'failed', reason: 'Not subscribed.' }, 'No number yet: Not subscribed.', 'correct the cause'],
    [{ outcome: 'not_retryable', reason: 'Below.' }, 'No number is requested: Below.', 'nothing to retry'],
  ])(
    'allocation retry fails without a number, and prints what comes next: %p',
    async (change, text, failure) => {
      const output = await retry({ number: null, ...change });
      expect(output.text).toBe(text);
      expect(output.failure).toContain(failure);
    },
  );

  it('allocation retry rejects an unknown document', async () => {
    const { output } = run('allocation retry', { DOCUMENT_ID: id }, { [retryAllocation.subject]: notFound });
    await expect(output).rejects.toThrow(`No document with the id ${id}`);
    await expect(output).rejects.toThrow(/is known to the allocation service: pinkas queue dead/);
  });
});

describe('pinkas allocation enter, request and decide', () => {
  const facts = {
    document: { id, business_id: id },
    business: { ...business, tax_authority_connected: false },
    artifact_sha256: 'ab'.repeat(32),
    state: {},
  };
  const known = {
    [getDocumentFacts.subject]: () => facts,
    [showBusiness.subject]: () => ({ business: { ...business, tax_authority_connected: true } }),
  };
  const key = { business_id: id, document_id: id };

  it('allocation enter sends the document with the connection of now, and prints the number', async () => {
    const { output, requests } = run(
      'allocation enter',
      { DOCUMENT_ID: id, NUMBER: '123456789' },
      {
        ...known,
        [enterAllocationNumber.subject]: () => ({ ...key, number: '123456789', refusal: null }),
      },
    );
    expect((await output).text).toContain('123456789');
    expect(requests.at(-1)).toEqual([
      enterAllocationNumber.subject,
      {
        document: facts.document,
        business: { ...business, tax_authority_connected: true },
        artifact_sha256: facts.artifact_sha256,
        entered: '123456789',
      },
    ]);
  });

  it.each([
    ['form', {}, 'nine digits'],
    ['has_number', { number: '987654321' }, 'stays'],
    ['of_other', { other: { document_id: id, document_number: 7 } }, 'Another document'],
    ['type', {}, 'Only a tax invoice'],
    ['age', {}, 'more than a year old'],
    ['no_vat', {}, 'has no VAT'],
    ['no_tax_id', {}, 'had no tax id'],
  ] as const)(
    'allocation enter fails with a reason for a number that is refused as %s',
    async (refusal, more, reason) => {
      const reply = { ...key, number: null, refusal, ...more };
      const answers = { ...known, [enterAllocationNumber.subject]: () => reply };
      const { failure, json } = await run('allocation enter', { DOCUMENT_ID: id, NUMBER: '1' }, answers)
        .output;
      expect(failure).toContain(reason);
      expect(json).toEqual(reply);
    },
  );

  const request = (change: object) => {
    const reply = { ...key, number: null, refusal: null, reason: null, next_attempt_at: null };
    const answers = { ...known, [requestAllocationNumber.subject]: () => ({ ...reply, ...change }) };
    return run('allocation request', { DOCUMENT_ID: id }, answers).output;
  };

  it('allocation request prints the number, or when it is asked for again', async () => {
    expect((await request({ number: '123456789' })).failure).toBeUndefined();
    expect((await request({ reason: 'No answer.', next_attempt_at: requestedAt })).failure).toContain(
      requestedAt,
    );
  });

  it.each([
    ['not_connected', 'pinkas allocation connect'],
    ['refused', `pinkas allocation decide ${id}`],
    ['has_number', 'has its allocation number'],
    ['type', 'Only a tax invoice'],
    ['age', 'more than a year old'],
    ['no_vat', 'has no VAT'],
    ['no_tax_id', 'had no tax id'],
  ] as const)('allocation request fails as %s with what comes first', async (refusal, reason) => {
    expect((await request({ refusal })).failure).toContain(reason);
  });

  it.each([
    ['enter', '1'],
    ['request', undefined],
  ])('allocation %s rejects a document that no business has', async (verb, NUMBER) => {
    const { output } = run(
      `allocation ${verb}`,
      { DOCUMENT_ID: id, NUMBER },
      { [getDocumentFacts.subject]: notFound },
    );
    await expect(output).rejects.toThrow(`No document has the id ${id}`);
  });

  const last = {
    n: 1,
    decision: 'continue',
    state: 'taken',
    decided_at: requestedAt,
    actor: 'operator',
    ended_at: null,
    reason: null,
    next_attempt_at: null,
  };
  const decide = (DECISION: string, change: object) =>
    run(
      'allocation decide',
      { DOCUMENT_ID: id, DECISION },
      { [decideRefusal.subject]: () => ({ ...key, refusal: null, last, ...change }) },
    );

  it('allocation decide sends the decision, and prints what follows', async () => {
    const { output, requests } = decide('continue', {});
    expect((await output).text).toContain('no input VAT is deducted');
    expect(requests).toEqual([[decideRefusal.subject, { document_id: id, decision: 'continue' }]]);
  });

  it.each([
    ['not_refused', 'has not refused'],
    ['decided', 'decided otherwise'],
    ['not_offered', 'Reverse charge needs'],
  ] as const)('allocation decide fails with a reason as %s', async (refusal, reason) => {
    expect((await decide('reverse-charge', { refusal }).output).failure).toContain(reason);
  });

  it('allocation decide says when a decision is sent again, and fails for one that was not taken', async () => {
    const pending = { ...last, state: 'pending', reason: 'No answer.', next_attempt_at: requestedAt };
    expect((await decide('continue', { last: pending }).output).failure).toContain(requestedAt);
    const failed = { ...last, state: 'failed', reason: 'No refusal.' };
    expect(await decide('continue', { last: failed }).output).toMatchObject({
      text: expect.stringContaining('No refusal.'),
      failure: expect.stringContaining('did not take'),
    });
  });

  it('allocation decide refuses another word, and a document that is not known was not refused', async () => {
    await expect(decide('appeal', {}).output).rejects.toThrow('continue, cancel, object, reverse-charge');
    const { output } = run(
      'allocation decide',
      { DOCUMENT_ID: id, DECISION: 'object' },
      { [decideRefusal.subject]: notFound },
    );
    await expect(output).rejects.toThrow('has not refused');
  });
});
