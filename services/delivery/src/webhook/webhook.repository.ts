import type { Clock, Database, NextDue, Transaction } from '@pinkas/service-kit';
import { nextDue } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import type { EndpointRow } from '../db/webhook.tables.js';
import type { WebhookOutcome } from './webhook-client.js';

/** At once for each endpoint; for one that fails, one. */
const inFlightOfEndpoint = 4;
/** At once for each business. */
const inFlightOfBusiness = 16;

/** How much of the answers of an endpoint the log stores in a day: an owner may have ten that answer every attempt at length. */
export const answerBytesOfDay = 256 * 1024;

/** A webhook that this process has claimed. */
export interface ClaimedWebhook
  extends Pick<EndpointRow, 'business_id' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_until'> {
  readonly request_id: null;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly body: string;
  readonly attempts: number;
  readonly earlier_attempts: number;
}

/** A webhook that this process has stored. */
export type NewWebhook = ClaimedWebhook & { readonly is_claimed: boolean };

/** The columns of a claimed one, of `webhook`, its `event` and its endpoint, as `target`. */
export const claimedColumns = sql`null as request_id, webhook.business_id, webhook.endpoint_id, webhook.event_id, webhook.attempts,
  webhook.earlier_attempts, event.type, event.body, target.url, target.secret, target.previous_secret, target.previous_secret_until`;

/**
 * The enabled endpoints with pending webhooks, as `endpoint`: one look into the index for each, however many webhooks it has, so that
 * one with a million costs as much as one with one.
 */
export const waitingEndpoints = sql`waiting as (
  (select business_id, endpoint_id from webhook where state = 'pending' order by business_id, endpoint_id limit 1)
  union all
  select next.business_id, next.endpoint_id from waiting cross join lateral (
    select business_id, endpoint_id from webhook
    where state = 'pending' and (business_id, endpoint_id) > (waiting.business_id, waiting.endpoint_id)
    order by business_id, endpoint_id limit 1
  ) as next
), endpoint as (
  select webhook_endpoint.business_id, webhook_endpoint.id, failing_since is not null as is_failing
  from waiting join webhook_endpoint
    on webhook_endpoint.business_id = waiting.business_id and webhook_endpoint.id = waiting.endpoint_id
  where enabled and removed_at is null
)`;

/** When the next webhook of an enabled endpoint is due. */
export function nextDueWebhook(all: Database<DeliveryTables>, clock: Clock): Promise<NextDue> {
  return nextDue(
    all,
    clock,
    (now) => sql`(
      with recursive ${waitingEndpoints}
      select min(first.next_attempt_at) from endpoint cross join lateral (
        select next_attempt_at from webhook
        where business_id = endpoint.business_id and endpoint_id = endpoint.id and state = 'pending'
          and (claimed_until is null or claimed_until < ${now})
        order by next_attempt_at limit 1
      ) as first)`,
  );
}

/**
 * Claims due webhooks: first of the business that has the fewest in flight, and there of the endpoint that has; no more of an endpoint,
 * or of a business, than its bound. Endpoints that fail have half of the places together.
 * @param failingMax of all processes, for the endpoints that fail.
 */
export async function claimDueWebhooks(
  all: Database<DeliveryTables>,
  limit: number,
  now: Date,
  until: Date,
  failingMax: number,
): Promise<ClaimedWebhook[]> {
  const { rows } = await sql<ClaimedWebhook>`
    with recursive ${waitingEndpoints}, in_flight as (
      select business_id, endpoint_id, count(*) as n from webhook
      where claimed_until is not null and claimed_until >= ${now}
      group by business_id, endpoint_id
    ), candidate as (
      select found.*, is_failing,
        row_number() over (partition by found.business_id, found.endpoint_id order by next_attempt_at)
          + coalesce(in_flight.n, 0) as place
      from endpoint
      left join in_flight on in_flight.business_id = endpoint.business_id and in_flight.endpoint_id = endpoint.id
      cross join lateral (
        select business_id, endpoint_id, event_id, next_attempt_at from webhook
        where business_id = endpoint.business_id and endpoint_id = endpoint.id and state = 'pending'
          and next_attempt_at <= ${now} and (claimed_until is null or claimed_until < ${now})
        order by next_attempt_at
        limit greatest(0, case when is_failing then 1 else ${inFlightOfEndpoint}::integer end - coalesce(in_flight.n, 0))
      ) as found
    ), ranked as (
      select candidate.*,
        row_number() over (partition by business_id order by place, next_attempt_at)
          + coalesce((select sum(n) from in_flight where in_flight.business_id = candidate.business_id), 0) as in_business
      from candidate
    ), classed as (
      select ranked.*,
        row_number() over (partition by is_failing order by in_business, next_attempt_at)
          + coalesce((select sum(n) from in_flight join endpoint on endpoint.id = in_flight.endpoint_id and endpoint.is_failing), 0)
          as in_class
      from ranked where in_business <= ${inFlightOfBusiness}
    ), chosen as (
      select business_id, endpoint_id, event_id from classed
      where not is_failing or in_class <= ${failingMax}
      order by in_business, next_attempt_at limit ${limit}
    ), due as (
      select webhook.business_id, webhook.endpoint_id, webhook.event_id from webhook join chosen
        on webhook.business_id = chosen.business_id and webhook.endpoint_id = chosen.endpoint_id
          and webhook.event_id = chosen.event_id
      where webhook.state = 'pending' and (webhook.claimed_until is null or webhook.claimed_until < ${now})
      for update of webhook skip locked
    )
    update webhook set claimed_until = ${until}, attempts = webhook.attempts + 1
    from due
    join event on event.business_id = due.business_id and event.id = due.event_id
    join webhook_endpoint as target on target.business_id = due.business_id and target.id = due.endpoint_id
    where webhook.business_id = due.business_id and webhook.endpoint_id = due.endpoint_id and webhook.event_id = due.event_id
    returning ${claimedColumns}
  `.execute(all);
  return rows;
}

