import { type ReplyOf, type RequestOf, reviewDocuments, reviewNotes } from '@pinkas/contracts';
import { sum, toShekels } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { readNoted } from '../document/settlement.repository.js';

/** Counts what a person should look at in a book. */
@Operation(reviewDocuments)
export class ReviewDocuments {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({ business_id }: RequestOf<typeof reviewDocuments>): Promise<ReplyOf<typeof reviewDocuments>> {
    const noted = await readNoted(forTenant(this.db, business_id), business_id);
    return {
      notes: reviewNotes.flatMap((note) => {
        const documents = noted.get(note) ?? [];
        const amounts = documents.flatMap(({ amount }) => amount ?? []);
        return documents.length === 0
          ? []
          : [
              {
                note,
                documents: documents.length,
                amount: amounts.length === 0 ? null : toShekels(sum(amounts)),
              },
            ];
      }),
    };
  }
}
