import { type ReplyOf, type RequestOf, rotateEndpointSecret } from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import {
  auditEndpoint,
  changeEndpoint,
  findEndpoint,
  toEndpoint,
  withEndpoint,
} from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** How long the secret before signs as well. */
const overlapMs = 24 * 60 * 60 * 1_000;

/** Gives an endpoint another secret, for an operator or an owner. */
@Operation(rotateEndpointSecret)
export class RotateEndpointSecret {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly secrets: EndpointSecrets,
  ) {}

  async handle(
    request: RequestOf<typeof rotateEndpointSecret>,
  ): Promise<ReplyOf<typeof rotateEndpointSecret>> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + overlapMs);
    const secret = await withEndpoint(this.db, request, async (trx, endpoint) => {
      const created = this.secrets.create(endpoint);
      await changeEndpoint(trx, endpoint, {
        secret: created.encrypted,
        previous_secret: endpoint.secret,
        previous_secret_until: until,
      });
      const after = { previous_secret_until: until.toISOString() };
      await auditEndpoint(trx, endpoint, 'rotate', actorOf(request.person_id), null, after);
      return created.secret;
    });
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), now), secret };
  }
}
