import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentCancelled, documentIssued, outboxPageMax } from '@pinkas/contracts';
import { createTestDatabase, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import { outboxEventsAfter } from '../src/events/outbox/outbox.repository.js';
import { purgeMessaging } from '../src/events/outbox/purge.js';
import { createLogger, type MessagingTables, type Transaction } from '../src/index.js';
import { probeMigrations } from './probe-service.js';

const logger = createLogger('test', 'silent');
const rowCount = 300_000;
/** As many as one statement writes, so that it ends in time on a busy machine. */
const part = 25_000;
/** What is old of it, at the beginning. */
const oldCount = 2_500;

describe('queries over many rows', () => {
  let database: TestDatabase<MessagingTables>;
  const last = randomUUID();
  beforeAll(async () => {
    database = await createTestDatabase<MessagingTables>(probeMigrations);
    for (let from = 1; from <= rowCount; from += part) {
      const rows = sql`generate_series(${from}::int, ${from + part - 1}::int) n`;
      await sql`
        insert into outbox (id, subject, body, created_at, sent_at)
        select gen_random_uuid(), ${`${documentIssued.subject}.x`}, '{}', made, made
        from ${rows},
          lateral (select now() - make_interval(days => case when n <= ${oldCount} then 8 else 1 end) as made) instant
      `.execute(database.db);
      await sql`
        insert into inbox (consumer, message_id, handled_at)
        select 'probe-effects', gen_random_uuid(),
          now() - make_interval(days => case when n <= ${oldCount} then 31 else 1 end)
        from ${rows}
      `.execute(database.db);
    }
    await sql`
      insert into outbox (id, subject, body, created_at, sent_at)
      values (${last}, ${`${documentCancelled.subject}.x`}, '{}', now() - interval '1 day', now())
    `.execute(database.db);
  }, 120_000);
  afterAll(() => database.close());

  /** How many rows of a table the connection has looked at: to be compared within a transaction, which resets no count. */
  const lookedAt = async (trx: Transaction<MessagingTables>, name: 'outbox' | 'inbox') => {
    const { rows } = await sql<{ rows: number }>`
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables where relname = ${name}
    `.execute(trx);
    return rows[0]?.rows ?? 0;
  };

  it('a page of a rare subject reads a bounded number of rows, and the pages reach the end', async () => {
    const { db } = database;
    const page = (trx: Transaction<MessagingTables>, after: number) =>
      outboxEventsAfter(trx, documentCancelled.subject, after, outboxPageMax, 0);
    await db.transaction().execute(async (trx) => {
      const before = await lookedAt(trx, 'outbox');
      const { more, through } = await page(trx, 0);
      expect(more).toBe(true);
      expect(through).toBeGreaterThan(0);
      expect((await lookedAt(trx, 'outbox')) - before).toBeLessThan(10_000);
    });
    await db.transaction().execute(async (trx) => {
      const found: string[] = [];
      let after = 0;
      for (let more = true; more; ) {
        const next = await page(trx, after);
        found.push(...next.events.map((event) => event.id));
        if (next.more) {
          expect(next.through).toBeGreaterThan(after);
        }
        ({ through: after, more } = next);
      }
      expect(found).toEqual([last]);
    });
  });

  it('the purge deletes all old rows and reads few others', async () => {
    const { db } = database;
    await db.transaction().execute(async (trx) => {
      const before = { outbox: await lookedAt(trx, 'outbox'), inbox: await lookedAt(trx, 'inbox') };
      await purgeMessaging(trx, { consumers: [], logger });
      for (const name of ['outbox', 'inbox'] as const) {
        expect((await lookedAt(trx, name)) - before[name]).toBeLessThan(8 * oldCount);
      }
    });
    for (const name of ['outbox', 'inbox'] as const) {
      const { rows } = await sql<{ count: number }>`select count(*)::int from ${sql.table(name)}`.execute(db);
      expect(rows[0]?.count).toBe(rowCount - oldCount + (name === 'outbox' ? 1 : 0));
    }
  });
});
