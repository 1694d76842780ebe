import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import { purgeMessaging } from '../src/events/outbox.js';
import type { MessagingTables } from '../src/index.js';
import { probeMigrations } from './probe-service.js';

const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;

describe('the purge', () => {
  let database: TestDatabase<MessagingTables>;
  beforeAll(async () => {
    database = await createTestDatabase<MessagingTables>(probeMigrations);
  });
  afterAll(() => database.close());

  it('takes an announcement a week after it was made, however lately it was sent again, and none that was not sent', async () => {
    const { db } = database;
    const announced = async (createdDaysAgo: number, sentDaysAgo: number | null) => {
      const id = randomUUID();
      await db
        .insertInto('outbox')
        .values({
          id,
          subject: 'evt.issuing.document.issued.v1.x',
          body: '{}',
          request_id: null,
          created_at: daysAgo(createdDaysAgo),
          sent_at: sentDaysAgo === null ? null : daysAgo(sentDaysAgo),
        })
        .execute();
      return id;
    };
    await announced(8, 8);
    await announced(8, 0);
    const kept = [await announced(6, 6), await announced(8, null)];
    await purgeMessaging(db);
    const left = await db.selectFrom('outbox').select('id').execute();
    expect(left.map((row) => row.id).sort()).toEqual(kept.sort());
  });

  it('keeps what tells that an event was handled longer than the event can come again, and as long as its step is parked', async () => {
    const { db } = database;
    const handled = async (consumer: string, handledDaysAgo: number, message_id: string = randomUUID()) => {
      await db
        .insertInto('inbox')
        .values({ consumer, message_id, handled_at: daysAgo(handledDaysAgo) })
        .execute();
      return message_id;
    };
    await handled('other', 31);
    // A week in the outbox, another in the stream.
    const kept = [await handled('probe-effects', 15), await handled('probe-effects', 31)];
    await handled('other', 31, kept[1]);
    await db
      .insertInto('dead_letter')
      .values({
        consumer: 'probe-effects',
        message_id: kept[1] ?? '',
        subject: 'evt.issuing.document.issued.v1.x',
        body: '{}',
        request_id: null,
        reason: 'given up',
        attempts: 10,
      })
      .execute();
    await purgeMessaging(db);
    const left = await db.selectFrom('inbox').select(['consumer', 'message_id']).execute();
    expect(left.map((row) => row.message_id).sort()).toEqual(kept.sort());
    expect(left.every((row) => row.consumer === 'probe-effects')).toBe(true);
  });
});
