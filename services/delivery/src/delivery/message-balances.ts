import { Injectable } from '@nestjs/common';
import { type Debt, getDocument, listDebts } from '@pinkas/contracts';
import { settlementOf, toShekels } from '@pinkas/domain';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from '../db/delivery.tables.js';

/** A reminder is about some of the first that are due: fewer are before them when it is sent. */
const openDocumentsMax = 100;

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
    const { business_id, document_id, channel, facts, reminder } = row;
    if (reminder !== null || channel !== 'email' || facts.document.due_date === null) {
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

  /**
   * What is left to pay of the documents that a reminder is about: some may have been paid since a person wrote it. Never throws.
   * @returns undefined where issuing does not answer.
   */
  async fetchOpen({ id, business_id, reminder }: DeliveryRow): Promise<Debt[] | undefined> {
    if (reminder === null || reminder.statement) {
      return [];
    }
    try {
      const { customer_id, document_ids } = reminder;
      const { debts } = await this.rpc.call(listDebts, {
        business_id,
        customer_id,
        limit: openDocumentsMax,
        after: null,
      });
      return debts.filter(({ document }) => document_ids.includes(document.id));
    } catch (error) {
      this.logger.warn({ delivery_id: id, err: error }, 'open documents fetch failed');
      return undefined;
    }
  }
}
