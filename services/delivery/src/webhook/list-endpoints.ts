import { listEndpoints, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import { endpointsOf, toEndpoint } from './endpoint.repository.js';

/** Lists the endpoints of a book. */
@Operation(listEndpoints)
export class ListEndpoints {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ business_id }: RequestOf<typeof listEndpoints>): Promise<ReplyOf<typeof listEndpoints>> {
    const rows = await endpointsOf(forTenant(this.db, business_id), business_id);
    const now = this.clock.now();
    return { endpoints: rows.map((row) => toEndpoint(row, now)) };
  }
}
