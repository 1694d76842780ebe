import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import { createEndpoint, endpointsMax, type ReplyOf, type RequestOf, startEvents } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  advisoryLock,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  Operation,
  RpcClient,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import {
  appendEndpointEntry,
  endpointsOf,
  findEndpoint,
  insertEndpoint,
  toEndpoint,
} from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { endpointUrlError } from './endpoint-url.js';

/** Creates an endpoint of webhooks, for an operator or an owner. */
@Controller()
export class CreateEndpoint {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: DeliveryConfig,
    private readonly rpc: RpcClient,
    private readonly secrets: EndpointSecrets,
  ) {}

  @Operation(createEndpoint)
  async handle(request: RequestOf<typeof createEndpoint>): Promise<ReplyOf<typeof createEndpoint>> {
    const { business_id, url, types = null, description = null, person_id } = request;
    const error = endpointUrlError(url, this.config);
    if (error !== null) {
      throw ApiError.invalid([{ path: '/url', message: error }]);
    }
    // First: what is issued from now on has events. Without the endpoint they are only listed.
    await this.rpc.call(startEvents, { business_id, ...(person_id !== undefined && { person_id }) });
    const key = { business_id, id: randomUUID() };
    const { secret, encrypted } = this.secrets.create(key);
    const now = this.clock.now();
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        await advisoryLock(trx, business_id);
        if ((await endpointsOf(trx, business_id)).length >= endpointsMax) {
          throw ApiError.invalid([{ path: '', message: `a book has at most ${endpointsMax} endpoints` }]);
        }
        await insertEndpoint(trx, {
          ...key,
          url: new URL(url).href,
          types: types && [...types],
          description,
          secret: encrypted,
          created_at: now,
        });
        await appendEndpointEntry(trx, key, 'create', actorOf(person_id), null, { url, types, description });
      });
    const endpoint = await findEndpoint(this.db, { endpoint_id: key.id, business_id });
    return { endpoint: toEndpoint(endpoint, now), secret };
  }
}
