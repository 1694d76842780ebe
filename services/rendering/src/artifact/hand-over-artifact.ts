import { handOverArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Problem,
} from '@pinkas/service-kit';
import { noteDelivered, revisionsOf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { latestSignedPdf } from './signed-pdf.js';

/**
 * Gives the PDF that goes to the customer, and remembers that it does.
 *
 * At most one output that says 'מקור' may reach the customer, while a number that comes late may make a new original as
 * long as none has. Both questions, which revision leaves and what the next one says, are therefore decided here, one after
 * the other under the lock of the document's revisions: a revision that is stored before is the one that leaves, and one that
 * is stored after is a copy. An event of the delivery could not decide it, since between the handing over and the hearing
 * of it a second original could be stored, and the PDF's address would show it.
 *
 * What is remembered is that the PDF may have left, before it does: a message that is then not sent, or not taken, costs
 * the customer no more than the word 'העתק' on a later revision. The accountant's PDF is none that the law speaks of: it
 * stays with the business, and is read with `getArtifact`.
 */
@Operation(handOverArtifact)
export class HandOverArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(key: RequestOf<typeof handOverArtifact>): Promise<ReplyOf<typeof handOverArtifact>> {
    return ofBusiness(this.db, key.business_id)
      .transaction()
      .execute(async (trx) => {
        const revisions = await revisionsOf(trx, key, { forUpdate: true });
        if (revisions.length === 0) throw new Problem('not_found');
        await noteDelivered(trx, key, this.clock.now());
        // Looked up only now: one that was stored while the lock was waited for is not among `revisions`.
        return latestSignedPdf(trx, key);
      });
  }
}
