import { Injectable } from '@nestjs/common';
import {
  type CustomerInput,
  type CustomerSnapshot,
  type ErrorCode,
  releaseCustomer,
  resolveCustomer,
} from '@pinkas/contracts';
import {
  continuedContext,
  InjectLogger,
  type Logger,
  Peers,
  Problem,
  withContext,
} from '@pinkas/service-kit';

/** Refusals after which customer holds nothing for the document. */
const refusals: readonly ErrorCode[] = ['customer_not_found', 'customer_identity_conflict'];

/** A document that may be issued, as customer knows it. */
interface Reserver {
  business_id: string;
  document_id: string;
}

/** What issuing asks of customer: the card of a document, and to take it back when the document is not issued. */
@Injectable()
export class CustomerCards {
  constructor(
    private readonly peers: Peers,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /**
   * Finds the card, or reserves a new one in the document's name.
   * @throws Problem `customer_not_found`, `customer_identity_conflict`; `engine_error` when customer does not answer.
   */
  async reserve(reserver: Reserver, customer: CustomerInput): Promise<CustomerSnapshot> {
    try {
      return (await this.peers.ask(resolveCustomer, { ...reserver, customer })).customer;
    } catch (error) {
      // An answer that was late or lost may have reserved all the same.
      if (!(error instanceof Problem) || !refusals.includes(error.code)) this.giveBack(reserver);
      throw error;
    }
  }

  /**
   * Gives back what was reserved, so that the next request need not wait until the reservation ends by itself. Nobody waits
   * for it, and nobody is told when it fails.
   */
  giveBack(reserver: Reserver): void {
    // Of the request's own time nothing may be left.
    const context = continuedContext(releaseCustomer.timeoutMs);
    withContext(context, () => this.peers.ask(releaseCustomer, reserver)).catch((error: unknown) =>
      this.logger.warn(
        { err: error, document_id: reserver.document_id },
        'what was reserved of customer ends by itself',
      ),
    );
  }
}
