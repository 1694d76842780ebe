import { type ReplyOf, type RequestOf, showEndpoint } from '@pinkas/contracts';
import { type Clock, type Database, InjectClock, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import { findEndpoint, toEndpoint } from './endpoint.repository.js';

/** Shows one endpoint. */
@Operation(showEndpoint)
export class ShowEndpoint {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(request: RequestOf<typeof showEndpoint>): Promise<ReplyOf<typeof showEndpoint>> {
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), this.clock.now()) };
  }
}
