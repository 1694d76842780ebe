import { checkHeads, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { verifyDetached } from '../signature/verify-signature.js';

/** Verifies the signature of a statement, from the database or from a file outside. */
@Operation(checkHeads)
export class CheckHeads {
  async handle(request: RequestOf<typeof checkHeads>): Promise<ReplyOf<typeof checkHeads>> {
    const { statement, signature, certificate_sha256 } = request;
    const at = timeOf(statement);
    if (at === null) {
      return { finding: 'it is no statement' };
    }
    const certificate = Buffer.from(certificate_sha256, 'hex');
    return {
      finding: verifyDetached(Buffer.from(statement), Buffer.from(signature, 'base64'), certificate, at),
    };
  }
}

function timeOf(statement: string): Date | null {
  try {
    const at = new Date((JSON.parse(statement) as { at: string }).at);
    return Number.isNaN(at.getTime()) ? null : at;
  } catch {
    return null;
  }
}
