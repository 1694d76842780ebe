import { type CustomerList, type CustomerQuery, getCustomers, searchCustomers } from '@pinkas/contracts';
import { Peers } from '@pinkas/service-kit';
import { type Call, type Filled, HttpRoute, type Reply } from '../http/http-route.js';

/** The customers of the business whose name contains a text, or who bear it as tax id. */
@HttpRoute(getCustomers)
export class GetCustomers {
  constructor(private readonly peers: Peers) {}

  async handle({
    caller,
    query,
  }: Call<unknown, Filled<CustomerQuery, 'limit'>>): Promise<Reply<CustomerList>> {
    const text = query.q?.trim() ?? '';
    const { customers } = await this.peers.ask(searchCustomers, {
      business_id: caller.business.id,
      query: text === '' ? null : text,
      limit: query.limit,
    });
    return { body: { data: customers } };
  }
}
