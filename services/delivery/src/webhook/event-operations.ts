import { Controller } from '@nestjs/common';
import { getEvent, listEvents, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { eventsAfter, findEvent } from './event.repository.js';

/** The events that callers read. */
@Controller()
export class EventOperations {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  @Operation(getEvent)
  async get({ business_id, event_id }: RequestOf<typeof getEvent>): Promise<ReplyOf<typeof getEvent>> {
    const body = await findEvent(forTenant(this.db, business_id), business_id, event_id);
    if (body === undefined) {
      throw new ApiError('not_found');
    }
    return { event: body };
  }

  /** Lists events in the order of commits. */
  @Operation(listEvents)
  async list(request: RequestOf<typeof listEvents>): Promise<ReplyOf<typeof listEvents>> {
    const { business_id, types, document_id, after, limit } = request;
    const filter = { types: types ?? null, documentId: document_id ?? null };
    const { events, lastPosition } = await eventsAfter(
      forTenant(this.db, business_id),
      business_id,
      filter,
      after,
      limit,
    );
    const last = events.at(-1);
    return {
      events: events.map(({ body }) => body),
      // Behind a page that is not full, all that was listed when it was read was looked at.
      next_after: last && events.length === limit ? last.position : Math.max(after, lastPosition),
    };
  }
}
