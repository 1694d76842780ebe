import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller } from '@nestjs/common';
import {
  type CheckedHeads,
  checkHeads,
  type ReplyOf,
  type RequestOf,
  type SignedHeads,
} from '@pinkas/contracts';
import { verifyDetached } from '@pinkas/pdf';
import { type Database, InjectDatabase, Operation } from '@pinkas/service-kit';
import type { HeadsTables } from '../db/heads.tables.js';
import { Signers } from '../signature/signers.js';
import { storedCertificates } from './heads.repository.js';

/** How a certificate is known to rendering by its purpose and its SHA-256 in hex. */
type IsStored = (purpose: string, sha256: string | undefined) => boolean;

/** Verifies the signatures of statements and their time-stamps, from the database or from a file outside. */
@Controller()
export class CheckHeads {
  constructor(
    @InjectDatabase() private readonly db: Database<HeadsTables>,
    private readonly signers: Signers,
  ) {}

  @Operation(checkHeads)
  async handle({ statements }: RequestOf<typeof checkHeads>): Promise<ReplyOf<typeof checkHeads>> {
    const stored = await storedCertificates(this.db);
    const isStored: IsStored = (purpose, sha256) =>
      stored.some((row) => row.purpose === purpose && row.sha256.toString('hex') === sha256);
    const checked: CheckedHeads[] = [];
    for (const signed of statements) {
      checked.push(this.#check(signed, isStored));
      // A page takes a second at most, in which documents are rendered as well.
      await nextTurn();
    }
    return { checked };
  }

  #check(signed: SignedHeads, isStored: IsStored): CheckedHeads {
    const { finding, timestamp } = verify(signed);
    return {
      finding,
      certificate: this.#originOf(signed.certificate_sha256, isStored),
      timestamp: timestamp && {
        at: timestamp.at.toISOString(),
        certificates: [...timestamp.certificates],
        known: isStored('timestamp', timestamp.certificates[0]),
      },
    };
  }

  #originOf(sha256: string, isStored: IsStored): CheckedHeads['certificate'] {
    if (this.signers.operator.certificate.fingerprint.toString('hex') === sha256) {
      return 'configured';
    }
    return isStored('statement', sha256) ? 'stored' : 'unknown';
  }
}

function verify({ statement, signature, certificate_sha256 }: SignedHeads) {
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
