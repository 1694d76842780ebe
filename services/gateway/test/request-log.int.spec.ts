import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createKey,
  type LoggedRequest,
  listRequests,
  loggedBodiesMax,
  loggedRequestsMax,
  openRequest,
  type RequestOf,
  revokeKey,
  showRequest,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { ApiError, createLogger, forTenant, Metrics, openDatabase } from '@pinkas/service-kit';
import { eventually, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import type { GatewayTables } from '../src/db/gateway.tables.js';
import { RequestRecorder } from '../src/request-log/request-recorder.js';
import {
  type Caller,
  type GatewayUnderTest,
  type HttpOptions,
  issuedReply,
  quote,
  startGateway,
} from './gateway.js';

const dayMs = 24 * 60 * 60 * 1_000;
const wrong = {
  type: 'quote',
  customer: { name: 'לקוח לדוגמה', email: 'a@example.com' },
  items: [{ quantity: 0 }],
};

describe('the log of requests', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    gateway.issue = async (request) => issuedReply(request);
    caller = await gateway.caller();
  });

  const db = () => gateway.database.db;
  const list = async (filter: Partial<RequestOf<typeof listRequests>> = {}) =>
    gateway.network.call(listRequests, { business_id: caller.business.id, limit: 100, ...filter });
  /** The log once it has so many requests, the latest first. */
  const logged = (count: number, filter: Partial<RequestOf<typeof listRequests>> = {}) =>
    eventually(`the log has ${count} requests`, async () => {
      const { requests } = await list(filter);
      return requests.length >= count && requests;
    });
  /** Sends a request with an id of its own. */
  const send = async (path: string, options: HttpOptions = {}) => {
    const id = randomUUID();
    const answer = await gateway.http(path, {
      key: caller.key.key,
      ...options,
      headers: { 'x-request-id': id, ...options.headers },
    });
    return { id, answer };
  };
  const read = async (id: string, key = caller.key.key) => gateway.http(`/v1/requests/${id}`, { key });
  /** A request as GET /requests/{id} has it, once it is stored. */
  const stored = (id: string, key?: string): Promise<LoggedRequest> =>
    eventually('the request is stored', async () => {
      const { status, json } = await read(id, key);
      return status === 200 && json;
    });

  it('a request is read by its id as it was answered, with its document where it issued one', async () => {
    const { document } = issuedReply({ business: caller.business });
    gateway.issue = async (request) => ({ ...issuedReply(request), document, replayed: true });
    const headers = { 'idempotency-key': 'הזמנה 1044' };
    const { id } = await send('/v1/documents', {
      method: 'POST',
      body: quote(),
      headers: { ...headers, 'idempotency-key': Buffer.from(headers['idempotency-key']).toString('latin1') },
    });
    expect(await stored(id)).toEqual({
      request_id: id,
      timestamp: gateway.clock.now.toISOString(),
      method: 'POST',
      route: '/documents',
      status: 201,
      code: null,
      idempotency_key: 'הזמנה 1044',
      replayed: true,
      document_id: document.id,
      duration_ms: expect.any(Number),
      errors: [],
      body_truncated: false,
    });
    expect((await gateway.http(`/v1/requests/${id.toUpperCase()}`, { key: caller.key.key })).status).toBe(
      200,
    );
  });

  it('a refused request has its body, with what may be personal masked, and the errors at their pointers', async () => {
    const { id, answer } = await send('/v1/documents/preview', { method: 'POST', body: wrong });
    expect(answer.status).toBe(400);
    const request = await stored(id);
    expect(request).toMatchObject({ route: '/documents/preview', status: 400, code: 'validation_error' });
    expect(request.errors).toEqual(answer.json.error.details.errors);
    expect(request.errors.map(({ path }) => path)).toContain('/items/0/quantity');
    expect(request.body).toEqual({
      type: 'quote',
      customer: { name: '***', email: '***' },
      items: [{ quantity: 0 }],
    });
  });

  it('a request that is refused by a rule has its body and its details, and one that is answered, or is not JSON, has none', async () => {
    gateway.issue = async () => {
      throw new ApiError('total_mismatch', { details: { computed_total: 118 } });
    };
    const refused = await send('/v1/documents', {
      ...{ method: 'POST', body: quote({ expected_total: 1 }) },
      headers: { 'idempotency-key': 'order-1' },
    });
    const broken = await send('/v1/documents/preview', { method: 'POST', body: '{"customer":' });
    const answered = await send('/v1/me');
    expect(await stored(refused.id)).toMatchObject({
      code: 'total_mismatch',
      idempotency_key: 'order-1',
      body: { expected_total: 1 },
      details: { computed_total: 118 },
    });
    expect(await stored(broken.id)).toMatchObject({ code: 'invalid_json', body_truncated: false });
    for (const { id } of [broken, answered]) {
      expect(await stored(id)).not.toHaveProperty('body');
    }
  });

  it('the key that sent a request reads it, and no other key, book or business does', async () => {
    const { id } = await send('/v1/me');
    await stored(id);
    const [sibling, test] = await Promise.all([
      gateway.caller(),
      gateway.network.call(createKey, {
        business_id: caller.business.id,
        mode: 'test',
      }),
    ]);
    const other = await gateway.network.call(createKey, {
      business_id: caller.business.id,
    });
    for (const key of [sibling.key.key, test.key, other.key]) {
      expect((await read(id, key)).json.error.code).toBe('not_found');
    }
    expect((await read(randomUUID())).status).toBe(404);
    expect((await read('none')).status).toBe(404);
  });

  it('the requests of a test key are those of the test book', async () => {
    const { key } = await gateway.network.call(createKey, { business_id: caller.business.id, mode: 'test' });
    const { id } = await send('/v1/me', { key });
    await stored(id, key);
    const ofTest = await list({ business_id: testBookOf(caller.business.id) });
    expect(ofTest.requests.map(({ request_id }) => request_id)).toContain(id);
    expect((await list()).requests.map(({ request_id }) => request_id)).not.toContain(id);
  });

  it('the list has the latest or the earliest first, by pages, and is filtered by key, class, code and Idempotency-Key', async () => {
    const second = await gateway.network.call(createKey, { business_id: caller.business.id });
    const post = (body: unknown, idempotencyKey: string, key = caller.key.key) =>
      send('/v1/documents', { method: 'POST', key, body, headers: { 'idempotency-key': idempotencyKey } });
    const sent: string[] = [];
    for (const next of [
      () => post(wrong, 'order-1'),
      () => post(quote(), 'order-1'),
      () => post(quote(), 'order-2', second.key),
      () => send('/v1/nowhere'),
      () => send('/v1/me', { method: 'HEAD' }),
    ]) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
      sent.push((await next()).id);
    }
    const all = await logged(5);
    expect(all.map(({ request_id }) => request_id)).toEqual(sent.toReversed());
    expect(all.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['HEAD', '/me', 200],
      ['GET', null, 404],
      ['POST', '/documents', 201],
      ['POST', '/documents', 201],
      ['POST', '/documents', 400],
    ]);
    for (const ascending of [false, true]) {
      const paged: string[] = [];
      for (let after: RequestOf<typeof listRequests>['after'] | null; after !== null; ) {
        const page = await list({ ascending, limit: 2, ...(after && { after }) });
        paged.push(...page.requests.map(({ request_id }) => request_id));
        after = page.next_after;
      }
      expect(paged).toEqual(ascending ? sent : sent.toReversed());
    }
    const only = async (filter: Partial<RequestOf<typeof listRequests>>) =>
      (await list(filter)).requests.map(({ request_id }) => sent.indexOf(request_id));
    expect(await only({ key_id: second.id })).toEqual([2]);
    expect(await only({ status_class: 2 })).toEqual([4, 2, 1]);
    expect(await only({ status_class: 4 })).toEqual([3, 0]);
    expect(await only({ code: 'validation_error' })).toEqual([0]);
    expect(await only({ idempotency_key: 'order-1' })).toEqual([1, 0]);
    expect(await only({ idempotency_key: 'order-1', status_class: 4 })).toEqual([0]);
  });

  it('requests with one id are shown together, and the caller reads the latest', async () => {
    const id = randomUUID();
    for (const path of ['/v1/me', '/v1/nowhere']) {
      await send(path, { headers: { 'x-request-id': id } });
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
    }
    await logged(2);
    const { requests } = await gateway.network.call(showRequest, { request_id: id });
    expect(requests.map(({ status, business_id }) => [status, business_id])).toEqual([
      [404, caller.business.id],
      [200, caller.business.id],
    ]);
    expect(await stored(id)).toMatchObject({ status: 404 });
  });

  it('opening a request shows what is masked, and the trail has who did', async () => {
    const { id } = await send('/v1/documents/preview', { method: 'POST', body: wrong });
    await stored(id);
    const person_id = randomUUID();
    const opened = await gateway.network.call(openRequest, {
      business_id: caller.business.id,
      request_id: id,
      person_id,
    });
    expect(JSON.parse(opened.requests[0]?.body ?? '')).toEqual(wrong);
    expect(await readTrail(gateway.database, caller.business.id)).toContainEqual({
      action: 'request.open',
      actor: `person:${person_id}`,
      subject: id,
      before: null,
      after: null,
    });
    const other = await gateway.caller();
    for (const contract of [openRequest, showRequest]) {
      await expect(
        gateway.network.call(contract, { business_id: other.business.id, request_id: id }),
      ).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await readTrail(gateway.database, other.business.id)).not.toContainEqual(
      expect.objectContaining({ action: 'request.open' }),
    );
  });

  it('no key, secret or token is ever in the log, wherever a request has it', async () => {
    const { key } = caller.key;
    const secret = key.split('_')[3] ?? '';
    const marks = [
      secret,
      'whsec_c2VjcmV0',
      'hunter2',
      'eyJhbGciOiJIUzI1NiJ9',
      'dG9rZW46dG9rZW4',
      '4111111111111111',
    ];
    const texts = [
      key,
      'whsec_c2VjcmV0',
      'Bearer hunter2hunter2',
      'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
      '4111 1111 1111 1111',
    ];
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send(path, { method: 'POST', body, headers });
    for (const text of texts) {
      await post('/v1/documents', { ...wrong, notes: text, [text]: text }, { 'idempotency-key': text });
      await post('/v1/documents/preview', {
        ...wrong,
        type: text,
        external_ref: text,
        items: [{ sku: text }],
      });
      await send(`/v1/documents?external_ref=${encodeURIComponent(text)}&${encodeURIComponent(text)}=1`);
      await send(`/v1/${encodeURIComponent(text)}`);
      await send(`/v1/documents/${encodeURIComponent(text)}`);
      await send('/v1/me', {
        headers: { 'x-request-id': text, cookie: text, referer: text, 'user-agent': text },
      });
    }
    await post(
      '/v1/documents',
      { ...wrong, password: 'hunter2', apiKey: { a: ['hunter2'] } },
      { 'idempotency-key': key },
    );
    await post('/v1/documents', `{"notes": "${key}"`, { 'idempotency-key': 'x'.repeat(200) });
    await post('/v1/documents', `${key}`, { 'idempotency-key': 'a', 'content-type': 'text/plain' });
    await post('/v1/documents', { notes: 'x'.repeat(300_000), key }, { 'idempotency-key': 'b' });
    await send('/v1/me', { key: '', headers: { 'x-api-key': key, authorization: 'Basic dG9rZW46dG9rZW4=' } });
    await send('/v1/me', { headers: { authorization: `Bearer ${key}`, 'x-api-key': `${key}x` } });
    for (const bytes of [
      `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Bad\r\n\r\n`,
      `${key} / HTTP/1.1\r\n\r\n`,
      `GET /v1/%${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      `PURGE /v1/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    ]) {
      await sendBytes(gateway.origin, bytes);
    }
    const { id } = await send('/v1/me');
    await stored(id);
    expect((await list()).requests.length).toBeGreaterThan(30);
    const { rows } = await sql<{ text: string }>`
      select to_jsonb(request_log)::text as text from request_log where business_id = ${caller.business.id}::uuid
    `.execute(db());
    const contents = rows.map(({ text }) => text.toLowerCase());
    for (const mark of [...marks, '4111 1111', 'pk_live_']) {
      expect([mark, contents.filter((text) => text.includes(mark.toLowerCase()))]).toEqual([mark, []]);
    }
    expect(contents.filter((text) => text.includes('[secret]')).length).toBeGreaterThan(10);
  });

  it('a business sees its own rows through the table, and none through a day of it', async () => {
    const { id } = await send('/v1/me');
    await stored(id);
    const open = openDatabase<GatewayTables>({
      url: gateway.database.url,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    const other = await gateway.caller();
    const count = async (businessId: string) =>
      (
        await forTenant(open, businessId)
          .selectFrom('request_log')
          .select('id')
          .where('request_id', '=', id)
          .execute()
      ).length;
    expect([await count(caller.business.id), await count(other.business.id)]).toEqual([1, 0]);
    await open.destroy();
    const day = gateway.clock.now.toISOString().slice(0, 10).replaceAll('-', '');
    const { rows } = await sql`select 1 from ${sql.table(`request_log_${day}`)}`.execute(db());
    expect(rows).toEqual([]);
  });

  it('a request waits for nothing of the log: a locked log takes it when it can', async () => {
    const owner = openDatabase<GatewayTables>({
      url: gateway.database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    let ids: string[] = [];
    await owner.transaction().execute(async (trx) => {
      await sql`lock table request_log in access exclusive mode`.execute(trx);
      ids = await Promise.all([1, 2, 3].map(async () => (await send('/v1/me')).id));
    });
    await owner.destroy();
    for (const id of ids) {
      await stored(id);
    }
  });

  it('the memory of the recorder is bounded: more is lost, is counted, and is one line of the log', async () => {
    const open = openDatabase<GatewayTables>({
      url: gateway.database.url,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    const metrics = new Metrics();
    const lines: string[] = [];
    const logger = { warn: (_fields: object, message: string) => lines.push(message) };
    const recorder = new RequestRecorder(open, { now: () => gateway.clock.now }, logger as never, metrics);
    for (let n = 0; n < 20_000; n += 1) {
      recorder.note({
        businessId: caller.business.id,
        keyId: caller.key.id,
        requestId: randomUUID(),
        arrivedAt: gateway.clock.now,
        method: 'GET',
        route: '/me',
        status: 200,
        idempotencyKey: null,
        replayed: false,
        documentId: null,
        durationMs: 1,
        error: undefined,
        body: undefined,
      });
    }
    expect(lines).toEqual(['request log full']);
    const lost = Number(
      /pinkas_request_log_lost_total\{reason="queue_full"\} (\d+)/.exec(await metrics.text())?.[1],
    );
    expect(lost).toBeGreaterThan(1_000);
    await recorder.stop();
    expect((await list()).today).toBe(20_000 - lost);
    await open.destroy();
  });

  it('a gateway that stops stores the requests that it has answered', async () => {
    const other = await gateway.startAnotherGateway();
    const id = randomUUID();
    await other.http('/v1/me', { key: caller.key.key, headers: { 'x-request-id': id } });
    await other.service.stop();
    expect((await read(id)).status).toBe(200);
  });

  it('a book has so many requests and bodies of a day; those above are counted', async () => {
    const day = gateway.clock.now.toISOString().slice(0, 10);
    await db()
      .insertInto('request_log_day')
      .values({
        business_id: caller.business.id,
        day,
        requests: loggedRequestsMax - 2,
        bodies: loggedBodiesMax - 1,
      })
      .execute();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      gateway.clock.now = new Date(gateway.clock.now.getTime() + 1_000);
      ids.push((await send('/v1/documents/preview', { method: 'POST', body: wrong })).id);
    }
    await eventually('all are counted', async () => (await list()).today === loggedRequestsMax + 1);
    const { requests } = await list();
    expect(requests.map(({ request_id }) => request_id)).toEqual([ids[1], ids[0]]);
    expect(await stored(ids[0] ?? '')).toHaveProperty('body');
    const second = await stored(ids[1] ?? '');
    expect([second.body, second.body_truncated]).toEqual([undefined, true]);
  });

  it('a loop above its rate limit has one refusal in ten seconds in the log', async () => {
    const { key } = await gateway.network.call(createKey, { business_id: caller.business.id, per_minute: 1 });
    for (let n = 0; n < 5; n += 1) {
      await send('/v1/me', { key });
    }
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 11_000);
    const { id } = await send('/v1/me', { key });
    await eventually('the last is stored', async () =>
      (await list()).requests.some(({ request_id }) => request_id === id),
    );
    expect((await list()).requests.map(({ status }) => status)).toEqual([429, 429, 200]);
  });

  it('a request with a revoked key is in the log, and one without a known key is not', async () => {
    await gateway.network.call(revokeKey, { key_id: caller.key.id });
    await send('/v1/me');
    await send('/v1/me', { key: 'pk_live_none' });
    expect((await logged(1)).map(({ code }) => code)).toEqual(['key_revoked']);
  });

  it('days are made ahead, and dropped after 30 days with what is in them', async () => {
    const { id } = await send('/v1/me');
    await stored(id);
    const days = async () =>
      (
        await sql<{ name: string }>`
          select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'request_log'::regclass order by relname`.execute(db())
      ).rows.map(({ name }) => name);
    const nameOf = (at: Date) => `request_log_${at.toISOString().slice(0, 10).replaceAll('-', '')}`;
    const first = gateway.clock.now;
    const at = (days: number) => new Date(first.getTime() + days * dayMs);
    await eventually('tomorrow is there', async () => (await days()).includes(nameOf(at(1))));
    gateway.clock.now = at(30);
    await eventually('a day of today is made', async () => (await days()).includes(nameOf(at(31))));
    expect(await days()).toContain(nameOf(first));
    expect((await read(id)).status).toBe(200);
    gateway.clock.now = at(31);
    await eventually('the first day is dropped', async () => !(await days()).includes(nameOf(first)));
    expect((await read(id)).status).toBe(404);
    const counts = await db().selectFrom('request_log_day').select('day').execute();
    expect(counts.every(({ day }) => day >= at(1).toISOString().slice(0, 10))).toBe(true);
  });
});

/** Sends bytes as they are, and waits for the end of the connection. */
function sendBytes(origin: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => resolve());
  });
}
