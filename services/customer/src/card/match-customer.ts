import { matchCustomer, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { ApiError, type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { snapshotOf } from './card.js';
import { type CardRow, findOtherByTaxId } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { findNamedCard, newTaxId } from './named-card.js';

/** A card that is not opened: what a new customer has. */
const newCard = { tax_id: null, legal_type: null, email: null, phone: null, address: null, city: null };

/** Finds the card that a document would be issued to, and reserves nothing. */
@Operation(matchCustomer)
export class MatchCustomer {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle({
    business_id,
    customer,
  }: RequestOf<typeof matchCustomer>): Promise<ReplyOf<typeof matchCustomer>> {
    const db = forTenant(this.db, business_id);
    const card = await findNamedCard(db, business_id, customer);
    const taxId = newTaxId(card ?? newCard, customer);
    if (taxId !== null && customer.identity_confirmed !== true) {
      const existing = await findOtherByTaxId(db, { business_id, id: card?.id ?? null }, taxId);
      if (existing !== undefined) {
        throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: existing } });
      }
    }
    return { customer: shownCustomer(card, customer), matched_by: matchOf(card, customer) };
  }
}

type Input = RequestOf<typeof matchCustomer>['customer'];

function shownCustomer(card: CardRow | undefined, customer: Input) {
  return card
    ? snapshotOf(card, customer)
    : { ...snapshotOf({ ...newCard, id: '', name: customer.name ?? '' }, customer), id: null };
}

function matchOf(card: CardRow | undefined, customer: Input): 'id' | 'name' | null {
  if (!card) {
    return null;
  }
  return customer.id === undefined ? 'name' : 'id';
}
