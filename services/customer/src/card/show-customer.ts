import { type ReplyOf, type RequestOf, showCustomer } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findConfirmedCards, toDetails } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

/** Shows the card of one customer, with all that is stored of it. */
@Operation(showCustomer)
export class ShowCustomer {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle({
    business_id,
    customer_id,
  }: RequestOf<typeof showCustomer>): Promise<ReplyOf<typeof showCustomer>> {
    const [card] = await findConfirmedCards(forTenant(this.db, business_id), business_id, [customer_id]);
    if (!card) {
      throw new ApiError('customer_not_found');
    }
    return { customer: toDetails(card) };
  }
}
