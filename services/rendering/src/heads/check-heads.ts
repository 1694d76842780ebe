import { checkHeads, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { RenderingTables } from '../artifact/artifact.tables.js';
import { Signers } from '../signature/signers.js';
import { verifyDetached } from '../signature/verify-signature.js';
import { storedCertificates } from './heads.repository.js';

type Checked = ReplyOf<typeof checkHeads>;

/** Verifies the signature of a statement and its time-stamp, from the database or from a file outside. */
@Operation(checkHeads)
export class CheckHeads {
  constructor(
    @InjectDatabase() private readonly db: Database<RenderingTables>,
    private readonly signers: Signers,
  ) {}

  async handle(request: RequestOf<typeof checkHeads>): Promise<Checked> {
    const stored = await storedCertificates(this.db);
    const isStored = (purpose: string, sha256: string | undefined) =>
      stored.some((row) => row.purpose === purpose && row.sha256.toString('hex') === sha256);
    const { finding, timestamp } = verify(request);
    return {
      finding,
      certificate: this.#originOf(request.certificate_sha256, isStored),
      timestamp: timestamp && {
        at: timestamp.at.toISOString(),
        certificates: [...timestamp.certificates],
        known: isStored('timestamp', timestamp.certificates[0]),
      },
    };
  }

  #originOf(sha256: string, isStored: (purpose: string, sha256: string) => boolean): Checked['certificate'] {
    if (this.signers.operator.certificate.fingerprint.toString('hex') === sha256) {
      return 'configured';
    }
    return isStored('statement', sha256) ? 'stored' : 'unknown';
  }
}

function verify({ statement, signature, certificate_sha256 }: RequestOf<typeof checkHeads>) {
  const at = timeOf(statement);
  if (at === null) {
    return { finding: 'it is no statement', timestamp: null };
  }
  const certificate = Buffer.from(certificate_sha256, 'hex');
  const verified = verifyDetached(Buffer.from(statement), Buffer.from(signature, 'base64'), certificate, at);
  return { finding: verified.reason, timestamp: verified.timestamp };
}

function timeOf(statement: string): Date | null {
  try {
    const at = new Date((JSON.parse(statement) as { at: string }).at);
    return Number.isNaN(at.getTime()) ? null : at;
  } catch {
    return null;
  }
}
