import { Injectable } from '@nestjs/common';
import {
  type CustomerInput,
  type ErrorCode,
  type ReplyOf,
  releaseCustomer,
  resolveCustomer,
} from '@pinkas/contracts';
import {
  ApiError,
  continuedContext,
  InjectLogger,
  type Logger,
  RpcClient,
  withContext,
} from '@pinkas/service-kit';

/** Errors after which customer has reserved nothing for the document. */
const nothingReserved: readonly ErrorCode[] = ['customer_not_found', 'customer_identity_conflict'];

/** The document that a card is reserved for. */
interface Reserver {
  business_id: string;
  document_id: string;
}

/** Reserves the customer's card of a document, and releases it when the document is not issued. */
@Injectable()
export class CustomerCards {
  constructor(
    private readonly rpc: RpcClient,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * Finds the card, or reserves a new one for the document.
   * @throws ApiError `customer_not_found`, `customer_identity_conflict`; `engine_error` when customer does not answer.
   */
  async reserve(reserver: Reserver, customer: CustomerInput): Promise<ReplyOf<typeof resolveCustomer>> {
    try {
      return await this.rpc.call(resolveCustomer, { ...reserver, customer });
    } catch (error) {
      // A reply that was late or lost may have reserved all the same.
      if (!(error instanceof ApiError) || !nothingReserved.includes(error.code)) {
        this.release(reserver);
      }
      throw error;
    }
  }

  /** Releases the reservation in the background, so that the next request need not wait for its expiry. A failure is only logged. */
  release(reserver: Reserver): void {
    // The request may have no time left.
    const context = continuedContext(releaseCustomer.timeoutMs);
    withContext(context, () => this.rpc.call(releaseCustomer, reserver)).catch((error: unknown) =>
      this.logger.warn({ err: error, document_id: reserver.document_id }, 'reservation release failed'),
    );
  }
}
