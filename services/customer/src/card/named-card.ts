import type { CustomerInput } from '@pinkas/contracts';
import { normaliseTaxId } from '@pinkas/domain';
import { ApiError, type Database } from '@pinkas/service-kit';
import { type CardRow, findCard, findCustomerByName } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

/**
 * The card that a request names: by its id, or by the name of a customer.
 * @returns undefined where no customer has the name.
 * @throws ApiError `customer_not_found` for an id that no card has.
 */
export async function findNamedCard(
  db: Database<CustomerTables>,
  businessId: string,
  customer: CustomerInput,
): Promise<CardRow | undefined> {
  if (customer.id === undefined) {
    return findCustomerByName(db, businessId, customer.name ?? '');
  }
  const card = await findCard(db, businessId, customer.id);
  if (!card) {
    throw new ApiError('customer_not_found');
  }
  return card;
}

/** The tax id of the request, in nine digits; null where its card has the same. */
export function newTaxId(card: { tax_id: string | null }, customer: CustomerInput): string | null {
  if (customer.tax_id === undefined) {
    return null;
  }
  const taxId = normaliseTaxId(customer.tax_id);
  return taxId === card.tax_id ? null : taxId;
}
