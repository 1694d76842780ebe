import {
  type ApiEvent,
  type EventQuery,
  getEvents,
  listEvents,
  type ValidationError,
} from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { Principal } from '../api-key/api-key.repository.js';
import { BusinessEvents } from '../business/business-events.js';
import type { GatewayConfig } from '../config.js';
import { type Filled, HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { ListCursors } from './cursor.js';

/** What happened, in the order of commits. The first call of a business begins its events. */
@HttpRoute(getEvents)
export class GetEvents {
  readonly #cursors: ListCursors;

  constructor(
    private readonly rpc: RpcClient,
    private readonly events: BusinessEvents,
    @InjectConfig() config: Pick<GatewayConfig, 'apiKeyPepper' | 'previousApiKeyPepper'>,
  ) {
    this.#cursors = new ListCursors(config, 'events');
  }

  queryErrors(query: Readonly<Record<string, unknown>>, { business }: Principal): ValidationError[] {
    return this.#cursors.errors(business.id, query);
  }

  async handle({
    principal: { business, key },
    query,
  }: RouteRequest<unknown, Filled<EventQuery, 'limit'>>): Promise<
    RouteReply<{ data: ApiEvent[]; next_cursor: string }>
  > {
    if (!business.events) {
      await this.events.start(business.id, `key:${key.id}`);
    }
    const { type, document_id, limit } = query;
    const page = await this.rpc.call(listEvents, {
      business_id: business.id,
      ...(type && { types: type }),
      ...(document_id && { document_id }),
      limit,
      after: this.#cursors.read(business.id, query) ?? 0,
    });
    return {
      body: {
        data: page.events.map((text) => JSON.parse(text) as ApiEvent),
        next_cursor: this.#cursors.write(business.id, query, page.next_after),
      },
    };
  }
}
