import { auditCustomers, cardDetails, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { findConfirmedCards } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

/** Lists what the cards of the customers of documents have, for verifying the book. */
@Operation(auditCustomers)
export class AuditCustomers {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle({
    business_id,
    documents,
  }: RequestOf<typeof auditCustomers>): Promise<ReplyOf<typeof auditCustomers>> {
    const ids = documents.map(({ customer_id }) => customer_id);
    const cards = await findConfirmedCards(forTenant(this.db, business_id), business_id, ids);
    const byId = new Map(cards.map((card) => [card.id, card]));
    return {
      documents: documents.map(({ document_id, customer_id }) => {
        const card = byId.get(customer_id.toLowerCase());
        const known = (name: (typeof cardDetails)[number]) =>
          card && (card[name] !== null || card.removed_details.includes(name));
        return { document_id, details: card ? cardDetails.filter(known) : null };
      }),
    };
  }
}
