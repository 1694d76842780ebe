import { type EventOf, messageSent } from '@pinkas/contracts';
import { type Clock, Consumer, InjectClock, type Transaction } from '@pinkas/service-kit';
import { noteDelivered } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';

/**
 * Remembers that the customer has a PDF of a document, since its further outputs are copies. The accountant's is none that
 * the law speaks of: it stays with the business.
 */
@Consumer(messageSent, 'rendering-deliveries')
export class NoteDelivery {
  constructor(@InjectClock() private readonly clock: Clock) {}

  async handle(event: EventOf<typeof messageSent>, trx: Transaction<RenderingTables>): Promise<void> {
    if (event.purpose === 'customer') await noteDelivered(trx, event, this.clock.now());
  }
}
