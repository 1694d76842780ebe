import { format } from 'node:util';
import { expect } from '@jest/globals';
import { numberRequired } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import type { IssuedInvoice } from '../engine/callers.js';
import { emailsOf } from '../engine/checks.js';
import type { Engine } from '../engine/engine.js';
import type { Fault } from '../engine/faults.js';
import { businessOf, commitInvoice, expectOneNumber, large, renderingsOf, small } from './kills.js';
import { expectEveryMailOnce, type Schedule } from './schedule.js';

const simulator = (target: string, mode: object): Fault => ({
  kind: 'simulator',
  target,
  value: JSON.stringify(mode),
});

/**
 * Applies a fault, at most five times, until a request was refused because of it: a server may be back before the next request
 * needs it.
 */
function refusing(name: string, fault: Fault, check?: Schedule['check']): Schedule {
  return {
    name,
    load: { pauseMs: 200 },
    async happen(engine) {
      const { callers } = engine;
      const { refusals } = callers;
      for (let times = 0; times < 5 && callers.refusals === refusals; times += 1) {
        const { answers } = callers;
        // Requests are in flight when it happens.
        await engine.during([simulator('gotenberg', { delay_ms: 500 })], async () => {
          await eventually('a rendering has begun', async () => (await renderingsOf(engine)) > 0);
          await (await engine.apply(fault))?.();
        });
        await eventually('callers are answered', () => callers.answers > answers + 8);
      }
      expect(callers.refusals).toBeGreaterThan(refusals);
    },
    ...(check && { check }),
  };
}

const hangingAuthority: Schedule = {
  name: 'a document that is issued while the authority hangs gets its number later without a call',
  async happen(engine) {
    let invoice: IssuedInvoice | undefined;
    await engine.during([simulator('tax-authority', { mode: 'hang' })], async () => {
      invoice = engine.callers.issue(businessOf(engine), large);
      const answer = await invoice.answer;
      expect(answer?.status).toBe(201);
      expect(answer?.body.allocation).toMatchObject({ status: 'failed', number: null });
      expect(answer?.body.allocation.reason).not.toBeNull();
    });
    const { id = '', view_url = '' } = invoice?.known.created ?? {};
    const { number } = await expectOneNumber(engine, { id });
    await eventually('the page shows it', async () =>
      (await (await fetch(view_url)).text()).includes(number),
    );
  },
};

/** An invoice is issued while requests for numbers go wrong; then the operator has the cause corrected. */
const failingAuthority = (what: string, mode: object): Schedule => ({
  name: format(
    'a document that is issued while the authority %s gets its one number without a storm of requests',
    what,
  ),
  async happen(engine) {
    const { stack } = engine.system;
    const db = await stack.database<{
      allocation: { document_id: string; attempts: number; claimed_until: Date | null };
    }>('allocation');
    let id = '';
    await engine.during([simulator('tax-authority', mode)], async () => {
      id = (await commitInvoice(engine, large)).id;
      await eventually('the first attempt has ended', async () => {
        const query = db.selectFrom('allocation').select(['attempts', 'claimed_until']);
        const row = await query.where('document_id', '=', id).executeTakeFirst();
        return row !== undefined && row.attempts > 0 && row.claimed_until === null;
      });
    });
    // Where the application was not served, the next attempt may be five minutes away.
    await stack.pinkas('allocation', 'retry', id);
    expect((await expectOneNumber(engine, { id })).approvals).toBeLessThanOrEqual(5);
  },
});

const deferredEmail: Schedule = {
  name: 'an email that the mail server defers is sent once when the server accepts it',
  async happen(engine) {
    const { callers, system } = engine;
    const db = await system.stack.database<{
      delivery: { document_id: string; state: string; attempts: number };
    }>('delivery');
    await engine.during([simulator('mailbox', { mode: 'greylist' })], async () => {
      const { answer, known } = callers.issue(businessOf(engine), small);
      const { status, body } = (await answer) ?? {};
      expect([status, body?.delivery.status]).toEqual([201, 'queued']);
      await eventually('a first try was refused', async () => {
        const row = await db
          .selectFrom('delivery')
          .select(['attempts', 'state'])
          .where('document_id', '=', body?.id ?? '')
          .executeTakeFirst();
        return (row?.attempts ?? 0) > 0 && row?.state !== 'sending';
      });
      expect((await emailsOf(system)).has(`${known.key}@example.com`)).toBe(false);
    });
  },
  check: expectEveryMailOnce,
};

