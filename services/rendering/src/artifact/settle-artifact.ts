import { createHash } from 'node:crypto';
import { allocationSettled, artifactRendered, type EventOf } from '@pinkas/contracts';
import { announce, Consumer, type Database, InjectDatabase, type Transaction } from '@pinkas/service-kit';
import { confirm, insertRevision, markAnnounced, revisionsOf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { ArtifactPress, type PrintedArtifact } from './artifact-press.js';

type Settled = EventOf<typeof allocationSettled>;

/**
 * Decides which PDF the customer gets, once the question of the allocation number has its answer: the first one, or a new
 * revision that bears the number. The number may also come long after; then the new revision follows the announced one.
 */
@Consumer(allocationSettled, 'rendering-settle-artifact')
export class SettleArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly press: ArtifactPress,
  ) {}

  /** Prints the revision with the number, outside any transaction: printing takes a thousand times a statement's time. */
  async prepare({ document, business, allocation }: Settled): Promise<PrintedArtifact | null> {
    if (allocation.number === null) return null;
    const key = { business_id: document.business_id, document_id: document.id };
    const revisions = await revisionsOf(this.db, key);
    if (revisions.some((revision) => revision.allocation_number === allocation.number)) return null;
    return this.press.print({
      document,
      business,
      allocationNumber: allocation.number,
      cancelledAt: null,
      // Before any revision left the house, the one with the number is the original; after that it is a copy.
      output: revisions.some((revision) => revision.announced_at !== null) ? 'copy' : 'original',
    });
  }

  async handle(
    event: Settled,
    trx: Transaction<RenderingTables>,
    printed: PrintedArtifact | null,
  ): Promise<void> {
    const { document, allocation } = event;
    const key = { business_id: document.business_id, document_id: document.id };
    const revisions = await revisionsOf(trx, key, { forUpdate: true });
    let latest = revisions.at(-1);
    if (!latest) throw new Error(`document ${document.id} has no artifact`);
    if (printed && latest.allocation_number !== allocation.number) {
      // Two answers for one document are handled at once: the word on the print was chosen before the other was announced.
      if (printed.output === 'original' && revisions.some((revision) => revision.announced_at !== null)) {
        throw new Error(
          `document ${document.id} was announced while its next revision was printed as the original`,
        );
      }
      const revision = latest.revision + 1;
      const request_sha256 = createHash('sha256').update(JSON.stringify(event)).digest();
      const stored = await insertRevision(trx, key, {
        revision,
        request_sha256,
        allocation_number: allocation.number,
        printed,
        confirmed: true,
      });
      if (!stored) throw new Error(`revision ${revision} of document ${document.id} was made meanwhile`);
      latest = {
        revision,
        request_sha256,
        sha256: printed.sha256,
        size_bytes: printed.pdf.length,
        allocation_number: allocation.number,
        confirmed_at: null,
        announced_at: null,
      };
    }
    if (latest.announced_at !== null) return;
    await markAnnounced(trx, key, latest.revision);
    // The first one was passed over for one with the number; it is kept all the same.
    if (latest.revision > 1) await confirm(trx, key);
    await announce(trx, artifactRendered, document.id, {
      ...key,
      revision: latest.revision,
      sha256: latest.sha256.toString('hex'),
      allocation_number: latest.allocation_number,
    });
  }
}
