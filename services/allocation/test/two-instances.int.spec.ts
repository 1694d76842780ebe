import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberRequired } from '@pinkas/contracts';
import { eventually, exampleDocument } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type AllocationUnderTest, artifact_sha256, startAllocation } from './allocation.js';

const minute = 60_000;

describe('two instances of allocation', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
    await allocation.startAnother();
  });
  afterAll(() => allocation.stop());

  it('two instances refresh a token once when both need it at the same moment', async () => {
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) {
      await allocation.connect(id);
    }
    allocation.advanceClock(11 * minute);
    const before = (await allocation.authority.calls()).token_uses.length;
    const invoices = await Promise.all(
      Array.from({ length: 40 }, (_, index) => allocation.issue({}, { id: ids[index % ids.length] ?? '' })),
    );
    for (const { id } of invoices) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
    }
    const uses = (await allocation.authority.calls()).token_uses.slice(before);
    expect(uses).toHaveLength(ids.length);
    for (const use of uses) {
      expect(use).toMatchObject({ grant_type: 'refresh_token', given: true });
    }
  });

  it('two instances request each number once in any order of events and redeliveries', async () => {
    const { business, clock, network } = allocation;
    const today = clock.now.toISOString().slice(0, 10);
    const documents = Array.from({ length: 12 }, (_, index) =>
      exampleDocument({ business_id: business.id, number: index + 1, date: today }),
    );
    // Once more under its own id, and once under another's, as a foreign publisher would.
    const messages = documents.flatMap((document) => {
      const messageId = randomUUID();
      return [messageId, messageId, randomUUID()].map((id) => ({ document, id }));
    });
    const shuffled = messages
      .map((message) => ({ message, place: Math.random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ message }) => message);
    for (const { document, id } of shuffled) {
      await network.publish(numberRequired, document.id, { document, business, artifact_sha256 }, id);
    }
    for (const { id } of documents) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
    }
    await allocation.redeliverAll();
    const { asked } = await allocation.authority.calls();
    for (const { id } of documents) {
      expect(asked[id]).toBe(1);
      expect(await allocation.authority.grantsOf(id)).toHaveLength(1);
      expect(allocation.settledOf(id)).toHaveLength(1);
    }
    const { count } = await allocation.database.db
      .selectFrom('dead_letter')
      .select(sql<number>`count(*)::int`.as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
  });

  it('two instances request nothing that is not committed', async () => {
    const { db } = allocation.database;
    const invoice = await db.transaction().execute(async (trx) => {
      await sql`lock table allocation in share row exclusive mode`.execute(trx);
      const issued = await allocation.issue();
      await eventually('the decision waits for the lock', async () => {
        const { rows } = await sql`
          select 1 from pg_locks join pg_class on pg_class.oid = relation
          where relname = 'allocation' and not granted`.execute(trx);
        return rows.length > 0;
      });
      allocation.advanceClock(0);
      expect(await allocation.authority.approvalsOf(issued.id)).toEqual([]);
      return issued;
    });
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(await allocation.authority.approvalsOf(invoice.id)).toHaveLength(1);
  });

  it('two instances lose no document when one of them stops with documents in flight', async () => {
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 500 });
    const other = await allocation.startAnother();
    const invoices = await Promise.all(Array.from({ length: 10 }, () => allocation.issue()));
    await eventually('some are under way', async () => {
      const { calls } = await allocation.authority.calls();
      return calls.some(({ path, status }) => path.endsWith('/Approval') && status === null);
    });
    await other.stop();
    for (const { id } of invoices) {
      expect(await allocation.settled(id)).toMatchObject({ status: 'issued' });
      expect(await allocation.authority.grantsOf(id)).toHaveLength(1);
    }
  });
});
