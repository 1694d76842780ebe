import { type ReplyOf, type RequestOf, searchCustomers } from '@pinkas/contracts';
import { nameKey } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { parseTaxId } from './card.js';
import type { CustomerTables } from './card.tables.js';
import { findCustomers, listCustomers, type SearchTerm } from './card-search.repository.js';

/** Finds customers by a part of their name, by tax id, email address or phone number; a blank query lists all. */
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
        : await findCustomers(db, business_id, termOf(part), limit);
    return { customers };
  }
}

/** At least seven digits, with what people write between them. */
const phonePattern = /^\+?\d(?:[\s()-]*\d){6,14}$/;

const termOf = (part: string): SearchTerm => ({
  part,
  taxId: parseTaxId(part),
  email: part.includes('@') ? part.toLowerCase() : null,
  phone: phonePattern.test(part) ? part : null,
});
