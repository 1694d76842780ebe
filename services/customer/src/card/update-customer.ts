import { malformedTexts, type ReplyOf, type RequestOf, updateCustomer } from '@pinkas/contracts';
import {
  ApiError,
  actorOf,
  appendAudit,
  type Database,
  forTenant,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import { nonBlank } from './card.js';
import {
  type CardRow,
  type ContactDetails,
  lockCard,
  toDetails,
  updateContactDetails,
} from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

const contactDetails = [
  'email',
  'phone',
  'address',
  'city',
] as const satisfies readonly (keyof ContactDetails)[];

/** Corrects the contact details of a card, for the documents that are issued from now on. */
@Operation(updateCustomer)
export class UpdateCustomer {
  constructor(@InjectDatabase() private readonly db: Database<CustomerTables>) {}

  async handle(request: RequestOf<typeof updateCustomer>): Promise<ReplyOf<typeof updateCustomer>> {
    const { business_id, customer_id, change, person_id } = request;
    const errors = malformedTexts({ change });
    if (errors.length > 0) {
      throw ApiError.invalid(errors);
    }
    return forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const card = await lockCard(trx, { business_id, id: customer_id });
        if (!card || card.confirmed_at === null) {
          throw new ApiError('customer_not_found');
        }
        const changed = changedDetails(card, change);
        const names = contactDetails.filter((name) => changed[name] !== undefined);
        if (names.length === 0) {
          return { customer: toDetails(card) };
        }
        await updateContactDetails(trx, card, changed);
        await appendAudit(trx, {
          business_id,
          action: 'customer.update',
          subject: card.id,
          actor: actorOf(person_id),
          before: Object.fromEntries(names.map((name) => [name, card[name]])),
          after: changed,
        });
        return { customer: toDetails({ ...card, ...changed }) };
      });
  }
}

/** The details that differ from those of the card; null: it is removed. */
function changedDetails(card: CardRow, change: Partial<ContactDetails>): Partial<ContactDetails> {
  return Object.fromEntries(
    contactDetails.flatMap((name) => {
      const value = change[name];
      const normalised = nonBlank(value ?? undefined);
      return value === undefined || normalised === card[name] ? [] : [[name, normalised]];
    }),
  );
}
