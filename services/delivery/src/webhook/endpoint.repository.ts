import type { WebhookEndpoint } from '@pinkas/contracts';
import {
  type Actor,
  ApiError,
  acrossTenants,
  appendTrail,
  type Database,
  forTenant,
  type Transaction,
} from '@pinkas/service-kit';
import { type Insertable, sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import type { EndpointKey, EndpointRow, WebhookEndpointTable } from '../db/webhook.tables.js';

type Reader = Database<DeliveryTables> | Transaction<DeliveryTables>;

/** The most waiting webhooks that are counted. */
const countedMax = 1_000;

/** The columns of an endpoint that its owner sees, with how many webhooks wait. */
const shown = (db: Reader) =>
  db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .select(
      sql<number>`(select count(*)::integer from (
        select from webhook where webhook.business_id = webhook_endpoint.business_id and endpoint_id = webhook_endpoint.id
          and state = 'pending' limit ${countedMax}) as counted)`.as('pending'),
    )
    .where('removed_at', 'is', null);

/** An endpoint without its secret. */
export function toEndpoint(row: EndpointRow & { pending: number }, now: Date): WebhookEndpoint {
  const { previous_secret_until: until, last_failed_at: failedAt } = row;
  return {
    id: row.id,
    business_id: row.business_id,
    url: row.url,
    types: row.types,
    description: row.description,
    enabled: row.enabled,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
    previous_secret_until: until && until > now ? until.toISOString() : null,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_received_at: row.last_received_at?.toISOString() ?? null,
    last_failure: failedAt && { at: failedAt.toISOString(), reason: row.last_failure ?? '' },
    pending: row.pending,
  };
}

/** The endpoints of a book, in the order of their creation. */
export function endpointsOf(db: Reader, businessId: string): Promise<(EndpointRow & { pending: number })[]> {
  return shown(db).where('business_id', '=', businessId).orderBy('created_at').orderBy('id').execute();
}

/**
 * Finds an endpoint that a person or an operator names.
 * @param named `business_id`: only one of this book; absent: of any.
 * @throws ApiError `not_found`.
 */
export async function findEndpoint(
  db: Database<DeliveryTables>,
  named: { endpoint_id: string; business_id?: string | undefined },
): Promise<EndpointRow & { pending: number }> {
  const visible = named.business_id === undefined ? acrossTenants(db) : forTenant(db, named.business_id);
  const row = await shown(visible).where('id', '=', named.endpoint_id).executeTakeFirst();
  if (!row) {
    throw new ApiError('not_found');
  }
  return row;
}

/**
 * Locks an endpoint until the transaction ends. A webhook for it may be stored in that time: its transaction has the lock of the book, and
 * one that sends a test waits for that. Rows of its webhooks, the endpoint and the trail are locked in this order.
 * @throws ApiError `not_found`.
 */
async function lockEndpoint(trx: Transaction<DeliveryTables>, key: EndpointKey): Promise<EndpointRow> {
  const row = await trx
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id)
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) {
    throw new ApiError('not_found');
  }
  return row;
}

/** Does something in a transaction that has locked the endpoint that a person or an operator names. @throws ApiError `not_found`. */
export async function withEndpoint<T>(
  db: Database<DeliveryTables>,
  named: Parameters<typeof findEndpoint>[1],
  work: (trx: Transaction<DeliveryTables>, endpoint: EndpointRow) => Promise<T>,
): Promise<T> {
  const key = await findEndpoint(db, named);
  return forTenant(db, key.business_id)
    .transaction()
    .execute(async (trx) => work(trx, await lockEndpoint(trx, key)));
}

/** @throws ApiError `validation_error` where a person asks for something to be sent to a disabled endpoint. */
export function requireEnabled({ enabled }: EndpointRow): void {
  if (!enabled) {
    throw ApiError.invalid([{ path: '', message: 'the endpoint is disabled: enable it first' }]);
  }
}

/** Stores an endpoint. */
export async function insertEndpoint(
  trx: Transaction<DeliveryTables>,
  row: Insertable<WebhookEndpointTable>,
): Promise<void> {
  await trx.insertInto('webhook_endpoint').values(row).execute();
}

