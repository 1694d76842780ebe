import { Injectable } from '@nestjs/common';
import { getDocument } from '@pinkas/contracts';
import { settlementOf, toShekels } from '@pinkas/domain';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from './delivery.tables.js';

/** Asks issuing what is left to pay of documents: a message may leave long after the issue. */
@Injectable()
export class MessageBalances {
  constructor(
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Never throws: a message without the balance is better than none.
   * @returns ILS; null where the document asks for no payment, undefined where issuing does not answer.
   */
  async fetch(row: DeliveryRow): Promise<number | null | undefined> {
    const { business_id, document_id, channel, facts } = row;
    if (channel !== 'email' || facts.document.due_date === null) {
      return null;
    }
    try {
      const { document, state } = await this.rpc.call(getDocument, {
        business_id,
        document_id,
        detailed: true,
      });
      const { balance } = settlementOf(document, state);
      return balance === null ? null : toShekels(balance);
    } catch (error) {
      this.logger.warn({ delivery_id: row.id, err: error }, 'balance fetch failed');
      return undefined;
    }
  }
}
