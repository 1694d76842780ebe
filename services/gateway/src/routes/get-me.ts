import { getMe, getUsage, type Profile } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { toProfile } from './to-profile.js';

/** The business, its limits and the key of the request. */
@HttpRoute(getMe)
export class GetMe {
  constructor(private readonly rpc: RpcClient) {}

  async handle({ principal }: RouteRequest): Promise<RouteReply<Profile>> {
    const usage = await this.rpc.call(getUsage, {
      business_id: principal.business.id,
      key_id: principal.key.id,
    });
    return { body: toProfile(principal, usage.used_today) };
  }
}
