import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { getArtifact, releaseArtifact } from '@pinkas/contracts';
import { ApiError, InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from './delivery.tables.js';

/** The final PDF that a message brings. */
export interface MessagePdf {
  readonly bytes: Buffer;
  readonly revision: number;
  /** The number that it shows; null: none. */
  readonly allocationNumber: string | null;
  /** Whether it states that the report of its donation was cancelled. */
  readonly reportCancelled: boolean;
}

/** The final PDF of a message, or why there is none now. */
export type FetchedArtifact =
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
      const { pdf, sha256, cancelled, revision, allocation_number, report_cancelled } = await this.rpc.call(
        contract,
        {
          business_id,
          document_id,
          artifact_sha256: row.facts.document.artifact_sha256,
        },
      );
      // Rendering may have received the cancellation earlier.
      if (cancelled && row.reminder === null) {
        return { kind: 'cancelled' };
      }
      const bytes = Buffer.from(pdf, 'base64');
      if (createHash('sha256').update(bytes).digest('hex') === sha256) {
        const reportCancelled = report_cancelled === true;
        return {
          kind: 'fetched',
          pdf: { bytes, revision, allocationNumber: allocation_number, reportCancelled },
        };
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
