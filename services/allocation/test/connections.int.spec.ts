import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  completeConnection,
  connectionEventDue,
  diagnosing,
  listConnections,
  listDeadLetteredAllocations,
  type RequestOf,
  showConnection,
  startConnection,
} from '@pinkas/contracts';
import { decryptToken } from '@pinkas/service-kit';
import { eventually, readTrail } from '@pinkas/testkit';
import { TaxAuthority } from '../src/attempt/tax-authority.js';
import { type AllocationUnderTest, redirectUri, startAllocation } from './allocation.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** An HTTP proxy that opens tunnels for clients that know its password, and remembers where to. */
async function startProxy(): Promise<{ server: Server; port: number; tunnels: string[]; cut(): void }> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const expected = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, socket: Socket) => {
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket);
      socket.pipe(target);
    });
    for (const end of [socket, target]) {
      sockets.add(end);
      end.on('error', () => {});
      end.once('close', () => {
        socket.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return { server, port: (server.address() as AddressInfo).port, tunnels, cut };
}

let allocation: AllocationUnderTest;
beforeAll(async () => {
  allocation = await startAllocation({ autoConnect: false, timeoutMs: 10_000 });
});
afterAll(() => allocation?.stop());

describe('connections', () => {
  afterEach(() => allocation.authority.resetModes());

  const start = (
    businessId: string,
    by: { person_id?: string; return_url?: string; user_id?: string } = {},
  ) => allocation.network.call(startConnection, { business_id: businessId, user_name: 'Demo User', ...by });
  const show = (businessId: string) => allocation.network.call(showConnection, { business_id: businessId });
  /** Agrees at the authority. @returns what the browser brings back. */
  const agree = async (authorizeUrl: string) => {
    const given = (await allocation.authority.approveAsOwner(authorizeUrl)).searchParams;
    return { state: given.get('state') ?? '', code: given.get('code') };
  };
  const complete = (given: RequestOf<typeof completeConnection>) =>
    allocation.network.call(completeConnection, given);
  const nothing = { outcome: 'stale', business_id: null, reason: null };

  it('the checks of allocation show whether the authority answers, and which logins end', async () => {
    const found = async () => {
      const { checks } = await allocation.network.call(diagnosing.allocation.diagnoseProcess, {});
      return checks.filter(({ area }) => area === 'authority');
    };
    const host = new URL(allocation.authority.url).host;
    expect(await found()).toContainEqual(
      expect.objectContaining({ subject: `authority at ${host}`, state: 'ok' }),
    );
    const id = randomUUID();
    await allocation.connect(id);
    const { connection } = await show(id);
    const login = async (at: number) => {
      const { now } = allocation.clock;
      allocation.clock.now = new Date(at);
      const checks = await found();
      allocation.clock.now = now;
      return checks.find(({ subject }) => subject === `connection of business ${id}`);
    };
    const until = Date.parse(connection?.until ?? '');
    expect(await login(until - 20 * day)).toBeUndefined();
    expect(await login(until - 5 * day)).toMatchObject({
      finding: expect.stringMatching(/^its login ends on /),
    });
    expect(await login(until + day)).toMatchObject({ finding: expect.stringMatching(/^has ended /) });
  });

  it('startConnection returns an authorization URL that leads to a connection', async () => {
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
      transmission: true,
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
      person: 'Demo User',
    };
    expect(await show(id)).toEqual({ connection, request: null, transmission: true });
    const { connections } = await allocation.network.call(listConnections, { limit: 500 });
    expect(connections).toContainEqual(connection);
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    const [begun, completed] = await readTrail(allocation.database, id);
    expect(begun).toMatchObject({ action: 'connection.start', actor: 'operator', subject: id });
    expect(completed).toEqual({
      action: 'connection.complete',
      actor: 'owner',
      subject: id,
      before: null,
      after: { connected_at: now, expires_at: connection.until, broken_at: null },
    });
  });

  it('a request for a number names the person who logged in, by id or by name, and never the business', async () => {
    const [byName, byId] = [randomUUID(), randomUUID()];
    await allocation.connect(byName);
    await complete(await agree((await start(byId, { user_id: '000000018' })).authorize_url));
    const named = async (businessId: string) => {
      const invoice = await allocation.issue({}, { id: businessId });
      await allocation.settled(invoice.id);
      const [{ user_id, user_name } = {}] = await allocation.authority.approvalsOf(invoice.id);
      return { user_id, user_name };
    };
    expect(await named(byName)).toEqual({ user_id: undefined, user_name: 'Demo User' });
    expect(await named(byId)).toEqual({ user_id: 18, user_name: undefined });
    expect((await show(byId)).connection?.person).toBe('000000018');
  });

  it('a connection that names no person asks for no number, and its documents wait until one is named', async () => {
    const id = randomUUID();
    const { authorize_url } = await allocation.network.call(startConnection, { business_id: id });
    await complete(await agree(authorize_url));
    const invoice = await allocation.issue({}, { id });
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the name or the id of the person'),
    });
    expect(await allocation.authority.approvalsOf(invoice.id)).toEqual([]);
    await allocation.connect(id);
    expect(await allocation.settled(invoice.id, 2)).toMatchObject({ status: 'issued' });
  });

  it('CompleteConnection completes what a person began for that person alone, and returns where', async () => {
    const id = randomUUID();
    const by = { person_id: randomUUID(), return_url: 'https://console.example.com/authority/connected' };
    const given = await agree((await start(id, by)).authorize_url);
    const elsewhere = {
      outcome: 'other_person',
      business_id: null,
      reason: null,
      return_url: by.return_url,
    };
    expect(await complete(given)).toEqual(elsewhere);
    expect(await complete({ ...given, business_id: id })).toEqual(elsewhere);
    expect(await complete({ ...given, person_id: randomUUID() })).toEqual(elsewhere);
    expect((await show(id)).request).toMatchObject({ state: 'open' });
    expect(await complete({ ...given, person_id: by.person_id })).toMatchObject({ outcome: 'connected' });
    expect(await complete(given)).toEqual(nothing);
    const trail = await readTrail(allocation.database, id);
    expect(trail.map(({ action, actor }) => [action, actor])).toEqual([
      ['connection.start', `person:${by.person_id}`],
      ['connection.complete', `person:${by.person_id}`],
    ]);
  });

  it('CompleteConnection completes for no person what the operator began', async () => {
    const given = await agree((await start(randomUUID())).authorize_url);
    expect(await complete({ ...given, person_id: randomUUID() })).toEqual(nothing);
    expect(await complete(given)).toMatchObject({ outcome: 'connected' });
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

  it('startConnection stores only the hash of the state', async () => {
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

  it('ConnectionMonitor logs and publishes an expiring and an ended connection once each', async () => {
    const published = allocation.network.collect(connectionEventDue);
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
    allocation.advanceClock(74 * day);
    expect((await show(id)).connection?.state).toBe('connected');
    expect(await warning()).toBeNull();
    // The authority goes on stating 90 days with each refresh; the consent ends 90 days after the login.
    await allocation.authority.setClock(allocation.clock.now);
    await allocation.settled((await allocation.issue({}, { id })).id);
    allocation.advanceClock(day);
    expect((await show(id)).connection?.state).toBe('expiring');
    await eventually('the warning is logged', async () => (await warning()) === 'expiring');
    allocation.advanceClock(15 * day);
    expect(await show(id)).toMatchObject({ connection: { state: 'ended', until: null } });
    await eventually('the warning is logged', async () => (await warning()) === 'ended');
    await eventually(
      'both are published',
      () => published.filter((event) => event.business_id === id).length === 2,
    );
    expect(published.filter((event) => event.business_id === id)).toMatchObject([
      { type: 'authority.expiring', valid_until: expect.any(String) },
      { type: 'authority.disconnected', valid_until: null },
    ]);
    await allocation.connect(id);
    expect((await show(id)).connection?.state).toBe('connected');
    expect(await warning()).toBeNull();
  });

  it('listConnections lists every connection on exactly one page', async () => {
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

describe('AuthorityHttp through a proxy', () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    proxy = await startProxy();
    allocation = await startAllocation({
      timeoutMs: 10_000,
      proxyUrl: `http://user:secret@127.0.0.1:${proxy.port}`,
    });
  });
  afterAll(async () => {
    await allocation.stop();
    proxy.cut();
    proxy.server.close();
  });

  it('AuthorityHttp sends the login, the tokens and the request through the proxy', async () => {
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(allocation.authority.url).host]));
  });

  it('AuthorityHttp fails an attempt when the proxy is down and does not bypass it', async () => {
    proxy.server.close();
    proxy.cut();
    await once(proxy.server, 'close');
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: 'The tax authority could not be reached.',
    });
    expect(await allocation.authority.approvalsOf(invoice.id)).toEqual([]);
  });
});
