import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@pinkas/testkit';
import { sql } from 'kysely';
import { purgeMessaging } from '../src/events/outbox/purge.js';
import { saveReader } from '../src/events/outbox/reader.repository.js';
import { createLogger, type Logger, type MessagingTables } from '../src/index.js';
import { probeMigrations } from './probe-service.js';

const logger = createLogger('test', 'silent');
const daysAgo = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;

describe('purgeMessaging', () => {
  let database: TestDatabase<MessagingTables>;
  beforeAll(async () => {
    database = await createTestDatabase<MessagingTables>(probeMigrations);
  });
  afterAll(() => database.close());

  const stored = async (createdDaysAgo: number, sentDaysAgo: number | null) => {
    const id = randomUUID();
    await database.db
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
  const storedIds = async () =>
    (await database.db.selectFrom('outbox').select('id').execute()).map((row) => row.id).sort();
  const positionOf = async (id: string) =>
    (await database.db.selectFrom('outbox').select('position').where('id', '=', id).executeTakeFirstOrThrow())
      .position;

  it('the purge deletes sent outbox events a week after they were written, and no unsent ones', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    await stored(8, 8);
    await stored(8, 0);
    const kept = [await stored(6, 6), await stored(8, null)];
    await purgeMessaging(db, { consumers: [], logger });
    expect(await storedIds()).toEqual(kept.sort());
  });

  it('the purge keeps events for three weeks that one of the consumers has not read', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    const consumers = ['customer-cards', 'delivery-plan'];
    const purge = () => purgeMessaging(db, { consumers, logger });
    await stored(22, 22);
    const [first, second, young] = [await stored(20, 20), await stored(8, 8), await stored(6, 6)];
    // One consumer has never read.
    await saveReader(db, 'delivery-plan', await positionOf(young));
    await purge();
    expect(await storedIds()).toEqual([first, second, young].sort());
    await saveReader(db, 'customer-cards', await positionOf(first));
    await purge();
    expect(await storedIds()).toEqual([second, young].sort());
    await saveReader(db, 'customer-cards', await positionOf(young));
    // A consumer that was removed holds up nothing.
    await saveReader(db, 'removed', 0);
    await purge();
    expect(await storedIds()).toEqual([young]);
  });

  it('a warning names the consumer that delays the purge, and unread events that are purged are an error', async () => {
    const { db } = database;
    await db.deleteFrom('outbox').execute();
    await saveReader(db, 'customer-cards', 0);
    await stored(22, 22);
    await stored(8, 8);
    const lines: unknown[] = [];
    const line = (level: string) => (facts: object, message: string) =>
      lines.push({ level, ...facts, message });
    const recording = { warn: line('warn'), error: line('error') } as unknown as Logger;
    await purgeMessaging(db, { consumers: ['customer-cards'], logger: recording });
    expect(lines).toEqual([
      { level: 'warn', consumer: 'customer-cards', unread_days: 22, message: 'outbox purge delayed' },
      { level: 'error', events: 1, message: 'unread outbox events purged' },
    ]);
  });

  it('the purge keeps inbox rows for 30 days, and as long as their dead letter exists', async () => {
    const { db } = database;
    const handled = async (consumer: string, handledDaysAgo: number, message_id: string = randomUUID()) => {
      await db
        .insertInto('inbox')
        .values({ consumer, message_id, handled_at: daysAgo(handledDaysAgo) })
        .execute();
      return message_id;
    };
    await handled('other', 31);
    // Three weeks in the outbox, unread by another consumer, and one in the stream.
    const kept = [await handled('probe-effects', 29), await handled('probe-effects', 31)];
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
    await purgeMessaging(db, { consumers: [], logger });
    const left = await db.selectFrom('inbox').select(['consumer', 'message_id']).execute();
    expect(left.map((row) => row.message_id).sort()).toEqual(kept.sort());
    expect(left.every((row) => row.consumer === 'probe-effects')).toBe(true);
  });
});
