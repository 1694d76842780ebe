import { cancelArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import { confirm, revisionsOf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { FurtherRevision, keyOf, OvertakenError } from './further-revision.js';
import { latestSignedPdf } from './signed-pdf.js';

/** Each time, somebody else stored a revision between the printing and the storing; there are few who could. */
const triesMax = 3;

/**
 * Makes the revision that says that its document is cancelled, for a visitor who comes before the event was heard
 * (`NoteCancellation`), or after it was given up. Whichever of them comes second finds the work done.
 */
@Operation(cancelArtifact)
export class CancelArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly further: FurtherRevision,
  ) {}

  async handle(request: RequestOf<typeof cancelArtifact>): Promise<ReplyOf<typeof cancelArtifact>> {
    const key = keyOf(request.document);
    const db = ofBusiness(this.db, key.business_id);
    if ((await revisionsOf(db, key)).length === 0) throw new Problem('not_found');
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#make(db, request);
        return await latestSignedPdf(db, key);
      } catch (error) {
        if (!(error instanceof OvertakenError)) throw error;
        if (tries === triesMax) throw new Problem('document_generation_failed', { cause: error });
      }
    }
  }

  async #make(db: Database<RenderingTables>, request: RequestOf<typeof cancelArtifact>): Promise<void> {
    const news = { cancelledAt: request.cancelled_at };
    const printed = await this.further.print(request, news);
    await db.transaction().execute(async (trx) => {
      await this.further.store(trx, request, news, printed);
      // Whoever says that a document was cancelled has it from the book.
      await confirm(trx, keyOf(request.document));
    });
  }
}
