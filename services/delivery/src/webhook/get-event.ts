import { getEvent, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import { findEvent } from './event.repository.js';

/** Reads one event. */
@Operation(getEvent)
export class GetEvent {
  constructor(@InjectDatabase() private readonly db: Database<DeliveryTables>) {}

  async handle({ business_id, event_id }: RequestOf<typeof getEvent>): Promise<ReplyOf<typeof getEvent>> {
    const body = await findEvent(forTenant(this.db, business_id), business_id, event_id);
    if (body === undefined) {
      throw new ApiError('not_found');
    }
    return { event: body };
  }
}
