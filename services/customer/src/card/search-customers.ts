import { type ReplyOf, type RequestOf, searchCustomers } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness } from '@pinkas/service-kit';
import { nameKey, taxIdIn } from './card.js';
import type { CustomerTables } from './card.tables.js';
import { findByNameOrTaxId, listCustomers } from './card-search.repository.js';

/** Customers by a part of their name, or by tax id; a text of white space only asks for all. */
@Operation(searchCustomers)
export class SearchCustomers {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle({
    business_id,
    query,
    limit,
  }: RequestOf<typeof searchCustomers>): Promise<ReplyOf<typeof searchCustomers>> {
    const db = ofBusiness(this.db, business_id);
    const part = nameKey(query ?? '');
    const customers =
      part === ''
        ? await listCustomers(db, business_id, limit)
        : await findByNameOrTaxId(db, business_id, { part, taxId: taxIdIn(part) }, limit);
    return { customers };
  }
}
