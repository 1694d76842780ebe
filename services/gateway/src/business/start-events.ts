import { type ReplyOf, type RequestOf, startEvents } from '@pinkas/contracts';
import { actorOf, Operation } from '@pinkas/service-kit';
import { BusinessEvents } from './business-events.js';

/** Begins the events of a business whose first endpoint is created. */
@Operation(startEvents)
export class StartEvents {
  constructor(private readonly events: BusinessEvents) {}

  async handle(request: RequestOf<typeof startEvents>): Promise<ReplyOf<typeof startEvents>> {
    return { business: await this.events.start(request.business_id, actorOf(request.person_id)) };
  }
}