/** Changes an endpoint. */
export async function changeEndpoint(
  trx: Transaction<DeliveryTables>,
  key: EndpointKey,
  change: Partial<Omit<EndpointRow, 'business_id' | 'id' | 'created_at'>>,
): Promise<void> {
  await trx
    .updateTable('webhook_endpoint')
    .set(change)
    .where('business_id', '=', key.business_id)
    .where('id', '=', key.id)
    .execute();
}

/** Disables an endpoint, unless it is disabled. @returns whether it was enabled. */
export async function disableEndpoint(
  trx: Transaction<DeliveryTables>,
  key: EndpointKey,
  reason: 'owner' | 'gone' | 'failing',
  actor: Actor,
): Promise<boolean> {
  const { enabled, url } = await lockEndpoint(trx, key);
  if (enabled) {
    await changeEndpoint(trx, key, { enabled: false, disabled_reason: reason });
    await appendEndpointEntry(trx, key, 'disable', actor, { enabled: true }, { enabled: false, reason, url });
  }
  return enabled;
}

/** Appends a change of an endpoint to the trail. */
export async function appendEndpointEntry(
  trx: Transaction<DeliveryTables>,
  key: EndpointKey,
  verb: 'create' | 'enable' | 'disable' | 'remove' | 'rotate' | 'test' | 'resend',
  actor: Actor,
  before: object | null,
  after: object | null,
): Promise<void> {
  await appendTrail(trx, {
    business_id: key.business_id,
    action: `webhook.${verb}`,
    subject: key.id,
    actor,
    before,
    after,
  });
}

/** Makes webhooks of an endpoint due again: for one event, in any state. @returns how many. */
export async function makeDue(
  trx: Transaction<DeliveryTables>,
  key: EndpointKey,
  eventId: string,
  now: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into webhook (business_id, endpoint_id, event_id, next_attempt_at)
    select business_id, ${key.id}::uuid, id, ${now}::timestamptz
    from event where business_id = ${key.business_id} and id = ${eventId}
    on conflict (business_id, endpoint_id, event_id) do update
      set state = 'pending', next_attempt_at = excluded.next_attempt_at, earlier_attempts = webhook.attempts`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0);
}

/** A page of the events that an endpoint may have missed. */
interface MissedPage {
  readonly resent: number;
  /** The position of the last event of the page; null: there are no more. */
  readonly lastPosition: number | null;
}

/** Makes the events since an instant due that an endpoint wants and has not received, a page of the list at a time. */
export async function makeMissedDue(
  trx: Transaction<DeliveryTables>,
  endpoint: EndpointRow,
  { since, after, limit, now }: { since: Date; after: number; limit: number; now: Date },
): Promise<MissedPage> {
  const { rows } = await sql<{ resent: number; last_position: number | null; scanned: number }>`
    with page as materialized (
      select id, type, position, stored_at from event
      where business_id = ${endpoint.business_id} and position > ${after}
      order by position limit ${limit}
    ), due as (
      insert into webhook (business_id, endpoint_id, event_id, next_attempt_at)
      select ${endpoint.business_id}::uuid, ${endpoint.id}::uuid, id, ${now}::timestamptz from page
      where stored_at >= ${since} and type <> 'endpoint.test'
        and (${endpoint.types}::text[] is null or type = any(${endpoint.types}::text[]))
      on conflict (business_id, endpoint_id, event_id) do update
        set state = 'pending', next_attempt_at = excluded.next_attempt_at, earlier_attempts = webhook.attempts
        where webhook.state <> 'received'
      returning event_id
    )
    select (select count(*)::integer from due) as resent, (select max(position) from page) as last_position,
      (select count(*)::integer from page) as scanned`.execute(trx);
  const [row] = rows;
  return {
    resent: row?.resent ?? 0,
    lastPosition: row && row.scanned === limit ? row.last_position : null,
  };
}

/** Deletes webhooks of removed endpoints, and then those. @returns how many webhooks. */
export async function purgeRemoved(all: Database<DeliveryTables>, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook where ctid = any(array(
      select webhook.ctid from webhook_endpoint as endpoint
      join webhook on webhook.business_id = endpoint.business_id and webhook.endpoint_id = endpoint.id
      where endpoint.removed_at is not null limit ${limit}
    ))`.execute(all);
  await sql`
    delete from webhook_endpoint as endpoint where removed_at is not null and not exists (
      select from webhook where webhook.business_id = endpoint.business_id and webhook.endpoint_id = endpoint.id)
  `.execute(all);
  return Number(numAffectedRows ?? 0);
}
