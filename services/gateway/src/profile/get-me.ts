import { getMe, getUsage, type Profile } from '@pinkas/contracts';
import { Peers } from '@pinkas/service-kit';
import { type Call, HttpRoute, type Reply } from '../http/http-route.js';
import { presentProfile } from './present-profile.js';

/** The business, its limits and the key that asks. */
@HttpRoute(getMe)
export class GetMe {
  constructor(private readonly peers: Peers) {}

  async handle({ caller }: Call): Promise<Reply<Profile>> {
    const usage = await this.peers.ask(getUsage, {
      business_id: caller.business.id,
      key_id: caller.key.id,
    });
    return { body: presentProfile(caller, usage.used_today) };
  }
}
