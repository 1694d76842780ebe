import { type ApiEvent, fromEventId, getEvent, getEventById } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';

/** One event of the business of the key. */
@HttpRoute(getEventById)
export class GetEventById {
  constructor(private readonly rpc: RpcClient) {}

  async handle({ principal, params: { event_id = '' } }: RouteRequest): Promise<RouteReply<ApiEvent>> {
    const { event } = await this.rpc.call(getEvent, {
      business_id: principal.business.id,
      event_id: fromEventId(event_id),
    });
    return { body: JSON.parse(event) as ApiEvent };
  }
}
