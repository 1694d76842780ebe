import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { headers as natsHeaders } from '@nats-io/nats-core';
import {
  type ChainHead,
  type Check,
  diagnosing,
  getUsage,
  type ReplyOf,
  type RequestOf,
  showBusiness,
  streamsOf,
  trails,
} from '@pinkas/contracts';
import { eventually, exampleBusiness, type ServiceUnderTest } from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { callEach } from '../src/diagnosis/call-each.js';
import { databaseChecks } from '../src/diagnosis/database-checks.js';
import {
  actorOf,
  appendTrail,
  createLogger,
  ensureStreams,
  newContext,
  openDatabase,
  withContext,
} from '../src/index.js';
import type { TrailChange } from '../src/trail/trail.repository.js';
import { type ProbeTables, probe, startProbe } from './probe-service.js';

const contracts = trails.delivery;

let tested: ServiceUnderTest<ProbeTables>;
beforeAll(async () => {
  tested = await startProbe();
});
afterAll(() => tested?.stop());

describe('RPC over NATS', () => {
  const request = () => ({ business_id: randomUUID(), key_id: randomUUID() });
  const raw = async (data: string | Uint8Array) => {
    const message = await tested.network.connection.request(getUsage.subject, data, { timeout: 60_000 });
    return { body: message.json(), status: message.headers?.get('Nats-Service-Error-Code') };
  };

  it('request and reply are plain JSON', async () => {
    expect(await raw(JSON.stringify(request()))).toEqual({ body: { used_today: 7 }, status: undefined });
  });

  it.each([
    ['malformed JSON', '{"a":'],
    ['no JSON object', '17'],
    ['nothing', ''],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe, 0x00])],
  ])('a request is rejected and the process survives when it is %s', async (_what, data) => {
    const reply = await raw(data);
    expect(reply.status).toBe('400');
    expect(reply.body).toMatchObject({ code: 'validation_error' });
    expect(await raw(JSON.stringify(request()))).toMatchObject({ body: { used_today: 7 } });
  });

  it('a request that does not match the contract gets its validation errors', async () => {
    await expect(tested.network.call(getUsage, { business_id: 'x' } as never)).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/key_id', message: 'is required' }, { path: '/business_id' }] },
    });
  });

  it('unknown members of a newer release are dropped on both sides', async () => {
    const newer = { ...request(), asked_by: { release: 2 } };
    expect(await raw(JSON.stringify(newer))).toEqual({ body: { used_today: 7 }, status: undefined });
    const old = tested.network.connection.subscribe(showBusiness.subject, {
      callback: (_error, message) => {
        const business = { ...exampleBusiness(), added: { deeply: 1 } };
        message.respond(
          JSON.stringify({
            ...{ business, settings_version: '0'.repeat(64), api_enabled: true, also: [1] },
            ...{ view_url_base: '', pdf_url_base: '' },
          }),
        );
      },
    });
    const reply = await tested.network.call(showBusiness, { business_id: randomUUID() });
    old.unsubscribe();
    expect(Object.keys(reply).sort()).toEqual([
      ...['api_enabled', 'business', 'pdf_url_base', 'settings_version', 'view_url_base'],
    ]);
    expect(Object.keys(reply.business).sort()).toEqual(Object.keys(exampleBusiness()).sort());
  });

  it('request and reply contain only members of the contract', async () => {
    probe.more = { kept_by: 'a newer release' };
    expect(await raw(JSON.stringify(request()))).toEqual({ body: { used_today: 7 }, status: undefined });
    probe.more = {};
    const heard = new Promise<unknown>((resolve) => {
      tested.network.connection.subscribe(showBusiness.subject, {
        max: 1,
        callback: (_error, message) => {
          resolve(message.json());
          message.respond(
            JSON.stringify({
              business: exampleBusiness(),
              settings_version: '0'.repeat(64),
              view_url_base: '',
              pdf_url_base: '',
              api_enabled: true,
            }),
          );
        },
      });
    });
    const asked = { business_id: randomUUID(), kept_by: 'a newer release' };
    await tested.network.call(showBusiness, asked);
    expect(await heard).toEqual({ business_id: asked.business_id });
  });

  it('a problem travels with its code and details', async () => {
    const id = randomUUID();
    await expect(tested.network.call(getUsage, { business_id: id, key_id: id })).rejects.toMatchObject({
      code: 'not_found',
      details: { why: 'equal' },
    });
  });

  it('an unexpected error is hidden from the caller', async () => {
    probe.answer = async () => {
      throw new Error('password in the message');
    };
    const reply = await raw(JSON.stringify(request()));
    probe.answer = async () => 7;
    expect(reply.status).toBe('500');
    expect(reply.body).toEqual({ code: 'internal_error' });
  });

  it('a call without a responder fails at once', async () => {
    await expect(tested.network.call(showBusiness, { business_id: randomUUID() })).rejects.toMatchObject({
      code: 'engine_error',
      cause: { message: `${showBusiness.subject} has no responder` },
    });
  });

  it('a call does not wait past the deadline of its context', async () => {
    let release = () => {};
    probe.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(7);
      });
    await expect(
      withContext(newContext(50), () => tested.network.client.call(getUsage, request())),
    ).rejects.toMatchObject({ code: 'engine_error' });
    release();
    probe.answer = async () => 7;
  });

  it('a reply that violates the contract is an engine_error', async () => {
    probe.answer = async () => -1;
    await expect(tested.network.call(getUsage, request())).rejects.toMatchObject({ code: 'engine_error' });
    probe.answer = async () => 7;
  });
});