/** The changes that an attempt makes to its webhook. */
export interface WebhookTransition {
  readonly state: 'pending' | 'received' | 'given_up';
  readonly nextAttemptAt: Date | null;
}

/**
 * Stores an attempt with what it changes of its webhook, unless another process has claimed that since, or the webhook is gone. One that
 * a person has made due again during an attempt that failed stays due. An endpoint has when it received last, to the minute, unless it
 * had failed.
 * @returns whether it was stored.
 */
export async function storeWebhookAttempt(
  db: Database<DeliveryTables> | Transaction<DeliveryTables>,
  row: ClaimedWebhook,
  attempt: WebhookOutcome & { startedAt: Date; durationMs: number },
  { state, nextAttemptAt }: WebhookTransition,
  now: Date,
): Promise<boolean> {
  const endpointChange =
    attempt.reason === null
      ? sql`last_received_at = ${now}, failing_since = null, notices = 0`
      : sql`failing_since = coalesce(failing_since, ${now}), last_failed_at = ${now}, last_failure = ${attempt.reason}`;
  const bytes = Buffer.byteLength(attempt.response);
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`;
  const bytesBefore = sql`case when answered_on = ${today} then answer_bytes else 0 end`;
  const isChanged =
    attempt.reason === null
      ? sql`${bytes}::integer > 0 or failing_since is not null or last_received_at is null or last_received_at < ${now}::timestamptz - interval '1 minute'`
      : sql`true`;
  const { rows } = await sql`
    with changed as (
      update webhook
      set claimed_until = null,
        state = case when ${state} = 'received' or earlier_attempts = ${row.earlier_attempts} then ${state} else state end,
        next_attempt_at = case when earlier_attempts = ${row.earlier_attempts}
          then coalesce(${nextAttemptAt}::timestamptz, next_attempt_at) else next_attempt_at end
      where business_id = ${row.business_id} and endpoint_id = ${row.endpoint_id} and event_id = ${row.event_id}
        and state = 'pending' and attempts = ${row.attempts}
      returning business_id, endpoint_id, event_id, attempts
    ), endpoint as (
      update webhook_endpoint set ${endpointChange}, answered_on = ${today},
        answer_bytes = least(${bytesBefore} + ${bytes}::integer, ${answerBytesOfDay}::integer)
      from changed
      where webhook_endpoint.business_id = changed.business_id and webhook_endpoint.id = changed.endpoint_id and (${isChanged})
    )
    insert into webhook_attempt (business_id, endpoint_id, event_id, n, started_at, duration_ms, received, status, reason, response)
    select business_id, endpoint_id, event_id, attempts, ${attempt.startedAt}::timestamptz, ${attempt.durationMs}::integer,
      ${attempt.reason === null}::boolean, ${attempt.status}::integer, ${attempt.reason}::text,
      case when (
        select ${bytesBefore} from webhook_endpoint
        where webhook_endpoint.business_id = changed.business_id and webhook_endpoint.id = changed.endpoint_id
      ) < ${answerBytesOfDay} then ${attempt.response}::text else '' end
    from changed
    returning n`.execute(db);
  return rows.length > 0;
}

/** Releases a claim that was not used. */
export async function releaseWebhook(
  db: Database<DeliveryTables>,
  { business_id, endpoint_id, event_id, attempts }: ClaimedWebhook,
): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ claimed_until: null, attempts: attempts - 1 })
    .where('business_id', '=', business_id)
    .where('endpoint_id', '=', endpoint_id)
    .where('event_id', '=', event_id)
    .where('state', '=', 'pending')
    .where('attempts', '=', attempts)
    .where('earlier_attempts', '<', attempts)
    .execute();
}
