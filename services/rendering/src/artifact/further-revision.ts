import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { type Database, InjectDatabase, ofBusiness, type Transaction } from '@pinkas/service-kit';
import type { Shown } from '../document/sheet.js';
import { LogoShelf } from '../logo/logo-shelf.js';
import {
  type DocumentKey,
  insertRevision,
  isDelivered,
  type Revision,
  revisionsOf,
} from './artifact.repository.js';
import type { RenderingTables } from './artifact.tables.js';
import { ArtifactPress, type PrintedArtifact } from './artifact-press.js';
import { type News, nextOutput } from './next-output.js';

/** An event, or a request, that brings news of a document. */
interface NewsBearer {
  readonly document: IssuedDocument;
  readonly business: Business;
}

/** What stands in the table after the news. */
interface Outcome {
  readonly latest: Revision;
  /** Whether `latest` was made for these news. */
  readonly made: boolean;
  /** Whether a revision was announced before. */
  readonly announced: boolean;
}

/** Something else happened to a document while its next revision was printed; the news have to be handled anew. */
export class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** The key of a document in this service. */
export function keyOf(document: IssuedDocument): DocumentKey {
  return { business_id: document.business_id, document_id: document.id };
}

/**
 * Makes the next revision of a document that something happened to, in two steps: it is printed outside of any
 * transaction, since that takes a thousand times a statement's time, and stored if it is then still what has to be printed.
 */
@Injectable()
export class FurtherRevision {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly press: ArtifactPress,
    private readonly logos: LogoShelf,
  ) {}

  /** @returns null where the latest revision shows the news already. */
  async print({ document, business }: NewsBearer, news: News): Promise<PrintedArtifact | null> {
    const db = ofBusiness(this.db, document.business_id);
    const { next } = await this.#known(db, document, news);
    if (!next) return null;
    return this.press.print({ document, business, logo: await this.logos.logoOf(business), ...next });
  }

  /**
   * Stores what was printed.
   * @throws OvertakenError when the news have to be handled anew.
   */
  async store(
    trx: Transaction<RenderingTables>,
    bearer: NewsBearer,
    news: News,
    printed: PrintedArtifact | null,
  ): Promise<Outcome> {
    const { document } = bearer;
    const { revisions, latest, next } = await this.#known(trx, document, news, { forUpdate: true });
    const announced = revisions.some((revision) => revision.announced_at !== null);
    if (!isDeepStrictEqual(printed?.shows ?? null, next)) {
      throw new OvertakenError(`document ${document.id} has changed while its next revision was printed`);
    }
    if (!printed) return { latest, made: false, announced };
    const revision = latest.revision + 1;
    const request_sha256 = createHash('sha256').update(JSON.stringify(bearer)).digest();
    const parts = { revision, request_sha256, printed, confirmed: true };
    // Without a row of its own to lock, the key of the table decides between two that are stored at once.
    if (!(await insertRevision(trx, keyOf(document), parts))) {
      throw new OvertakenError(`revision ${revision} of document ${document.id} was made meanwhile`);
    }
    const stored = (await revisionsOf(trx, keyOf(document))).at(-1) ?? latest;
    return { latest: stored, made: true, announced };
  }

  async #known(
    db: Database<RenderingTables>,
    document: IssuedDocument,
    news: News,
    options: { forUpdate?: boolean } = {},
  ): Promise<{ revisions: Revision[]; latest: Revision; next: Shown | null }> {
    const revisions = await revisionsOf(db, keyOf(document), options);
    const latest = revisions.at(-1);
    if (!latest) throw new Error(`document ${document.id} has no artifact`);
    const next = nextOutput(latest, await isDelivered(db, keyOf(document)), news);
    return { revisions, latest, next };
  }
}
