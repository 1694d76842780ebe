import { createHash } from 'node:crypto';
import { type ReplyOf, type RequestOf, renderArtifact } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation, ofBusiness, Problem } from '@pinkas/service-kit';
import { LogoShelf } from '../logo/logo-shelf.js';
import { deleteUnconfirmed, insertRevision, revisionsOf } from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { ArtifactPress } from './artifact-press.js';

/**
 * Prints, signs and stores the first PDF of a document that is being issued. The asker holds the series' lock meanwhile, so
 * the common way is one printing and one statement. Asked again for the same, it answers what is stored already.
 */
@Operation(renderArtifact)
export class RenderArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly press: ArtifactPress,
    private readonly logos: LogoShelf,
  ) {}

  async handle(request: RequestOf<typeof renderArtifact>): Promise<ReplyOf<typeof renderArtifact>> {
    const { document, business } = request;
    const key = { business_id: document.business_id, document_id: document.id };
    const db = ofBusiness(this.db, key.business_id);
    const printed = await this.press.print({
      document,
      business,
      allocationNumber: null,
      cancelledAt: null,
      output: 'original',
      logo: await this.logos.logoOf(business),
    });
    const requestSha256 = createHash('sha256').update(JSON.stringify(request)).digest();
    const first = {
      revision: 1,
      request_sha256: requestSha256,
      printed,
      confirmed: false,
    };
    const measured = { revision: 1, render_ms: printed.renderMs, sign_ms: printed.signMs };
    const made = {
      ...measured,
      sha256: printed.sha256.toString('hex'),
      size_bytes: printed.pdf.length,
    };
    if (await insertRevision(db, key, first)) return made;
    return db.transaction().execute(async (trx) => {
      // What another request left of this document, and nobody confirmed, gives way; what is confirmed stays.
      await deleteUnconfirmed(trx, key, { exceptRequest: requestSha256 });
      if (await insertRevision(trx, key, first)) return made;
      const stored = (await revisionsOf(trx, key))[0];
      if (!stored?.request_sha256.equals(requestSha256)) {
        throw new Problem('document_generation_failed', {
          cause: new Error(`document ${document.id} has an artifact of other facts, and it is final`),
        });
      }
      return { ...measured, sha256: stored.sha256.toString('hex'), size_bytes: stored.size_bytes };
    });
  }
}
