import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Business, IssuedDocument } from '@pinkas/contracts';
import { mayBeEmptied } from '@pinkas/domain';
import { type Database, forTenant, InjectDatabase, type Transaction } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import type { RevisionContent } from '../document/sheet.js';
import { LogoStore } from '../logo/logo.repository.js';
import { PdfService } from '../print/pdf-service.js';
import {
  insertRevision,
  isReleased,
  keyOf,
  type PlacedArtifact,
  type Revision,
  revisionsOf,
} from '../store/artifact.repository.js';
import { ArtifactFiles } from '../store/artifact-files.js';
import { type DocumentChange, nextRevision } from './revision-policy.js';

/** An event or a request that changes a document. */
interface ChangedDocument {
  readonly document: IssuedDocument;
  readonly business: Business;
}

/** The rows of the table after the change. */
interface StoredRevision {
  /** SHA-256 of the PDF that was made when the document was issued. */
  readonly firstSha256: Buffer;
  readonly latest: Revision;
  /** Whether `latest` was created for this change. */
  readonly created: boolean;
  /** Whether a revision was published before. */
  readonly publishedBefore: boolean;
}

/** The document changed while its next revision was rendered; the change has to be handled again. */
export class StaleRevisionError extends Error {
  override readonly name = 'StaleRevisionError';
}

/**
 * Makes the next revision of a document. It is rendered, and its file placed, outside of any transaction, since that takes a
 * thousand times as long as a statement, and stored if it is still the next one.
 */
@Injectable()
export class NextRevision {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly pdfs: PdfService,
    private readonly files: ArtifactFiles,
    private readonly logos: LogoStore,
  ) {}

  /** Whether the book of a document was emptied since: then there is nothing to do. */
  async isCleared(
    document: IssuedDocument,
    db: Database<RenderingTables> = forTenant(this.db, document.business_id),
  ): Promise<boolean> {
    return mayBeEmptied(document.business_id) && (await revisionsOf(db, keyOf(document))).length === 0;
  }

  /** @returns null where the latest revision shows the change already. */
  async render(
    { document, business }: ChangedDocument,
    change: DocumentChange,
  ): Promise<PlacedArtifact | null> {
    const db = forTenant(this.db, document.business_id);
    const { next } = await this.#load(db, document, change);
    if (!next) {
      return null;
    }
    const logo = await this.logos.findLogo(business);
    const rendered = await this.pdfs.render({ document, business, logo, ...next });
    return this.files.place(keyOf(document), rendered);
  }

  /**
   * Stores what was rendered.
   * @throws StaleRevisionError when the change has to be handled again.
   */
  async store(
    trx: Transaction<RenderingTables>,
    source: ChangedDocument,
    change: DocumentChange,
    rendered: PlacedArtifact | null,
  ): Promise<StoredRevision> {
    const { document } = source;
    const { revisions, latest, next } = await this.#load(trx, document, change, { forUpdate: true });
    const firstSha256 = (revisions[0] ?? latest).sha256;
    const publishedBefore = revisions.some((revision) => revision.published_at !== null);
    if (!isDeepStrictEqual(rendered?.content ?? null, next)) {
      throw new StaleRevisionError(`document ${document.id} changed while its next revision was rendered`);
    }
    if (!rendered) {
      return { firstSha256, latest, created: false, publishedBefore };
    }
    const stored = await insertAfter(trx, latest, source, rendered);
    return { firstSha256, latest: stored, created: true, publishedBefore };
  }

  async #load(
    db: Database<RenderingTables>,
    document: IssuedDocument,
    change: DocumentChange,
    options: { forUpdate?: boolean } = {},
  ): Promise<{ revisions: Revision[]; latest: Revision; next: RevisionContent | null }> {
    const revisions = await revisionsOf(db, keyOf(document), options);
    const latest = revisions.at(-1);
    if (!latest) {
      throw new Error(`document ${document.id} has no artifact`);
    }
    // Only what a next revision says depends on a release, not whether there is one.
    const isNeeded = nextRevision(latest, false, change) !== null;
    const next = isNeeded ? nextRevision(latest, await isReleased(db, keyOf(document)), change) : null;
    return { revisions, latest, next };
  }
}

async function insertAfter(
  trx: Transaction<RenderingTables>,
  latest: Revision,
  source: ChangedDocument,
  rendered: PlacedArtifact,
): Promise<Revision> {
  const key = keyOf(source.document);
  const revision = latest.revision + 1;
  const request_sha256 = createHash('sha256').update(JSON.stringify(source)).digest();
  // The new row cannot be locked before it exists: the primary key decides between two concurrent inserts.
  if (!(await insertRevision(trx, key, { revision, request_sha256, attempt: null, rendered }))) {
    throw new StaleRevisionError(
      `revision ${revision} of document ${key.document_id} was stored concurrently`,
    );
  }
  return (await revisionsOf(trx, key)).at(-1) ?? latest;
}
