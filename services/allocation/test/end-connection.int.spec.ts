import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  completeConnection,
  endConnection,
  listDeadLetteredAllocations,
  showConnection,
  startConnection,
} from '@pinkas/contracts';
import { eventually, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import { AuthorityGrants } from '../src/authority/authority-grants.js';
import { type AllocationUnderTest, endBeforeReplacing, startAllocation } from './allocation.js';

const minute = 60_000;

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ autoConnect: false, timeoutMs: 10_000 });
});
afterAll(() => allocation?.stop());

describe('endConnection', () => {
  afterEach(() => allocation.authority.resetModes());

  const end = (businessId: string, personId?: string) =>
    allocation.network.call(endConnection, {
      business_id: businessId,
      ...(personId !== undefined && { person_id: personId }),
    });
  const show = (businessId: string) => allocation.network.call(showConnection, { business_id: businessId });
  const start = (businessId: string, personId?: string) =>
    allocation.network.call(startConnection, {
      business_id: businessId,
      ...(personId !== undefined && { person_id: personId }),
    });
  const agree = async (authorizeUrl: string) => {
    const given = (await allocation.authority.approveAsOwner(authorizeUrl)).searchParams;
    return { state: given.get('state') ?? '', code: given.get('code') };
  };
  const nothing = { connection: null, request: null, transmission: true };
  /** The requests of the authority for a path that have no answer yet. */
  const unansweredCalls = async (path: string) =>
    (await allocation.authority.calls()).calls.filter(
      (call) => call.path.endsWith(path) && call.status === null,
    ).length;

  it('endConnection deletes the tokens, the open request with them, and names the person in the trail', async () => {
    const id = randomUUID();
    const personId = randomUUID();
    await allocation.connect(id);
    const { connection } = await show(id);
    await start(id, personId);
    expect(await end(id, personId)).toEqual({ ended: true });
    expect(await show(id)).toEqual(nothing);
    for (const table of ['connection', 'connection_request'] as const) {
      const rows = await allocation.database.db
        .selectFrom(table)
        .select('business_id')
        .where('business_id', '=', id)
        .execute();
      expect(rows).toEqual([]);
    }
    const trail = await readTrail(allocation.database, id);
    expect(trail.slice(2)).toEqual([
      expect.objectContaining({ action: 'connection.start', actor: `person:${personId}` }),
      {
        action: 'connection.end',
        actor: `person:${personId}`,
        subject: id,
        before: {
          connected_at: connection?.connected_at,
          expires_at: connection?.until,
          broken_at: null,
        },
        after: null,
      },
    ]);
  });

  it('endConnection without a connection changes nothing, and ends a request that is open', async () => {
    const id = randomUUID();
    expect(await end(id)).toEqual({ ended: false });
    expect(await readTrail(allocation.database, id)).toEqual([]);
    const { authorize_url } = await start(id);
    expect(await end(id)).toEqual({ ended: false });
    expect(await show(id)).toEqual(nothing);
    const outcome = await allocation.network.call(completeConnection, await agree(authorize_url));
    expect(outcome.outcome).toBe('stale');
    expect(await show(id)).toEqual(nothing);
    const actions = (await readTrail(allocation.database, id)).map(({ action, actor }) => [action, actor]);
    expect(actions).toEqual([
      ['connection.start', 'operator'],
      ['connection.end', 'operator'],
    ]);
  });

  it('endConnection ends the connection of its own business only', async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await allocation.connect(id);
    await allocation.connect(other);
    await end(id);
    expect((await show(other)).connection?.state).toBe('connected');
  });

  it('documents await the next connection after the end of one, and none is dead-lettered at once', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    await allocation.authority.setMode({ mode: 'error' });
    const pending = await allocation.issue({}, { id });
    await allocation.settled(pending.id);
    await allocation.authority.resetModes();
    await end(id);
    allocation.advanceClock(5_000);
    const later = await allocation.issue({}, { id });
    expect(await allocation.settled(later.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
    for (const invoice of [pending, later]) {
      await eventually('the document awaits a connection', async () => {
        const row = await allocation.row(invoice.id);
        return row.state === 'pending' && row.awaiting_connection;
      });
    }
    const { documents } = await allocation.network.call(listDeadLetteredAllocations, { limit: 500 });
    expect(documents.filter(({ business_id }) => business_id === id)).toEqual([]);
    await allocation.connect(id);
    expect(await allocation.settled(pending.id, 2)).toMatchObject({ status: 'issued' });
    expect(await allocation.settled(later.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('a request in flight keeps its number when the connection ends, and does not connect the business again', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 500 });
    const invoice = await allocation.issue({}, { id });
    await eventually('the request is in flight', async () => (await unansweredCalls('Approval')) > 0);
    await end(id);
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(await show(id)).toEqual(nothing);
  });

  it('a request in flight whose token is refused after the end of the connection awaits the next one', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    await allocation.authority.setMode({ mode: 'unauthorized' });
    endBeforeReplacing(allocation);
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
    expect(await allocation.row(invoice.id)).toMatchObject({ state: 'pending', awaiting_connection: true });
    expect(await show(id)).toEqual(nothing);
  });

  it('endConnection waits for a renewal of the tokens, which does not connect the business again', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    allocation.advanceClock(11 * minute);
    const grants = allocation.service.app.get(AuthorityGrants);
    const refresh = grants.fromRefreshToken.bind(grants);
    const ended: Promise<{ ended: boolean }>[] = [];
    jest.spyOn(grants, 'fromRefreshToken').mockImplementationOnce(async (token, signal) => {
      ended.push(end(id));
      await eventually('the end of the connection waits', async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          allocation.database.db,
        );
        return rows.length > 0;
      });
      return refresh(token, signal);
    });
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(await Promise.all(ended)).toEqual([{ ended: true }]);
    expect(await show(id)).toEqual(nothing);
  });

  it('CompleteConnection connects nothing when the connection was ended during the exchange of the code', async () => {
    const id = randomUUID();
    await allocation.connect(id);
    const given = await agree((await start(id)).authorize_url);
    const grants = allocation.service.app.get(AuthorityGrants);
    const exchange = grants.fromCode.bind(grants);
    jest.spyOn(grants, 'fromCode').mockImplementationOnce(async (code, signal) => {
      const grant = await exchange(code, signal);
      expect(await end(id)).toEqual({ ended: true });
      return grant;
    });
    const completed = await allocation.network.call(completeConnection, given);
    expect(completed).toEqual({ outcome: 'stale', business_id: null, reason: null });
    expect(await show(id)).toEqual(nothing);
  });
});

