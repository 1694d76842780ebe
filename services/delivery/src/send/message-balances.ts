import { Injectable } from '@nestjs/common';
import { type Debt, getDocument, listDebts } from '@pinkas/contracts';
import { type Agorot, fromShekels, settlementOf, sum, toShekels } from '@pinkas/domain';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import type { DeliveryRow } from '../db/delivery.tables.js';

/** A reminder is about some of the first that are due: fewer are before them when it is sent. */
const openDocumentsMax = 100;

/** The debts of which a reminder asks for payment. */
export interface RemindedDebts {
  readonly debts: readonly Debt[];
  /** ILS: what the customer has on account, which is taken from what is asked for. */
  readonly onAccount: number;
}

/** What is left of them after the money on account, in agorot. */
export const askedFor = ({ debts, onAccount }: RemindedDebts): Agorot =>
  sum(debts.map(({ balance }) => fromShekels(balance))) - fromShekels(onAccount);

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
  async fetchOpen({ id, business_id, reminder }: DeliveryRow): Promise<RemindedDebts | undefined> {
    if (reminder === null || reminder.statement) {
      return { debts: [], onAccount: 0 };
    }
    try {
      const { customer_id, document_ids } = reminder;
      const { debts, on_account } = await this.rpc.call(listDebts, {
        business_id,
        customer_id,
        limit: openDocumentsMax,
        after: null,
      });
      const asked = debts.filter(({ document }) => document_ids.includes(document.id));
      return { debts: asked, onAccount: Math.max(0, on_account ?? 0) };
    } catch (error) {
      this.logger.warn({ delivery_id: id, err: error }, 'open documents fetch failed');
      return undefined;
    }
  }
}