describe('the diagnosis of a process', () => {
  const contracts = diagnosing.delivery;
  const { subject } = contracts.diagnoseProcess;
  const checks = async () => (await tested.network.call(contracts.diagnoseProcess, {})).checks;
  const found = async (name: string): Promise<Partial<Check>[]> =>
    (await checks()).filter((check) => check.subject === name);
  const each = (timeoutMs = contracts.diagnoseProcess.timeoutMs) =>
    callEach(tested.network.connection, { ...contracts.diagnoseProcess, timeoutMs }, {});

  it('every process of a service replies, and one that has the request and does not reply is counted', async () => {
    await tested.startAnother();
    const replies = await eventually('both processes replied', async () => {
      const answered = await each();
      return answered.replies.length === 2 && answered.silent === 0 && answered.replies;
    });
    for (const { reply, sentAt, receivedAt } of replies) {
      expect(Date.parse(reply.received_at)).toBeGreaterThanOrEqual(sentAt.getTime());
      expect(Date.parse(reply.replied_at)).toBeLessThanOrEqual(receivedAt.getTime());
    }
    const hung = tested.network.connection.subscribe(subject, {
      callback: (_error, message) => {
        const headers = natsHeaders();
        headers.set('Pinkas-Progress', '1');
        headers.set('Pinkas-Process', 'hung');
        message.respond(undefined, { headers });
      },
    });
    const { silent } = await each(1_200);
    hung.unsubscribe();
    expect(silent).toBeGreaterThan(0);
  });

  it('a service without a process is known at once', async () => {
    expect(await callEach(tested.network.connection, diagnosing.console.diagnoseProcess, {})).toEqual({
      replies: [],
      silent: 0,
    });
  });

  it('a migration that the database lacks is a failure, and one of a newer version a warning', async () => {
    const { db, url } = tested.database;
    const name = `database ${new URL(url).pathname.slice(1)}`;
    expect(await found(name)).toMatchObject([{ state: 'ok' }]);
    await sql`insert into kysely_migration values ('0003-newer', 'now')`.execute(db);
    expect(await found(name)).toMatchObject([
      { state: 'warning', finding: 'has the migrations 0003-newer of a newer version' },
    ]);
    await sql`update kysely_migration set name = '0001-other' where name = '0002-effects'`.execute(db);
    expect(await found(name)).toMatchObject([
      { state: 'failure', finding: 'lacks the migrations 0002-effects' },
    ]);
    await sql`delete from kysely_migration where name = '0003-newer'`.execute(db);
    await sql`update kysely_migration set name = '0002-effects' where name = '0001-other'`.execute(db);
  });

  it('a database that does not answer is a failure', async () => {
    const url = 'postgres://login:secret@127.0.0.1:1/gone';
    const logger = createLogger('delivery', 'silent');
    const db = openDatabase({ url, poolSize: 2, applicationName: 'test', logger });
    const [check, ...others] = await databaseChecks(db, url, [])();
    await db.destroy();
    expect(others).toEqual([]);
    expect(check).toMatchObject({ subject: 'database gone', state: 'failure' });
    expect(JSON.stringify(check)).not.toContain('secret');
  });

  it('a stream that is deleted, and a consumer that is missing, are failures', async () => {
    const manager = await tested.network.streamManager();
    expect(await found('stream EVT_DELIVERY')).toMatchObject([{ state: 'ok' }]);
    await manager.streams.delete('EVT_DELIVERY');
    const [stream] = await found('stream EVT_DELIVERY');
    await ensureStreams(manager, streamsOf('delivery'), 1);
    expect(stream).toMatchObject({ state: 'failure', finding: 'is missing: events wait in the database' });
    // The probe has another consumer than the service whose name it has.
    expect(await found('consumer delivery-due-messages')).toMatchObject([{ state: 'failure' }]);
  });

  it('events that are dead-lettered, unsent or overdue are lines of their own', async () => {
    const { db } = tested.database;
    expect(await found('events of delivery')).toMatchObject([{ state: 'ok' }]);
    await sql`insert into dead_letter (consumer, message_id, subject, body, reason, attempts)
      values ('probe-effects', gen_random_uuid(), 'evt', '{}', 'test', 10)`.execute(db);
    expect(await found('events of delivery')).toMatchObject([
      { state: 'warning', finding: '1 is dead-lettered' },
    ]);
    await sql`delete from dead_letter`.execute(db);
  });
});

