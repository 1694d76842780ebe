import { toShekels } from '@pinkas/domain';
import { actorOf, appendAudit, type Transaction } from '@pinkas/service-kit';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import type { SetOffEffect } from './source-document.js';

/** Stores what an act sets against documents. */
export async function storeSetOffs(
  trx: Transaction<IssuingTables>,
  act: { business_id: string; id: string; account_id: string; person_id: string | undefined; at: Date },
  setOffs: readonly SetOffEffect[],
): Promise<void> {
  const { business_id, id, account_id, at } = act;
  await trx
    .insertInto('set_off')
    .values(
      setOffs.map(({ document_id, amount }) => ({
        ...{ business_id, id, document_id, account_id, set_at: at },
        amount: toShekels(amount).toFixed(2),
        person_id: act.person_id ?? null,
        removed_at: null,
      })),
    )
    .execute();
}

/** What is set off, or no longer is, is in the trail of each document. */
export async function recordSetOffs(
  trx: Transaction<IssuingTables>,
  act: {
    readonly business_id: string;
    readonly documents: ReadonlyMap<string, DocumentRow>;
    readonly person_id: string | undefined;
    readonly isRemoved: boolean;
    /** The number of the receipt that it was issued with. */
    readonly receipt?: number;
  },
  setOffs: readonly SetOffEffect[],
): Promise<void> {
  for (const { document_id, amount } of setOffs) {
    const fact = {
      type: act.documents.get(document_id)?.type,
      number: act.documents.get(document_id)?.number,
      set_off: toShekels(amount).toFixed(2),
      ...(act.receipt !== undefined && { receipt: act.receipt }),
    };
    await appendAudit(trx, {
      business_id: act.business_id,
      action: act.isRemoved ? 'document.set_off_removed' : 'document.set_off',
      subject: document_id,
      actor: actorOf(act.person_id),
      before: act.isRemoved ? fact : null,
      after: act.isRemoved ? null : fact,
    });
  }
}
