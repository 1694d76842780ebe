import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  CreatedDocument,
  compile,
  DocumentDetail,
  type DocumentView,
  errorCatalogue,
  getDocument,
  postDocuments,
} from '@pinkas/contracts';
import { createLogger, openDatabase, Problem } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type Caller, errorCodeOf, type GatewayUnderTest, issuedReply, startGateway } from './gateway.js';

describe('documents over HTTP', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  const views = new Map<string, DocumentView>();
  beforeAll(async () => {
    gateway = await startGateway();
    gateway.network.answer(getDocument, ({ business_id: businessId, document_id: id }) => {
      const view = views.get(id);
      if (view?.document.business_id !== businessId) throw new Problem('not_found');
      return view;
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    gateway.issue = async (request) => issuedReply(request);
    caller = await gateway.caller();
  });

  it('answers 201 with the document of the interface and its addresses', async () => {
    const answer = await gateway.post(caller.key.key);
    expect(answer.status).toBe(201);
    expect(compile(CreatedDocument)(answer.json)).toMatchObject({ ok: true });
    const { public_id: publicId } = answer.json;
    expect(answer.json).toMatchObject({
      view_url: `https://api.example.com/d/${publicId}`,
      pdf_url: `https://api.example.com/pdf/${publicId}`,
      allocation_number: '123456789',
      allocation: { status: 'issued' },
      totals: { total: 7080, paid: 0, currency: 'ILS' },
      created_at: '2026-06-15T08:00:00.000Z',
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(Object.keys(answer.json.customer)).toEqual(['id', 'name', 'tax_id']);
  });

  it('marks a replay', async () => {
    gateway.issue = async (request) => ({ ...issuedReply(request), replayed: true });
    const answer = await gateway.post(caller.key.key);
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });

  it('passes on every refusal that the route names, as the catalogue has it', async () => {
    const richer = await gateway.caller({ key: { per_minute: 1_000 } });
    for (const code of postDocuments.problems) {
      gateway.issue = async () => {
        throw new Problem(code, {
          details: Object.fromEntries(errorCatalogue[code].details.map((d) => [d, 'x'])),
        });
      };
      const answer = await gateway.post(richer.key.key);
      expect([answer.status, errorCodeOf(answer)]).toEqual([errorCatalogue[code].httpStatus, code]);
      expect(answer.json.error.retryable).toBe(errorCatalogue[code].retryable);
      expect(Object.keys(answer.json.error.details ?? {})).toEqual([...errorCatalogue[code].details]);
    }
  });

  it('says when the daily limit ends: at midnight in Israel', async () => {
    gateway.clock.now = new Date('2026-06-20T20:59:00Z');
    gateway.issue = async () => {
      throw new Problem('daily_limit_reached');
    };
    expect((await gateway.post(caller.key.key)).headers.get('retry-after')).toBe('60');
  });

  it('never lets details out that the catalogue does not name, nor codes that the route does not', async () => {
    gateway.issue = async () => {
      throw new Problem('future_date', { details: { secret: 'table document' } });
    };
    expect((await gateway.post(caller.key.key)).text).not.toContain('secret');
    gateway.issue = async () => {
      throw new Problem('already_cancelled');
    };
    const answer = await gateway.post(caller.key.key);
    expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
  });

  it('keeps a request id that is a UUID, and makes one for any other', async () => {
    const requestId = randomUUID();
    const kept = await gateway.post(caller.key.key, { headers: { 'x-request-id': requestId } });
    expect(kept.headers.get('x-request-id')).toBe(requestId);
    const made = await gateway.post(caller.key.key, { headers: { 'x-request-id': 'mine' } });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('reads a document of the business of the key, and no other', async () => {
    const document = exampleDocument({
      business_id: caller.business.id,
      type: 'receipt',
      based_on: { id: randomUUID(), type: 'tax_invoice', number: 3, date: '2026-06-01' },
      payments: [
        {
          method: 'check',
          amount: 7080,
          date: '2026-06-15',
          reference: null,
          check_number: '77',
          check_date: '2026-07-01',
          bank_code: 12,
          branch: '600',
          account: '1234',
          card_last_digits: null,
          card_type: null,
        },
      ],
    });
    views.set(document.id, {
      document,
      state: { status: 'closed', paid: 7080, allocation_number: null, cancelled_at: null },
    });
    const answer = await gateway.http(`/v1/documents/${document.id}`, { key: caller.key.key });
    expect(answer.status).toBe(200);
    expect(compile(DocumentDetail)(answer.json)).toMatchObject({ ok: true });
    expect(answer.json).toMatchObject({
      status: 'closed',
      based_on: document.based_on?.id,
      items: document.items,
    });
    expect(answer.json.payments).toEqual([
      {
        method: 'check',
        amount: 7080,
        date: '2026-06-15',
        reference: null,
        check_number: '77',
        bank_code: 12,
        card_last_digits: null,
      },
    ]);
    const stranger = await gateway.caller();
    for (const path of [
      `/v1/documents/${document.id}`,
      `/v1/documents/${randomUUID()}`,
      '/v1/documents/17',
    ]) {
      expect(errorCodeOf(await gateway.http(path, { key: stranger.key.key }))).toBe('not_found');
    }
  });

  it('answers engine_error when issuing is away, and internal_error with nothing inside when it breaks', async () => {
    gateway.issue = async () => {
      throw new Error('password=hunter2');
    };
    const broken = await gateway.post(caller.key.key);
    expect([broken.status, errorCodeOf(broken)]).toEqual([500, 'internal_error']);
    expect(broken.text).not.toContain('hunter2');
  });
});

describe('a gateway whose neighbours are away', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('answers engine_error at once, which may be sent again', async () => {
    const { key } = await gateway.caller();
    const answer = await gateway.http(`/v1/documents/${randomUUID()}`, { key: key.key });
    expect([answer.status, errorCodeOf(answer), answer.json.error.retryable]).toEqual([
      502,
      'engine_error',
      true,
    ]);
    const page = await gateway.http('/d/abc');
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
  });

  it('answers internal_error when its own database breaks, and goes on afterwards', async () => {
    const { key } = await gateway.caller();
    const owner = openDatabase({
      url: gateway.database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    await sql`alter table api_key rename to gone`.execute(owner);
    const answer = await gateway.http('/v1/me', { key: key.key });
    expect([answer.status, errorCodeOf(answer)]).toEqual([500, 'internal_error']);
    expect(answer.text).not.toContain('api_key');
    await sql`alter table gone rename to api_key`.execute(owner);
    await owner.destroy();
    expect((await gateway.http('/v1/me', { key: key.key })).status).toBe(200);
  });

  it('goes on listening where a load balancer has to hear of its end first, and ends each connection with its answer', async () => {
    const other = await gateway.startAnother({ lingerMs: 1_000 });
    const { key } = await gateway.caller();
    const ask = () => other.http('/v1/me', { key: key.key });
    expect((await ask()).headers.get('connection')).toBe('keep-alive');
    const stopped = other.service.stop();
    const ready = await fetch(`http://127.0.0.1:${other.service.healthPort}/readyz`);
    expect(ready.status).toBe(503);
    // Over the connection that is open, and over new ones.
    for (const answer of [await ask(), await ask()])
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    await expect(ask()).rejects.toThrow();
  });

  it('answers what it accepted before it stops, and takes nothing new', async () => {
    const { key } = await gateway.caller();
    let release = () => {};
    let arrived = () => {};
    const inHand = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    gateway.issue = async (request) => {
      arrived();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return issuedReply(request);
    };
    const answer = gateway.post(key.key);
    await inHand;
    const stopped = gateway.service.stop();
    await expect(gateway.http('/v1/me', { key: key.key })).rejects.toThrow();
    release();
    expect((await answer).status).toBe(201);
    expect((await answer).headers.get('connection')).toBe('close');
    await stopped;
  });
});
