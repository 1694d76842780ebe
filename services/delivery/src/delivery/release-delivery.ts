import { artifactRendered, type EventOf } from '@pinkas/contracts';
import { type Clock, Consumer, InjectClock, type Transaction } from '@pinkas/service-kit';
import { release } from './delivery.repository.js';
import type { DeliveryTables } from './delivery.tables.js';
import { SendMessages } from './send-messages.js';

/** The final PDF is there: what waited for it may leave. */
@Consumer(artifactRendered, 'delivery-release')
export class ReleaseDelivery {
  constructor(
    @InjectClock() private readonly clock: Clock,
    private readonly worker: SendMessages,
  ) {}

  async handle(event: EventOf<typeof artifactRendered>, trx: Transaction<DeliveryTables>): Promise<boolean> {
    const key = { business_id: event.business_id, document_id: event.document_id };
    return release(trx, key, event.revision, this.clock.now());
  }

  committed(_event: unknown, released: boolean): void {
    if (released) this.worker.nudge();
  }
}
