import type { Database } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { DeliveryFacts, DeliveryTables, TestMessageTable } from '../db/delivery.tables.js';

/** Stores a message of a test book; one that was stored by an earlier attempt stays. */
export async function insertTestMessage(
  db: Database<DeliveryTables>,
  row: Selectable<TestMessageTable>,
): Promise<void> {
  await db
    .insertInto('test_message')
    .values(row)
    .onConflict((conflict) => conflict.columns(['business_id', 'delivery_id']).doNothing())
    .execute();
}

/** The messages of a test book, the latest first, after a position. */
export function testMessages(
  db: Database<DeliveryTables>,
  businessId: string,
  after: { sent_at: Date; delivery_id: string } | undefined,
  limit: number,
): Promise<(Selectable<TestMessageTable> & { facts: DeliveryFacts })[]> {
  return db
    .selectFrom('test_message')
    .innerJoin('delivery', (join) =>
      join
        .onRef('delivery.business_id', '=', 'test_message.business_id')
        .onRef('delivery.id', '=', 'test_message.delivery_id'),
    )
    .selectAll('test_message')
    .select('delivery.facts')
    .where('test_message.business_id', '=', businessId)
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('test_message.sent_at', 'test_message.delivery_id'),
          '<',
          tuple(after?.sent_at ?? new Date(0), after?.delivery_id ?? ''),
        ),
      ),
    )
    .orderBy('test_message.sent_at', 'desc')
    .orderBy('test_message.delivery_id', 'desc')
    .limit(limit)
    .execute();
}
