import { type CustomerList, type CustomerQuery, getCustomers, searchCustomers } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { type Filled, HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';

/** The customers of the business whose name contains a text, or whose tax id equals it. */
@HttpRoute(getCustomers)
export class GetCustomers {
  constructor(private readonly rpc: RpcClient) {}

  async handle({
    principal,
    query,
  }: RouteRequest<unknown, Filled<CustomerQuery, 'limit'>>): Promise<RouteReply<CustomerList>> {
    const text = query.q?.trim() ?? '';
    const { customers } = await this.rpc.call(searchCustomers, {
      business_id: principal.business.id,
      query: text === '' ? null : text,
      limit: query.limit,
    });
    return { body: { data: customers } };
  }
}
