import { ApiError, type Transaction } from '@pinkas/service-kit';
import { agorotOf } from '../document/amounts.js';
import { addToDebtSums, debtChanges } from '../document/debt-sums.js';
import { type DocumentRow, lockByIds } from '../document/document.repository.js';
import type { IssuingTables, SetOffKind } from '../document/document.tables.js';
import { lockOnAccount, markRemoved } from '../document/set-off.repository.js';
import { recordSetOffs, storeSetOffs, type WithheldFacts } from './record-set-offs.js';
import { type SetOffEffect, settleSources } from './source-document.js';

type Trx = Transaction<IssuingTables>;
type Documents = ReadonlyMap<string, DocumentRow>;

/** Documents that an act settles, locked before all else, in the order of issuing: then the trail, the book, the sums. */
export async function lockedDocuments(
  trx: Trx,
  businessId: string,
  ids: readonly string[],
): Promise<Documents> {
  const rows = await lockByIds(trx, businessId, ids, false);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Settles locked documents by an act of its own, as a receipt that pays nothing else would.
 * @returns what the account had beyond its open documents before, in agorot: the caller may still refuse.
 */
export async function settleByAct(
  trx: Trx,
  act: {
    readonly business_id: string;
    readonly id: string;
    readonly account_id: string;
    readonly person_id: string | undefined;
    readonly at: Date;
    readonly withheld?: WithheldFacts;
  },
  documents: Documents,
  effects: readonly SetOffEffect[],
): Promise<bigint> {
  const debts = await settle(trx, act.business_id, documents, effects);
  await storeSetOffs(trx, { ...act, documents }, effects);
  await recordSetOffs(trx, { ...act, documents, isRemoved: false }, effects);
  const onAccount = await lockOnAccount(trx, act.business_id, act.account_id);
  await addToDebtSums(debtChanges(debts)).execute(trx);
  return onAccount;
}

/** Removes what an act has set against a locked document. @throws ApiError `not_found` also where it was removed before. */
export async function removeByAct(
  trx: Trx,
  act: {
    readonly business_id: string;
    readonly id: string;
    readonly document_id: string;
    readonly kind: SetOffKind;
    readonly person_id: string | undefined;
    readonly at: Date;
  },
  documents: Documents,
): Promise<void> {
  const { business_id, document_id, kind, person_id } = act;
  const removed = await markRemoved(trx, act, act.at);
  if (!removed) {
    throw new ApiError('not_found');
  }
  const taken = { document_id, kind, amount: agorotOf(removed.amount) };
  const debts = await settle(trx, business_id, documents, [{ ...taken, amount: -taken.amount }]);
  const { confirmation_number: number, confirmation_date: date } = removed;
  const confirmation = { ...(number !== null && { number }), ...(date !== null && { date }) };
  const withheld =
    removed.withheld_on === null ? {} : { withheld: { on: removed.withheld_on, confirmation } };
  await recordSetOffs(trx, { business_id, documents, person_id, isRemoved: true, ...withheld }, [taken]);
  await lockOnAccount(trx, business_id, removed.account_id);
  await addToDebtSums(debtChanges(debts)).execute(trx);
}

async function settle(trx: Trx, business_id: string, documents: Documents, setOffs: readonly SetOffEffect[]) {
  const effects = { source_id: null, total: 0n, paid: 0n, setOffs };
  return (await settleSources(trx, { business_id, type: 'receipt' }, documents, [effects])).debts;
}
