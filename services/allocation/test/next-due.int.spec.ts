import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '@pinkas/service-kit';
import { createTestDatabase, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import pg from 'pg';
import { nextDueAllocation } from '../src/attempt/allocation.repository.js';
import type { AllocationTables } from '../src/db/allocation.tables.js';
import { migrations } from '../src/db/migrations.js';

const pending = 5_000;
let tested: TestDatabase<AllocationTables>;
beforeAll(async () => {
  tested = await createTestDatabase<AllocationTables>(migrations);
  await sql`
    insert into allocation (business_id, document_id, kind, state, facts, next_attempt_at, claimed_until, decided_at)
    select gen_random_uuid(), gen_random_uuid(), 'number', 'pending', '{}', now() + make_interval(hours => 1 + n),
      case when n > ${pending}::integer - 2 then now() + make_interval(mins => n) end, now()
    from generate_series(1, ${pending}::integer) as n`.execute(tested.db);
  const owner = new pg.Client({ connectionString: tested.ownerUrl });
  await owner.connect();
  await owner.query('analyze allocation');
  await owner.end();
});
afterAll(() => tested?.close());

it('the next due document is found from a few rows, however many are pending', async () => {
  await tested.db.transaction().execute(async (trx) => {
    const { inMs } = await nextDueAllocation(trx, systemClock);
    expect(Math.round(inMs / 60_000)).toBe(120);
    const { rows } = await sql<{ read: number }>`
      select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'allocation'
    `.execute(trx);
    expect(rows[0]?.read).toBeLessThan(10);
  });
});

it('a claim that expires first is the next due', async () => {
  await sql`
    update allocation set claimed_until = now() + interval '10 minutes'
    where next_attempt_at < now() + interval '3 hours'`.execute(tested.db);
  const { inMs } = await nextDueAllocation(tested.db, systemClock);
  expect(Math.round(inMs / 60_000)).toBe(10);
});
