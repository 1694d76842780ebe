import { endConnection, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Operation,
  OutboxRelay,
} from '@pinkas/service-kit';
import { deleteConnection, lockConnectionChanges } from '../authority/connection.repository.js';
import { publishConnectionEvent } from '../authority/connection-events.js';
import { connectionFacts } from '../authority/connection-state.js';
import type { AllocationTables } from '../db/allocation.tables.js';

/**
 * Deletes the tokens of a business, and the request for a connection that is being made. A renewal in flight holds the row: its
 * tokens are deleted after it. Documents whose number is pending then await the next connection.
 */
@Operation(endConnection)
export class EndConnection {
  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly relay: OutboxRelay,
  ) {}

  async handle({
    business_id,
    person_id,
  }: RequestOf<typeof endConnection>): Promise<ReplyOf<typeof endConnection>> {
    const ended = await this.relay.transaction(forTenant(this.db, business_id), async (trx) => {
      await lockConnectionChanges(trx, business_id);
      const { connection, request } = await deleteConnection(trx, business_id);
      if (connection || request) {
        await appendAudit(trx, {
          business_id,
          action: 'connection.end',
          subject: business_id,
          actor: actorOf(person_id),
          before: connectionFacts(connection),
          after: null,
        });
      }
      if (connection && connection.warning !== 'ended') {
        await publishConnectionEvent(trx, business_id, null, this.clock.now());
      }
      return connection !== undefined;
    });
    if (ended) {
      this.logger.info({ business_id }, 'tax authority connection deleted');
    }
    return { ended };
  }
}