const missingRedis: Schedule = {
  name: 'requests succeed with local rate limits while Redis is frozen and after it is killed',
  async happen(engine) {
    const { stack } = engine.system;
    const business = businessOf(engine);
    const timesUnreachable = async () =>
      (await stack.logOf('gateway')).split('"redis unreachable"').length - 1;
    const expectServed = async () =>
      expect((await engine.callers.issue(business, small).answer)?.status).toBe(201);
    const before = await timesUnreachable();
    await engine.during([{ kind: 'stop', target: 'redis' }], async () => {
      await expectServed();
      const { headers } = await stack.call(business.issuer.key, 'GET', '/me');
      expect(headers['ratelimit-limit']).toBe('1000000');
      // The request has waited for it, and was counted without it.
      await eventually('the gateway has noticed', async () => (await timesUnreachable()) === before + 1);
      await engine.during([{ kind: 'kill', target: 'redis' }], expectServed);
    });
    await expectServed();
  },
};

const killedRenderer: Schedule = {
  name: 'a killed renderer leads to a catalogued error without a gap, and the next attempt succeeds',
  async happen(engine) {
    await engine.during([simulator('gotenberg', { delay_ms: 2_000 })], async () => {
      const { answer } = engine.callers.issue(businessOf(engine), small);
      await eventually('a rendering has begun', async () => (await renderingsOf(engine)) > 0);
      await engine.during([{ kind: 'kill', target: 'gotenberg' }], async () => {
        const { status, body } = (await answer) ?? {};
        expect([status, body?.error.code]).toEqual([502, 'document_generation_failed']);
      });
    });
  },
};

/** JetStream has the event of a document, and neither allocation nor delivery has handled it. */
async function expectPending({ system: { stack } }: Engine, id: string): Promise<void> {
  const outbox = await stack.database<MessagingTables>('issuing');
  await eventually('the event is sent', () =>
    outbox
      .selectFrom('outbox')
      .select('id')
      .where('subject', '=', `${numberRequired.subject}.${id}`)
      .where('sent_at', 'is not', null)
      .executeTakeFirst(),
  );
  for (const [service, table] of [
    ['allocation', 'allocation'],
    ['delivery', 'document'],
  ] as const) {
    const db = await stack.database<Record<typeof table, { document_id: string }>>(service);
    const rows = await db.selectFrom(table).selectAll().where('document_id', '=', id).execute();
    expect(rows).toEqual([]);
  }
}

const consumers = ['allocation', 'delivery'];
const wipedStore: Schedule = {
  name: 'a wiped JetStream store with pending events loses and repeats nothing',
  async happen(engine) {
    const stop = (target: string): Fault => ({ kind: 'stop', target });
    const kill = (target: string): Fault => ({ kind: 'kill', target });
    const ids: string[] = [];
    await engine.during(consumers.map(stop), async () => {
      for (let count = 0; count < 3; count += 1) {
        const { id } = await commitInvoice(engine, large);
        ids.push(id);
        await eventually('JetStream has it', () => expectPending(engine, id).then(() => true));
      }
      // What they were given, and have not read, is lost as well.
      await engine.during([stop('nats'), ...consumers.map(kill)], async () => {
        for (const id of ids) {
          await expectPending(engine, id);
        }
        await (await engine.apply({ kind: 'wipe', target: 'nats' }))?.();
      });
    });
    for (const id of ids) {
      await expectOneNumber(engine, { id });
    }
  },
  check: expectEveryMailOnce,
};

export const outages: readonly Schedule[] = [
  hangingAuthority,
  failingAuthority('loses the answer after the grant', { mode: 'lost' }),
  failingAuthority('answers after six seconds', { delay_ms: 6_000 }),
  failingAuthority('takes no more requests for five seconds', { mode: 'rate', retry_after: 5 }),
  failingAuthority('has nothing at its address', { mode: 'not_found' }),
  deferredEmail,
  missingRedis,
  killedRenderer,
  refusing(
    'a kill of NATS under load answers in time with documents or catalogued errors, and retries lose nothing',
    { kind: 'kill', target: 'nats' },
  ),
  ...(['SIGINT', 'SIGKILL'] as const).map((signal) =>
    refusing(
      format(
        'a restart of PostgreSQL by %s answers with documents or retryable errors and loses and repeats nothing',
        signal,
      ),
      { kind: signal === 'SIGINT' ? 'terminate' : 'kill', target: 'postgres' },
      expectEveryMailOnce,
    ),
  ),
  wipedStore,
];
