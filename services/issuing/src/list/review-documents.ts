import { type ReplyOf, type RequestOf, reviewDocuments, reviewNotes } from '@pinkas/contracts';
import { addDays, dayInIsrael, sum, toShekels } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import {
  countWithoutBuyerId,
  readNoted,
  sumUndeductible,
  sumUnreportedDonations,
} from '../document/settlement.repository.js';

/** Invoices of about a quarter: VAT of older ones was reported, and nothing can be done about them. */
const buyerIdDays = 92;

/** Counts what a person should look at in a book. */
@Operation(reviewDocuments)
export class ReviewDocuments {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ business_id }: RequestOf<typeof reviewDocuments>): Promise<ReplyOf<typeof reviewDocuments>> {
    const db = forTenant(this.db, business_id);
    const from = addDays(dayInIsrael(this.clock.now()), -buyerIdDays);
    const noted = await readNoted(db, business_id);
    const undeductible = await sumUndeductible(db, business_id);
    const withoutBuyerId = await countWithoutBuyerId(db, business_id, from);
    const unreported = await sumUnreportedDonations(db, business_id);
    return {
      notes: reviewNotes.flatMap((note): ReplyOf<typeof reviewDocuments>['notes'] => {
        if (note === 'number_missing') {
          return undeductible.documents === 0 ? [] : [{ note, ...undeductible }];
        }
        const documents = noted.get(note) ?? [];
        const amounts = documents.flatMap(({ amount }) => amount ?? []);
        const amount = amounts.length === 0 ? null : toShekels(sum(amounts));
        return documents.length === 0 ? [] : [{ note, documents: documents.length, amount }];
      }),
      ...(withoutBuyerId.documents > 0 && { without_buyer_id: { ...withoutBuyerId, from } }),
      ...(unreported.documents > 0 && { unreported_donations: unreported }),
    };
  }
}