describe('AuthorityTokens without a connection', () => {
  it('a document of an unconnected business gets no number but a reason', async () => {
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
  });
});

describe('a business that is connected automatically', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ timeoutMs: 10_000 });
  });
  afterAll(() => allocation.stop());

  const connectionOf = (businessId: string) =>
    allocation.database.db
      .selectFrom('connection')
      .selectAll()
      .where('business_id', '=', businessId)
      .executeTakeFirst();
  const tokenCallsDuring = async (work: () => Promise<unknown>) => {
    const before = (await allocation.authority.tokenCalls()).length;
    await work();
    return (await allocation.authority.tokenCalls()).slice(before);
  };
  const issueMany = async (count: number, businessId: string) => {
    const invoices = await Promise.all(
      Array.from({ length: count }, () => allocation.issue({}, { id: businessId })),
    );
    return Promise.all(invoices.map((invoice) => allocation.settled(invoice.id)));
  };

  it('AuthorityTokens connects automatically once for many concurrent documents where configured', async () => {
    const id = randomUUID();
    const calls = await tokenCallsDuring(async () => {
      for (const outcome of await issueMany(10, id)) {
        expect(outcome.status).toBe('issued');
      }
    });
    expect(calls).toEqual(['authorization_code']);
  });

  it('AuthorityTokens stores tokens encrypted', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    const row = await connectionOf(id);
    expect(row?.access_token.toString('latin1')).not.toMatch(/^[\w-]{43}$/);
    expect(row?.access_token.length).toBe(12 + 16 + 43);
    expect(row?.refresh_expires_at?.getTime()).toBe(allocation.clock.now.getTime() + 7_776_000 * 1_000);
  });

  it('AuthorityTokens renews an expired token once for many documents and stores the new refresh token', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    const before = await connectionOf(id);
    for (let round = 0; round < 2; round += 1) {
      allocation.advanceClock(11 * minute);
      const calls = await tokenCallsDuring(async () => {
        for (const outcome of await issueMany(10, id)) {
          expect(outcome.status).toBe('issued');
        }
      });
      expect(calls).toEqual(['refresh_token']);
    }
    expect((await connectionOf(id))?.refresh_token.equals(before?.refresh_token ?? Buffer.alloc(0))).toBe(
      false,
    );
  });

  it('AuthorityTokens renews a rejected token once and the request is repeated', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    // Refresh tokens survive the restart of the simulator, access tokens do not.
    await allocation.authority.restart();
    const calls = await tokenCallsDuring(async () => {
      const [outcome] = await issueMany(1, id);
      expect(outcome?.status).toBe('issued');
    });
    expect(calls).toEqual(['refresh_token']);
  });

  it('a request in flight whose token is refused after the end of the connection does not make another', async () => {
    const id = randomUUID();
    const first = await allocation.issue({}, { id });
    expect(await allocation.settled(first.id)).toMatchObject({ status: 'issued' });
    await allocation.authority.setMode({ mode: 'unauthorized' });
    endBeforeReplacing(allocation);
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'failed' });
    expect(await allocation.network.call(showConnection, { business_id: id })).toEqual({
      connection: null,
      request: null,
      transmission: true,
    });
  });
});
