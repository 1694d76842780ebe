import { type ReplyOf, type RequestOf, searchCustomers } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { nameKey, parseTaxId } from './card.js';
import type { CustomerTables } from './card.tables.js';
import { findByNameOrTaxId, listCustomers } from './card-search.repository.js';

/** Finds customers by a part of their name or by tax id; a blank query lists all. */
@Operation(searchCustomers)
export class SearchCustomers {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle({
    business_id,
    query,
    limit,
  }: RequestOf<typeof searchCustomers>): Promise<ReplyOf<typeof searchCustomers>> {
    const db = forTenant(this.db, business_id);
    const part = nameKey(query ?? '');
    const customers =
      part === ''
        ? await listCustomers(db, business_id, limit)
        : await findByNameOrTaxId(db, business_id, { part, taxId: parseTaxId(part) }, limit);
    return { customers };
  }
}
