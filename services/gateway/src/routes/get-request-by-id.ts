import { type FullRequest, getRequestById, type LoggedRequest } from '@pinkas/contracts';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
} from '@pinkas/service-kit';
import type { Principal } from '../api-key/api-key.repository.js';
import type { GatewayTables } from '../db/gateway.tables.js';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { findRequests } from '../request-log/request-log.repository.js';
import { masked } from '../request-log/request-operations.js';
import { oldestKept, RequestRecorder } from '../request-log/request-recorder.js';

/** One request of the key. */
@HttpRoute(getRequestById)
export class GetRequestById {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly recorder: RequestRecorder,
  ) {}

  async handle({ principal, params: { request_id = '' } }: RouteRequest): Promise<RouteReply<LoggedRequest>> {
    let found = await this.#find(principal, request_id);
    if (!found) {
      // It may have been answered within the last second.
      await this.recorder.flush();
      found = await this.#find(principal, request_id);
    }
    if (!found) {
      throw new ApiError('not_found');
    }
    const { id: _id, business_id: _book, key_id: _key, body, ...request } = masked(found);
    return { body: { ...request, ...(body !== null && { body: JSON.parse(body) }) } };
  }

  /** The latest with this id. */
  async #find({ business, key }: Principal, requestId: string): Promise<FullRequest | undefined> {
    const db = forTenant(this.db, business.id);
    const filter = { business_id: business.id, key_id: key.id };
    return (await findRequests(db, requestId, oldestKept(this.clock.now()), filter))[0];
  }
}
