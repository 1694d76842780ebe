import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryRow, DeliveryTables } from '../db/delivery.tables.js';
import type { ServerAnswers } from '../mail/refusal-evidence.js';
import type { SuppressionRow } from './suppression.repository.js';

/** As many answers of each kind as a judgement reads. */
const answersMax = 50;
const dayMs = 24 * 60 * 60_000;

/** The answers of a mail server within the last day to the messages of every business. */
export async function serverAnswers(
  all: Database<DeliveryTables>,
  server: string,
  now: Date,
): Promise<ServerAnswers> {
  const since = new Date(now.getTime() - dayMs);
  const answers = (which: ReturnType<typeof sql<boolean>>) =>
    all
      .selectFrom('attempt')
      .innerJoin('delivery', (join) =>
        join
          .onRef('delivery.business_id', '=', 'attempt.business_id')
          .onRef('delivery.id', '=', 'attempt.delivery_id'),
      )
      .select([
        sql<string>`lower(recipient)`.as('address'),
        sql<Date>`ended_at`.as('at'),
        sql<boolean>`coalesce(failure = 'relay_denied', false)`.as('concernsUs'),
      ])
      .where('server', '=', server)
      .where('ended_at', '>', since)
      .where(which)
      .orderBy('ended_at', 'desc')
      .limit(answersMax)
      .execute();
  const refused = await answers(sql`failure in ('unknown_address', 'relay_denied')`);
  return { taken: refused.length === 0 ? [] : await answers(sql`outcome = 'accepted'`), refused };
}

/** When a message was first refused as one to an unknown address, since it was last made due; null: it was not. */
export async function firstRefusal(
  db: Database<DeliveryTables>,
  { business_id, id, first_attempt_at: since }: DeliveryRow,
): Promise<Date | null> {
  if (since === null) {
    return null;
  }
  const { at } = await db
    .selectFrom('attempt')
    .select((eb) => eb.fn.min('ended_at').as('at'))
    .where('business_id', '=', business_id)
    .where('delivery_id', '=', id)
    .where('failure', '=', 'unknown_address')
    .where('ended_at', '>=', since)
    .executeTakeFirstOrThrow();
  return at;
}

/**
 * The addresses that were suppressed by one refusal each, with no message of any business taken between them, and of two domains at
 * least: the server refused us. `in_a_row` is false for the others.
 */
export async function unconfirmedSuppressions(
  all: Database<DeliveryTables>,
): Promise<(SuppressionRow & { in_a_row: boolean })[]> {
  const { rows } = await sql<SuppressionRow & { in_a_row: boolean }>`
    with bounced as (
      select *, lag(since) over (order by since, business_id, address) as previous
      from suppression where channel = 'email' and reason = 'bounced' and not confirmed
    ), numbered as (
      select *, count(*) filter (where previous is null or exists (
          select from attempt join delivery on delivery.business_id = attempt.business_id and delivery.id = delivery_id
          where attempt.outcome = 'accepted' and ended_at between previous and bounced.since
            and delivery.channel = 'email' and not is_test_book(delivery.business_id)))
        over (order by since, business_id, address) as row_of
      from bounced
    ), rows as (
      select row_of, count(distinct split_part(address, '@', 2)) as domains from numbered group by row_of
    )
    select business_id, channel, address, reason, detail, since, confirmed, domains >= 2 as in_a_row
    from numbered join rows using (row_of) order by since, business_id, address`.execute(all);
  return rows;
}