describe('the audit trail', () => {
  let owner: pg.Client;
  beforeAll(async () => {
    owner = new pg.Client({ connectionString: tested.database.ownerUrl, options: '-c pinkas.business_id=*' });
    await owner.connect();
  });
  afterAll(() => owner?.end());

  const append = (business_id: string, change: Partial<TrailChange> = {}) =>
    withContext(newContext(10_000, 'request-1'), () =>
      tested.database.db.transaction().execute((trx) =>
        appendTrail(trx, {
          business_id,
          action: 'settings.update',
          subject: business_id,
          actor: 'operator',
          before: null,
          after: null,
          ...change,
        }),
      ),
    );
  const list = (business_id: string, after: ChainHead | null = null, limit = 200) =>
    tested.network.call(contracts.listTrailEntries, { business_id, after, limit });
  const findings = async (business_id: string) =>
    (await list(business_id)).entries.flatMap(({ n, finding }) => (finding === null ? [] : [n]));

  it('appendTrail chains the changes of a business, whatever their texts and numbers', async () => {
    const business = randomUUID();
    const after = {
      '€': 1e21,
      '\r': 0.000001,
      text: 'שורה\u0001\u007f\u2028"\\/\b\f\n\r\t',
      nested: [{ b: null, a: true }],
    };
    await append(business, { after });
    await append(business, { before: after, after: { text: '😀' } });
    await append(randomUUID());
    const { entries, head } = await list(business);
    expect(entries).toMatchObject([
      { n: 1, action: 'settings.update', actor: 'operator', request_id: 'request-1', before: null, after },
      { n: 2, before: after, after: { text: '😀' }, finding: null },
    ]);
    expect(entries[0]?.finding).toBeNull();
    expect(head).toEqual({ n: 2, hash: entries[1]?.hash });
  });

  it('entries that are appended at once have one order, and pages continue the chain', async () => {
    const business = randomUUID();
    await Promise.all(Array.from({ length: 10 }, (_, index) => append(business, { after: { index } })));
    const first = await list(business, null, 6);
    const second = await list(business, first.next_after, 6);
    expect([...first.entries, ...second.entries].map(({ n, finding }) => [n, finding])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1, null]),
    );
    expect(second.next_after).toBeNull();
  });

  it('listLatestTrailEntries lists a trail from its end, a page at a time', async () => {
    const business = randomUUID();
    await append(randomUUID());
    for (let index = 1; index <= 5; index += 1) {
      await append(business, { after: { index } });
    }
    const latest = async (before: number | null, limit: number) =>
      (await tested.network.call(contracts.listLatestTrailEntries, { business_id: business, before, limit }))
        .entries;
    const { entries } = await list(business);
    const newestFirst = entries.map(({ finding: _finding, ...entry }) => entry).reverse();
    expect(await latest(null, 3)).toEqual(newestFirst.slice(0, 3));
    expect(await latest(3, 3)).toEqual(newestFirst.slice(3));
    expect(await latest(1, 3)).toEqual([]);
  });

  it('listLatestTrailEntries keeps to a subject, an actor, actions and a period', async () => {
    const business = randomUUID();
    const [subject, person] = [randomUUID(), `person:${randomUUID()}` as const];
    const entries = [
      { action: 'key.create', actor: 'operator' },
      { action: 'key.revoke', actor: person },
      { action: 'key.create', actor: `key:${randomUUID()}` },
      { action: 'settings.update', actor: `person:${randomUUID()}` },
    ] as const;
    for (const [index, entry] of entries.entries()) {
      await append(business, { ...entry, subject: index % 2 === 0 ? subject : business });
    }
    const all = (await list(business)).entries;
    const filtered = async (
      filter: Partial<RequestOf<typeof contracts.listLatestTrailEntries>>,
      limit = 10,
    ): Promise<number[]> => {
      const found: number[] = [];
      let before: number | null = null;
      do {
        const request = { business_id: business, before, limit, ...filter };
        const page: ReplyOf<typeof contracts.listLatestTrailEntries> = await tested.network.call(
          contracts.listLatestTrailEntries,
          request,
        );
        found.push(...page.entries.map(({ n }) => n));
        before = page.next_before;
      } while (before !== null);
      return found;
    };
    expect(await filtered({ subject })).toEqual([3, 1]);
    expect(await filtered({ actor: person })).toEqual([2]);
    expect(await filtered({ actor: 'person' }, 1)).toEqual([4, 2]);
    expect(await filtered({ actor: 'operator' })).toEqual([1]);
    expect(await filtered({ actions: ['key.create', 'settings.update'] }, 1)).toEqual([4, 3, 1]);
    expect(await filtered({ actions: [] })).toEqual([]);
    const [first, second] = all.map(({ at }) => at);
    const isAfter = (at: string | undefined) =>
      all.filter((entry) => entry.at >= (at ?? '')).map(({ n }) => n);
    expect(await filtered({ from: second ?? '' })).toEqual(isAfter(second).reverse());
    expect(await filtered({ to: second ?? '' })).toEqual(
      all
        .filter(({ at }) => at < (second ?? ''))
        .map(({ n }) => n)
        .reverse(),
    );
    expect(await filtered({ to: first ?? '' })).toEqual([]);
    expect(await filtered({ from: '2999-01-01T00:00:00.000Z' })).toEqual([]);
  });

  it('actorOf names the person, and the operator where there is none', () => {
    const id = randomUUID();
    expect([actorOf(id.toUpperCase()), actorOf(undefined)]).toEqual([`person:${id}`, 'operator']);
  });

  it('listChainHeads lists the end of every trail once, in the order of the businesses', async () => {
    const businesses = [randomUUID(), randomUUID(), randomUUID()];
    await Promise.all(businesses.map((business) => append(business)));
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: { heads: { business_id: string }[]; next_after: string | null } = await tested.network.call(
        contracts.listChainHeads,
        { after, limit: 2 },
      );
      found.push(...page.heads.map(({ business_id }) => business_id));
      after = page.next_after;
      if (after === null) {
        break;
      }
    }
    expect(found).toEqual([...new Set(found)].sort());
    expect(found).toEqual(expect.arrayContaining(businesses));
  });

  it('a changed, deleted or inserted entry is named', async () => {
    const business = randomUUID();
    for (let index = 0; index < 4; index += 1) {
      await append(business, { after: { index } });
    }
    const of = (n: number) => `where business_id = '${business}' and n = ${n}`;
    const whileDamaged = async (statement: string): Promise<number[]> => {
      await owner.query(
        'create table kept as table audit_entry; alter table audit_entry disable trigger user',
      );
      await owner.query(statement);
      const found = await findings(business);
      await owner.query('delete from audit_entry; insert into audit_entry table kept; drop table kept');
      await owner.query('alter table audit_entry enable trigger user');
      return found;
    };
    for (const change of [
      `at = at + interval '1 millisecond'`,
      `action = 'settings.updatd'`,
      `subject = 'x'`,
      `actor = 'owner'`,
      'request_id = null',
      `before = '{}'`,
      `after = '{"index":7}'`,
    ]) {
      expect([change, await whileDamaged(`update audit_entry set ${change} ${of(2)}`)]).toEqual([
        change,
        [2],
      ]);
    }
    expect(await whileDamaged(`delete from audit_entry ${of(2)}`)).toEqual([3]);
    expect(
      await whileDamaged(`insert into audit_entry select (jsonb_populate_record(audit_entry, '{"n": 5}')).*
        from audit_entry ${of(4)}`),
    ).toEqual([5]);
    expect(await findings(business)).toEqual([]);
  });

  it('the role of a service may append to the trail, and change nothing of it', async () => {
    const login = new pg.Client({
      connectionString: tested.database.url,
      options: '-c pinkas.business_id=*',
    });
    await login.connect();
    try {
      for (const statement of [
        'update audit_entry set n = n',
        'delete from audit_entry',
        'truncate audit_entry',
        'insert into audit_entry table audit_entry',
        'update audit_chain set last_n = 0',
        'delete from audit_chain',
        'truncate audit_chain',
        'insert into audit_chain table audit_chain',
      ]) {
        await expect(login.query(statement)).rejects.toThrow('permission denied');
      }
    } finally {
      await login.end();
    }
    await expect(owner.query('update audit_entry set n = n')).rejects.toThrow('only be appended to');
    await expect(owner.query('truncate audit_chain')).rejects.toThrow('only be appended to');
  });
});
