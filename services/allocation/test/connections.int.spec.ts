import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  completeConnection,
  listConnections,
  listDeadLetteredAllocations,
  showConnection,
  startConnection,
} from '@pinkas/contracts';
import { auditTrail, eventually } from '@pinkas/testkit';
import { TaxAuthority } from '../src/allocation/tax-authority.js';
import { decryptToken } from '../src/connection/token-cipher.js';
import { type AllocationUnderTest, redirectUri, startAllocation } from './allocation.js';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('connections', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ autoConnect: false, timeoutMs: 10_000 });
  });
  afterAll(() => allocation.stop());
  afterEach(() => allocation.authority.resetModes());

  const start = (businessId: string) => allocation.network.call(startConnection, { business_id: businessId });
  const show = (businessId: string) => allocation.network.call(showConnection, { business_id: businessId });
  /** Agrees at the authority. @returns what the browser brings back. */
  const agree = async (authorizeUrl: string) => {
    const given = (await allocation.authority.approveAsOwner(authorizeUrl)).searchParams;
    return { state: given.get('state') ?? '', code: given.get('code') };
  };
  const complete = (given: { state: string; code: string | null; business_id?: string }) =>
    allocation.network.call(completeConnection, given);
  const nothing = { outcome: 'stale', business_id: null, reason: null };

  it('StartConnection returns an authorization URL that leads to a connection', async () => {
    const id = randomUUID();
    const started = await start(id);
    const url = new URL(started.authorize_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${allocation.authority.url}/longtimetoken/oauth2/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client',
      scope: 'scope',
      redirect_uri: redirectUri,
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await show(id)).toEqual({
      connection: null,
      request: {
        requested_at: started.requested_at,
        expires_at: new Date(Date.parse(started.requested_at) + 10 * minute).toISOString(),
        state: 'open',
        reason: null,
      },
    });

    expect(await complete(await agree(started.authorize_url))).toEqual({
      outcome: 'connected',
      business_id: id,
      reason: null,
    });
    const now = allocation.clock.now.toISOString();
    const connection = {
      business_id: id,
      state: 'connected',
      since: now,
      connected_at: now,
      until: new Date(allocation.clock.now.getTime() + 90 * day).toISOString(),
    };
    expect(await show(id)).toEqual({ connection, request: null });
    const { connections } = await allocation.network.call(listConnections, { limit: 500 });
    expect(connections).toContainEqual(connection);
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    const [begun, completed] = await auditTrail(allocation.database, id);
    expect(begun).toMatchObject({ action: 'connection.start', actor: 'operator', subject: id });
    expect(completed).toEqual({
      action: 'connection.complete',
      actor: 'owner',
      subject: id,
      before: null,
      after: { connected_at: now, expires_at: connection.until, broken_at: null },
    });
  });

  it('CompleteConnection accepts a state once and within ten minutes', async () => {
    const id = randomUUID();
    const first = await agree((await start(id)).authorize_url);
    expect((await complete(first)).outcome).toBe('connected');
    expect(await complete(first)).toEqual(nothing);
    const late = await agree((await start(id)).authorize_url);
    allocation.advanceClock(10 * minute);
    expect(await complete(late)).toEqual(nothing);
    expect(await complete({ state: 'made up', code: 'made up' })).toEqual(nothing);
  });

  it('CompleteConnection connects once when the browser returns twice at the same moment', async () => {
    const given = await agree((await start(randomUUID())).authorize_url);
    const outcomes = await Promise.all([complete(given), complete(given), complete(given)]);
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['connected', 'stale', 'stale']);
  });

  it('CompleteConnection rejects the state of another business and a replaced one', async () => {
    const id = randomUUID();
    const given = await agree((await start(id)).authorize_url);
    expect(await complete({ ...given, business_id: randomUUID() })).toEqual(nothing);
    const newer = await agree((await start(id)).authorize_url);
    expect(await complete(given)).toEqual(nothing);
    expect((await complete({ ...newer, business_id: id })).outcome).toBe('connected');
  });

  it('StartConnection stores only the hash of the state', async () => {
    const id = randomUUID();
    const { state } = await agree((await start(id)).authorize_url);
    const { rows } = await dump(id);
    expect(rows).toContain('"used_at":null');
    expect(rows).not.toContain(state);
    expect(rows).not.toContain(Buffer.from(state).toString('hex'));
  });
  const dump = async (businessId: string) => {
    const rows = await allocation.database.db
      .selectFrom('connection_request')
      .selectAll()
      .where('business_id', '=', businessId)
      .execute();
    return {
      rows: JSON.stringify(rows.map((row) => ({ ...row, state_hash: row.state_hash.toString('hex') }))),
    };
  };

  it.each([
    ['who did not agree', null, 'The owner did not agree at the tax authority.'],
    ['whose code is worth nothing', 'used-before', 'The tax authority did not take the code'],
  ])('CompleteConnection fails with a reason when the owner %s', async (_case, code, reason) => {
    const id = randomUUID();
    const { state } = await agree((await start(id)).authorize_url);
    expect(await complete({ state, code })).toEqual({
      outcome: 'failed',
      business_id: id,
      reason: expect.stringContaining(reason),
    });
    expect(await show(id)).toMatchObject({
      connection: null,
      request: { state: 'failed', reason: expect.stringContaining(reason) },
    });
    await allocation.connect(id);
    expect(await show(id)).toMatchObject({ connection: { state: 'connected' }, request: null });
  });

  it('CompleteConnection resumes every document that awaits it, dead-lettered ones included', async () => {
    const id = randomUUID();
    const waiting = await allocation.issue({}, { id });
    expect(await allocation.settled(waiting.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
    const deadLettered = await allocation.issue({}, { id });
    await allocation.settled(deadLettered.id);
    allocation.advanceClock(25 * 60 * minute);
    await eventually('the document is dead-lettered after a day', async () => {
      const { documents } = await allocation.network.call(listDeadLetteredAllocations, { limit: 500 });
      return documents.some((document) => document.document_id === deadLettered.id);
    });
    await allocation.connect(id);
    for (const invoice of [waiting, deadLettered]) {
      await eventually('the number is published', () =>
        allocation.settledOf(invoice.id).some(({ status }) => status === 'issued'),
      );
    }
  });

  it('CompleteConnection resumes a document whose attempt in flight found no connection', async () => {
    const id = randomUUID();
    jest.spyOn(allocation.service.app.get(TaxAuthority), 'requestNumber').mockImplementationOnce(async () => {
      await allocation.connect(id);
      return {
        kind: 'failed',
        failure: 'not_connected',
        reason: 'It has to be connected.',
        retryable: true,
        awaitsConnection: true,
        answer: null,
        outcomeUnknown: false,
      };
    });
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'failed' });
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('AuthorityTokens ends a connection when a fresh token is rejected after one repeat', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    await allocation.authority.setMode({ mode: 'unauthorized' });
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
    expect(await show(id)).toMatchObject({ connection: { state: 'ended', until: null } });
    const calls = (await allocation.authority.calls()).calls.filter((call) => call.path.endsWith('Approval'));
    expect(calls.slice(-2).map((call) => call.status)).toEqual([401, 401]);
    await allocation.authority.resetModes();
    await allocation.connect(id);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('AuthorityTokens ends a connection when a process died between refresh and commit', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    const row = await allocation.database.db
      .selectFrom('connection')
      .selectAll()
      .where('business_id', '=', id)
      .executeTakeFirstOrThrow();
    // What such a process has done: the token is spent, and its successor stored nowhere.
    const spent = decryptToken(allocation.tokenEncryptionKey, `${id} refresh`, row.refresh_token);
    await allocation.authority.useRefreshToken(spent);
    allocation.advanceClock(11 * minute);
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has ended'),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({
      state: 'pending',
      awaiting_connection: true,
      outcome_unknown: false,
    });
    expect(await show(id)).toMatchObject({ connection: { state: 'ended' } });
    await allocation.connect(id);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('ConnectionMonitor logs an expiring and an ended connection once each', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    const warning = async () =>
      (
        await allocation.database.db
          .selectFrom('connection')
          .select('warning')
          .where('business_id', '=', id)
          .executeTakeFirstOrThrow()
      ).warning;
    allocation.advanceClock(75 * day);
    expect((await show(id)).connection?.state).toBe('connected');
    expect(await warning()).toBeNull();
    allocation.advanceClock(day);
    expect((await show(id)).connection?.state).toBe('expiring');
    await eventually('the warning is logged', async () => (await warning()) === 'expiring');
    allocation.advanceClock(14 * day);
    expect(await show(id)).toMatchObject({ connection: { state: 'ended', until: null } });
    await eventually('the warning is logged', async () => (await warning()) === 'ended');
    await allocation.connect(id);
    expect((await show(id)).connection?.state).toBe('connected');
    expect(await warning()).toBeNull();
  });

  it('ListConnections lists every connection on exactly one page', async () => {
    const ids = Array.from({ length: 3 }, () => randomUUID());
    for (const id of ids) {
      await allocation.connect(id);
    }
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: { connections: { business_id: string }[]; next_after: string | null } =
        await allocation.network.call(listConnections, { limit: 2, ...(after === null ? {} : { after }) });
      seen.push(...page.connections.map((connection) => connection.business_id));
      after = page.next_after;
    } while (after !== null);
    expect(seen).toEqual([...new Set(seen)].sort());
    for (const id of ids) {
      expect(seen).toContain(id);
    }
  });
});
