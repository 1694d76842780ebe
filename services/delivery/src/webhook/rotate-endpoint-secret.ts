import { type ReplyOf, type RequestOf, rotateEndpointSecret } from '@pinkas/contracts';
import {
  actorOf,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { DeliveryTables } from '../delivery/delivery.tables.js';
import {
  auditEndpoint,
  changeEndpoint,
  findEndpoint,
  lockEndpoint,
  toEndpoint,
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
    const key = await findEndpoint(this.db, request);
    const now = this.clock.now();
    const { secret, encrypted } = this.secrets.create(key);
    const until = new Date(now.getTime() + overlapMs);
    await forTenant(this.db, key.business_id)
      .transaction()
      .execute(async (trx) => {
        const before = await lockEndpoint(trx, key);
        await changeEndpoint(trx, key, {
          secret: encrypted,
          previous_secret: before.secret,
          previous_secret_until: until,
        });
        const after = { previous_secret_until: until.toISOString() };
        await auditEndpoint(trx, key, 'rotate', actorOf(request.person_id), null, after);
      });
    return { endpoint: toEndpoint(await findEndpoint(this.db, request), now), secret };
  }
}
