import {
  type FullRequest,
  type ListedRequest,
  type listRequests,
  loggedBodiesMax,
  loggedRequestsMax,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { GatewayTables } from '../db/gateway.tables.js';
import { keptKey } from './kept-body.js';

type RequestTable = GatewayTables['request_log'];

/** A request as it is stored; JSON as text. */
export type RequestRecord = Omit<Selectable<RequestTable>, 'at' | 'errors' | 'body' | 'details'> & {
  readonly at: string;
  readonly errors: string | null;
  readonly body: string | null;
  readonly details: string | null;
};

/** The most requests with one id that are shown. */
const withOneIdMax = 20;

/**
 * Creates the days of the log that are missing, and drops those that are older.
 * @param days as `YYYY-MM-DD`, in UTC.
 */
export async function keepDays(
  all: Kysely<GatewayTables>,
  days: readonly string[],
  oldest: string,
): Promise<void> {
  await sql`select keep_request_log(${days}::date[], ${oldest}::date)`.execute(all);
}

/**
 * Stores requests, and counts them for their book and day: what is above the limits is counted alone. What was stored before is left as
 * it is.
 */
export async function storeRequests(
  all: Kysely<GatewayTables>,
  records: readonly RequestRecord[],
): Promise<void> {
  await sql`
    /* prepare */ with batch as (
      select *, (at at time zone 'UTC')::date as day
      from json_to_recordset(${JSON.stringify(records)}::json) as sent (
        business_id uuid, at timestamptz, id uuid, request_id uuid, key_id uuid, method text, route text, status smallint,
        code text, idempotency_key text, replayed boolean, document_id uuid, duration_ms integer, errors text, body text,
        body_truncated boolean, details text)
    ), counted as (
      insert into request_log_day as known (business_id, day, requests, bodies)
      select business_id, day, count(*), count(body) from batch group by business_id, day order by business_id, day
      on conflict (business_id, day) do update
        set requests = known.requests + excluded.requests, bodies = known.bodies + excluded.bodies
      returning business_id, day, requests, bodies
    ), placed as (
      select batch.*,
        counted.requests - count(*) over of_day + row_number() over in_order as place,
        counted.bodies - count(body) over of_day + count(body) over in_order as body_place
      from batch join counted using (business_id, day)
      window of_day as (partition by business_id, day),
        in_order as (partition by business_id, day order by at, id rows unbounded preceding)
    )
    insert into request_log (business_id, at, id, request_id, key_id, method, route, status, code, idempotency_key, replayed,
      document_id, duration_ms, errors, body, body_truncated, details)
    select business_id, at, id, request_id, key_id, method, route, status, code, idempotency_key, replayed, document_id,
      duration_ms, errors::json, case when body_place <= ${loggedBodiesMax} then body::json end,
      body_truncated or (body is not null and body_place > ${loggedBodiesMax}), details::json
    from placed where place <= ${loggedRequestsMax}
    on conflict do nothing`.execute(all);
}

const listedColumns = [
  'id',
  'request_id',
  'key_id',
  'business_id',
  'at',
  'method',
  'route',
  'status',
  'code',
  'idempotency_key',
  'replayed',
  'document_id',
  'duration_ms',
] as const;

/** A page of the requests of a book since an instant, the latest first unless another order is asked for. */
export async function listRequestsOf(
  db: Kysely<GatewayTables>,
  filter: RequestOf<typeof listRequests>,
  since: Date,
): Promise<Pick<ReplyOf<typeof listRequests>, 'requests' | 'next_after'>> {
  const {
    business_id,
    key_id,
    status_class,
    code,
    idempotency_key,
    ascending = false,
    after,
    limit,
  } = filter;
  const order = ascending ? 'asc' : 'desc';
  const beyond = ascending ? sql`>` : sql`<`;
  const rows = await db
    .selectFrom('request_log')
    .select(listedColumns)
    .where('business_id', '=', business_id)
    .where('at', '>=', since)
    .$if(key_id !== undefined, (query) => query.where('key_id', '=', key_id ?? ''))
    .$if(status_class !== undefined, (query) =>
      query
        .where('status', '>=', (status_class ?? 0) * 100)
        .where('status', '<', ((status_class ?? 0) + 1) * 100),
    )
    // Where it is an error, an index has only those.
    .$if((status_class ?? 0) >= 4 || code !== undefined, (query) => query.where(sql<boolean>`status >= 400`))
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
    .$if(idempotency_key !== undefined, (query) =>
      query.where('idempotency_key', '=', keptKey(business_id, idempotency_key ?? '')),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(at, id) ${beyond} (${after?.timestamp}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('at', order)
    .orderBy('id', order)
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    requests: shown.map(toListed),
    next_after: rows.length > limit && last ? { timestamp: last.at.toISOString(), id: last.id } : null,
  };
}

/** The requests with an id, the latest first. @param filter the book and the key that they must be of, where it is given. */
export async function findRequests(
  db: Kysely<GatewayTables>,
  requestId: string,
  since: Date,
  filter: { readonly business_id?: string | undefined; readonly key_id?: string },
): Promise<FullRequest[]> {
  const { business_id, key_id } = filter;
  const rows = await db
    .selectFrom('request_log')
    .select([...listedColumns, 'errors', 'body', 'body_truncated', 'details'])
    .where('request_id', '=', requestId)
    .where('at', '>=', since)
    .$if(business_id !== undefined, (query) => query.where('business_id', '=', business_id ?? ''))
    .$if(key_id !== undefined, (query) => query.where('key_id', '=', key_id ?? ''))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(withOneIdMax)
    .execute();
  return rows.map(({ errors, body, body_truncated, details, ...row }) => ({
    ...toListed(row),
    business_id: row.business_id,
    errors: errors ?? [],
    body: body && JSON.stringify(body),
    body_truncated,
    ...(details && { details }),
  }));
}

/** How many requests a book has had on a day. */
export async function countOfDay(
  db: Kysely<GatewayTables>,
  businessId: string,
  day: string,
): Promise<number> {
  const row = await db
    .selectFrom('request_log_day')
    .select('requests')
    .where('business_id', '=', businessId)
    .where('day', '=', day)
    .executeTakeFirst();
  return row?.requests ?? 0;
}

function toListed({
  at,
  business_id: _book,
  ...row
}: Pick<Selectable<RequestTable>, (typeof listedColumns)[number]>): ListedRequest {
  return { ...row, timestamp: at.toISOString() };
}
