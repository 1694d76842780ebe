import { Controller } from '@nestjs/common';
import { fromEventId, listWebhookAttempts, type ReplyOf, type RequestOf, toEventId } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { findEndpoint } from './endpoint.repository.js';

/** How much of a request is shown. */
const requestCharacters = 4 * 1024;

/** The log of an endpoint, the latest attempt first. */
@Controller()
export class ListWebhookAttempts {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  @Operation(listWebhookAttempts)
  async handle(request: RequestOf<typeof listWebhookAttempts>): Promise<ReplyOf<typeof listWebhookAttempts>> {
    const { after, limit } = request;
    const { business_id, id } = await findEndpoint(this.db, request);
    const rows = await this.#read({ business_id, id }, after, limit + 1);
    const attempts = rows.slice(0, limit).map((row) => ({
      ...row,
      event_id: toEventId(row.event_id),
      started_at: row.started_at.toISOString(),
      next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    }));
    const last = attempts.at(-1);
    return {
      attempts,
      next_after:
        last && rows.length > limit
          ? { started_at: last.started_at, event_id: last.event_id, n: last.n }
          : null,
    };
  }
  #read(
    { business_id, id }: { business_id: string; id: string },
    after: RequestOf<typeof listWebhookAttempts>['after'],
    limit: number,
  ) {
    return forTenant(this.db, business_id)
      .selectFrom('webhook_attempt as attempt')
      .innerJoin('webhook', (join) =>
        join
          .onRef('webhook.business_id', '=', 'attempt.business_id')
          .onRef('webhook.endpoint_id', '=', 'attempt.endpoint_id')
          .onRef('webhook.event_id', '=', 'attempt.event_id'),
      )
      .innerJoin('event', (join) =>
        join
          .onRef('event.business_id', '=', 'attempt.business_id')
          .onRef('event.id', '=', 'attempt.event_id'),
      )
      .select([
        'attempt.event_id',
        'attempt.n',
        'attempt.started_at',
        'attempt.duration_ms',
        'attempt.received',
        'attempt.status',
        'attempt.reason',
        'attempt.response',
        'event.type',
        sql<string>`left(event.body, ${requestCharacters})`.as('request'),
        sql<Date | null>`case when webhook.state = 'pending' and webhook.attempts = attempt.n
          then webhook.next_attempt_at end`.as('next_attempt_at'),
      ])
      .where('attempt.business_id', '=', business_id)
      .where('attempt.endpoint_id', '=', id)
      .$if(after !== undefined, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('attempt.started_at', 'attempt.event_id', 'attempt.n'),
            '<',
            tuple(new Date(after?.started_at ?? 0), fromEventId(after?.event_id ?? ''), after?.n ?? 0),
          ),
        ),
      )
      .orderBy('attempt.started_at', 'desc')
      .orderBy('attempt.event_id', 'desc')
      .orderBy('attempt.n', 'desc')
      .limit(limit)
      .execute();
  }
}
