import { Injectable } from '@nestjs/common';
import { type Business, checkRecipient } from '@pinkas/contracts';
import { addressesToCheck, type RecipientCheck } from '@pinkas/domain/delivery';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { UnnumberedDocument } from './draft.js';

/** Assumed of a customer's addresses where delivery has not answered, or need not be called. */
const uncheckedRecipient: RecipientCheck = { suppressed: [], whatsapp_configured: true };

/** Asks delivery what prevents the message of a document. */
@Injectable()
export class RecipientChecks {
  constructor(
    private readonly rpc: RpcClient,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Never rejects: no document waits for delivery to come back. A document that nobody is sent is not checked. */
  async check(document: UnnumberedDocument, business: Business): Promise<RecipientCheck> {
    const addresses = addressesToCheck(document, business);
    if (addresses.length === 0) {
      return uncheckedRecipient;
    }
    try {
      return await this.rpc.call(checkRecipient, { business_id: business.id, addresses });
    } catch (error) {
      this.logger.warn({ err: error, document_id: document.id }, 'recipient check failed');
      return uncheckedRecipient;
    }
  }
}
