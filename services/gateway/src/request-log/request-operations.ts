import { Controller } from '@nestjs/common';
import {
  type FullRequest,
  listRequests,
  openRequest,
  type ReplyOf,
  type RequestOf,
  showRequest,
} from '@pinkas/contracts';
import {
  ApiError,
  acrossTenants,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { GatewayTables } from '../db/gateway.tables.js';
import { maskBody, maskPath } from './kept-body.js';
import { countOfDay, findRequests, listRequestsOf } from './request-log.repository.js';
import { dayOf, oldestKept } from './request-recorder.js';

/** A request as everybody may see it who may read the log. */
export function masked({ body, errors, ...request }: FullRequest): FullRequest {
  return {
    ...request,
    errors: errors.map((error) => ({ ...error, path: maskPath(error.path) })),
    body: body === null ? null : JSON.stringify(maskBody(JSON.parse(body))),
  };
}

/** The log of requests, for people. */
@Controller()
export class RequestOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<GatewayTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @Operation(listRequests)
  async list(request: RequestOf<typeof listRequests>): Promise<ReplyOf<typeof listRequests>> {
    const db = forTenant(this.db, request.business_id);
    const now = this.clock.now();
    const [page, today] = await Promise.all([
      listRequestsOf(db, request, oldestKept(now)),
      countOfDay(db, request.business_id, dayOf(now)),
    ]);
    return { ...page, today };
  }

  @Operation(showRequest)
  async show({
    business_id,
    request_id,
  }: RequestOf<typeof showRequest>): Promise<ReplyOf<typeof showRequest>> {
    // The operator names a request, not its book.
    const db = business_id === undefined ? acrossTenants(this.db) : forTenant(this.db, business_id);
    return { requests: (await this.#find(db, request_id, business_id)).map(masked) };
  }

  /** The same, with what may be personal; the trail has who opened it. */
  @Operation(openRequest)
  async open(request: RequestOf<typeof openRequest>): Promise<ReplyOf<typeof openRequest>> {
    const { business_id, request_id, person_id } = request;
    return forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const requests = await this.#find(trx, request_id, business_id);
        await appendTrail(trx, {
          business_id,
          action: 'request.open',
          subject: request_id.toLowerCase(),
          actor: actorOf(person_id),
          before: null,
          after: null,
        });
        return { requests };
      });
  }

  async #find(
    db: Database<GatewayTables>,
    requestId: string,
    businessId: string | undefined,
  ): Promise<FullRequest[]> {
    const requests = await findRequests(db, requestId, oldestKept(this.clock.now()), {
      business_id: businessId,
    });
    if (requests.length === 0) {
      throw new ApiError('not_found');
    }
    return requests;
  }
}
