import type { EventType } from '@pinkas/contracts';
import { type Clock, type Database, databaseClock, type Transaction } from '@pinkas/service-kit';
import { type Selectable, sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import type { EventBookTable } from '../db/webhook.tables.js';
import type { NewEvent } from './stored-event.js';
import { claimedColumns, type NewWebhook } from './webhook.repository.js';

type Trx = Transaction<DeliveryTables>;

/** The end of the list of a book, locked until the transaction ends: positions become visible in their order. */
async function lockBook(trx: Trx, businessId: string): Promise<Selectable<EventBookTable>> {
  const { rows } = await sql<Selectable<EventBookTable>>`
    insert into event_book as book (business_id) values (${businessId})
    on conflict (business_id) do update set last_position = book.last_position
    returning book.business_id, book.last_position, book.last_sequence, book.unlisted`.execute(trx);
  const [book] = rows;
  if (!book) {
    throw new Error('event book not found');
  }
  return book;
}

/**
 * Stores an event once, with a webhook for each endpoint that wants it. It is listed behind those that were committed before it:
 * an event of issuing whose predecessors have not arrived waits for them, its webhooks do not.
 * @param claimMs how long this process claims a webhook that it may send at once; null: it claims none.
 * @param endpointId only a webhook for this endpoint.
 * @returns its webhooks. Claimed are those of endpoints that do not fail and have no other one that is due or in flight.
 */
export async function storeEvent(
  trx: Trx,
  event: NewEvent,
  clock: Clock,
  { claimMs, endpointId = null }: { claimMs: number | null; endpointId?: string | null },
): Promise<NewWebhook[]> {
  const { business_id: businessId, sequence } = event;
  const book = await lockBook(trx, businessId);
  const isNext = sequence === null || sequence <= book.last_sequence + 1;
  const now = clock.now();
  const { rows } = await sql<NewWebhook>`
    with stored as (
      insert into event (business_id, id, type, document_id, sequence, position, body, stored_at)
      values (${businessId}, ${event.id}, ${event.type}, ${event.document_id}, ${sequence},
        ${isNext ? book.last_position + 1 : null}, ${event.body}, ${now})
      on conflict (business_id, id) do nothing
      returning id, type, body, position
    ), fanned_out as (
      insert into webhook (business_id, endpoint_id, event_id, next_attempt_at, attempts, claimed_until)
      select ${businessId}::uuid, endpoint.id, stored.id, ${now}::timestamptz, case when is_free then 1 else 0 end,
        case when is_free then ${databaseClock(clock, claimMs ?? 0)} end
      from stored, webhook_endpoint as endpoint cross join lateral (
        select ${claimMs !== null}::boolean and failing_since is null and not exists (
          select from webhook where webhook.business_id = endpoint.business_id and webhook.endpoint_id = endpoint.id
            and state = 'pending' and webhook.next_attempt_at <= ${now}) as is_free
      ) as looked_up
      where endpoint.business_id = ${businessId} and endpoint.enabled and endpoint.removed_at is null
        and (${endpointId}::uuid is null and (endpoint.types is null or ${event.type}::text = any(endpoint.types))
          or endpoint.id = ${endpointId}::uuid)
      returning *
    ), listed as (
      update event_book
      set last_position = coalesce(stored.position, last_position),
        last_sequence = case when stored.position is null then last_sequence else greatest(last_sequence, ${sequence ?? 0}::bigint) end,
        unlisted = unlisted + case when stored.position is null then 1 else 0 end
      from stored
      where event_book.business_id = ${businessId}
    )
    select ${claimedColumns}, webhook.claimed_until is not null as is_claimed
    from fanned_out as webhook, stored as event, webhook_endpoint as target
    where target.business_id = webhook.business_id and target.id = webhook.endpoint_id
  `.execute(trx);
  if (isNext && book.unlisted > 0) {
    await listFollowing(trx, businessId);
  }
  return rows;
}

/** Lists the events of a locked book that follow the last one that is listed, up to the first gap. */
async function listFollowing(trx: Trx, businessId: string): Promise<void> {
  await sql`
    with unlisted as (
      select id, sequence, row_number() over (order by sequence) as n
      from event where business_id = ${businessId} and position is null
    ), listed as (
      update event set position = book.last_position + unlisted.n
      from unlisted, event_book as book
      where event.business_id = ${businessId} and event.id = unlisted.id and book.business_id = ${businessId}
        and unlisted.sequence = book.last_sequence + unlisted.n
      returning event.position, event.sequence
    )
    update event_book
    set last_position = coalesce(ended.position, last_position), last_sequence = coalesce(ended.sequence, last_sequence),
      unlisted = (select count(*) from unlisted) - ended.listed
    from (select max(position) as position, max(sequence) as sequence, count(*) as listed from listed) as ended
    where event_book.business_id = ${businessId}`.execute(trx);
}

/** The books with an event that has waited since before an instant for one that was committed before it. */
export async function booksWithUnlisted(
  all: Database<DeliveryTables>,
  before: Date,
  limit: number,
): Promise<string[]> {
  const rows = await all
    .selectFrom('event')
    .select('business_id')
    .distinct()
    .where('position', 'is', null)
    .where('stored_at', '<', before)
    .limit(limit)
    .execute();
  return rows.map(({ business_id }) => business_id);
}

/** Lists what has waited for too long in front of what it waits for, which is listed when it arrives. */
export async function listOverdue(trx: Trx, businessId: string, before: Date): Promise<void> {
  const book = await lockBook(trx, businessId);
  const { rows } = await sql<{ sequence: number | null }>`
    select min(sequence) as sequence from event
    where business_id = ${businessId} and position is null
    having bool_or(stored_at < ${before})`.execute(trx);
  const sequence = rows[0]?.sequence ?? null;
  if (sequence !== null && sequence > book.last_sequence) {
    await trx
      .updateTable('event_book')
      .set({ last_sequence: sequence - 1 })
      .where('business_id', '=', businessId)
      .execute();
  }
  await listFollowing(trx, businessId);
}

/** An event in the list. */
interface ListedEvent {
  readonly position: number;
  readonly body: string;
}

/** The events of a book behind a position, in the order of commits, and the last position of the list at that instant. */
export async function eventsAfter(
  db: Database<DeliveryTables>,
  businessId: string,
  filter: { types: readonly EventType[] | null; documentId: string | null },
  after: number,
  limit: number,
): Promise<{ events: ListedEvent[]; lastPosition: number }> {
  const ofBook = sql`business_id = ${businessId} and position > ${after}`;
  const page = sql`order by position limit ${limit}`;
  const { types, documentId } = filter;
  const ofTypes = types === null ? sql`true` : sql`type = any(${types}::text[])`;
  // Each index has its page in order: a rare type costs no scan of the others.
  const found =
    documentId !== null || types === null
      ? sql`select position, body from event
          where ${ofBook} and ${ofTypes} and ${documentId === null ? sql`true` : sql`document_id = ${documentId}`} ${page}`
      : sql`select found.* from unnest(${types}::text[]) as wanted (type)
          cross join lateral (select position, body from event where ${ofBook} and type = wanted.type ${page}) as found ${page}`;
  const { rows } = await sql<{ events: ListedEvent[]; last_position: number }>`
    select
      coalesce((select json_agg(page order by position) from (${found}) as page), '[]') as events,
      coalesce((select last_position from event_book where business_id = ${businessId}), 0) as last_position
  `.execute(db);
  const [row] = rows;
  return { events: row?.events ?? [], lastPosition: row?.last_position ?? 0 };
}

/** The body of an event. */
export async function findEvent(
  db: Database<DeliveryTables>,
  businessId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('event')
    .select('body')
    .where('business_id', '=', businessId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.body;
}

/** Deletes events that were stored before an instant, with their webhooks. @returns how many. */
export async function purgeEvents(
  all: Database<DeliveryTables>,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event where ctid = any(array(
      select ctid from event where stored_at < ${before} order by stored_at limit ${limit}
    ))`.execute(all);
  return Number(numAffectedRows ?? 0);
}
