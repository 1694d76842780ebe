import { Controller } from '@nestjs/common';
import { findArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { modeOfBook } from '@pinkas/domain';
import { acrossTenants, type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../db/artifact.tables.js';
import { signedEndsOf, storedCertificates } from '../heads/heads.repository.js';
import { Signers } from '../signature/signers.js';
import { artifactOf, artifactWithHash, type FoundArtifact } from './find-artifact.repository.js';

type Reply = ReplyOf<typeof findArtifact>;

/** Finds a PDF by its hash, in all books: who has the file may know whose it is. */
@Controller()
export class FindArtifact {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly signers: Signers,
  ) {}

  @Operation(findArtifact)
  async find({ sha256s, document, certificates }: RequestOf<typeof findArtifact>): Promise<Reply> {
    const db = acrossTenants(this.db);
    const row = document ? await artifactOf(db, document) : await this.#withHash(db, sha256s);
    const stored = await storedCertificates(db);
    return {
      found: row
        ? { ...foundOf(row, this.signers), signed_ends: await signedEndsOf(db, row.business_id) }
        : null,
      known: certificates.flatMap((sha256) => {
        const bytes = Buffer.from(sha256, 'hex');
        const hasSigned = stored.some((item) => item.purpose === 'statement' && item.sha256.equals(bytes));
        const ofFound = row?.certificate_sha256.equals(bytes) ? modeOfBook(row.business_id) : null;
        const mode = this.signers.modeOf(bytes) ?? ofFound ?? (hasSigned ? ('live' as const) : null);
        return mode === null ? [] : [{ sha256, mode, revoked_at: this.#revokedAt(bytes) }];
      }),
    };
  }

  async #withHash(
    db: Database<RenderingTables>,
    sha256s: readonly string[],
  ): Promise<FoundArtifact | undefined> {
    const rows = await artifactWithHash(
      db,
      sha256s.map((sha256) => Buffer.from(sha256, 'hex')),
    );
    return sha256s.flatMap((sha256) => rows.filter((row) => row.sha256.toString('hex') === sha256)).at(0);
  }

  #revokedAt(certificate: Buffer): string | null {
    return this.signers.revokedAt(certificate)?.toISOString() ?? null;
  }
}

const foundOf = (row: FoundArtifact, signers: Signers) => ({
  business_id: row.business_id,
  document_id: row.document_id,
  sha256: row.sha256.toString('hex'),
  revision: row.revision,
  latest_revision: row.latest_revision,
  certificate_sha256: row.certificate_sha256.toString('hex'),
  revoked_at: signers.revokedAt(row.certificate_sha256)?.toISOString() ?? null,
});
