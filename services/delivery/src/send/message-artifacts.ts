import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getArtifact, releaseArtifact } from '@pinkas/contracts';
import { ApiError, InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from '../db/delivery.tables.js';

/** The final PDF that a message brings. */
export interface MessagePdf {
  readonly bytes: Buffer;
  readonly revision: number;
  /** The number that it shows; null: none. */
  readonly allocationNumber: string | null;
  /** Whether it states that the report of its donation was cancelled. */
  readonly reportCancelled: boolean;
  /** Whether it states that no input VAT is deducted by it. */
  readonly notDeductible: boolean;
}

/** The final PDF of a message, or why there is none now. */
type FetchedArtifact =
  | { readonly kind: 'fetched'; readonly pdf: MessagePdf }
  | { readonly kind: 'cancelled' }
  /** Rendering cannot be asked now. */
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fetches PDFs from rendering. */
@Injectable()
export class MessageArtifacts {
  constructor(
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Fetching the customer's PDF releases it: from then on rendering makes copies only. A reminder brings none, and may be about other
   * documents than one that is cancelled. Never throws.
   */
  async fetch(row: DeliveryRow): Promise<FetchedArtifact> {
    try {
      const { business_id, document_id } = row;
      const contract = row.purpose === 'customer' && row.reminder === null ? releaseArtifact : getArtifact;
      const found = await this.rpc.call(contract, {
        business_id,
        document_id,
        artifact_sha256: row.facts.document.artifact_sha256,
      });
      // Rendering may have received the cancellation earlier.
      if (found.cancelled && row.reminder === null) {
        return { kind: 'cancelled' };
      }
      const bytes = Buffer.from(found.pdf, 'base64');
      if (createHash('sha256').update(bytes).digest('hex') === found.sha256) {
        const pdf = {
          bytes,
          revision: found.revision,
          allocationNumber: found.allocation_number,
          reportCancelled: found.report_cancelled === true,
          notDeductible: found.not_deductible === true,
        };
        return { kind: 'fetched', pdf };
      }
      return { kind: 'failed', reason: 'The PDF does not have the hash that it was stored with.' };
    } catch (error) {
      this.logger.warn({ delivery_id: row.id, err: error }, 'artifact fetch failed');
      if (error instanceof ApiError && error.code === 'engine_error') {
        return { kind: 'unavailable' };
      }
      return { kind: 'failed', reason: 'The PDF could not be fetched.' };
    }
  }
}
