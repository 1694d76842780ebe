import { Controller } from '@nestjs/common';
import { addSetOff, type ReplyOf, type RequestOf, removeSetOff } from '@pinkas/contracts';
import { fromShekels, toShekels } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import { addToDebtSums, debtChanges } from '../document/debt-sums.js';
import { lockByIds } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { findSetOffs, lockOnAccount, markRemoved, onAccountOf } from '../document/set-off.repository.js';
import { recordSetOffs, storeSetOffs } from './record-set-offs.js';
import { checkOnAccount, setOffEffects } from './set-off-rules.js';
import { type SetOffEffect, settleSources } from './source-document.js';

type Trx = Transaction<IssuingTables>;

/**
 * Sets money on account against documents. Locks are taken in the order of issuing: the documents by their ids, the trail, the book,
 * the sums.
 */
@Controller()
export class SetOffOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @Operation(addSetOff)
  add(request: RequestOf<typeof addSetOff>): Promise<ReplyOf<typeof addSetOff>> {
    const { business_id } = request;
    return forTenant(this.db, business_id)
      .transaction()
      .execute((trx) => this.#addIn(trx, request));
  }

  @Operation(removeSetOff)
  async remove(request: RequestOf<typeof removeSetOff>): Promise<ReplyOf<typeof removeSetOff>> {
    const { business_id, person_id } = request;
    const [id, document_id] = [request.set_off_id.toLowerCase(), request.document_id.toLowerCase()];
    return forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const documents = await lockedDocuments(trx, business_id, [document_id]);
        const removed = await markRemoved(trx, { business_id, id, document_id }, this.clock.now());
        if (!removed) {
          throw new ApiError('not_found');
        }
        const taken = { document_id, amount: fromShekels(Number(removed.amount)) };
        const { debts } = await settle(trx, business_id, documents, [{ ...taken, amount: -taken.amount }]);
        await recordSetOffs(trx, { business_id, documents, person_id, isRemoved: true }, [taken]);
        await lockOnAccount(trx, business_id, removed.account_id);
        await addToDebtSums(debtChanges(debts)).execute(trx);
        return {};
      });
  }

  async #addIn(trx: Trx, request: RequestOf<typeof addSetOff>): Promise<ReplyOf<typeof addSetOff>> {
    const { amounts, business_id, person_id } = request;
    const [account_id, id] = [request.customer_id.toLowerCase(), request.set_off_id.toLowerCase()];
    const ids = amounts.map(({ document_id }) => document_id.toLowerCase());
    // The same form may have been sent twice at once: the second waits here, and finds what the first has done.
    const documents = await lockedDocuments(trx, business_id, ids);
    const known = await findSetOffs(trx, business_id, id);
    if (known.length > 0) {
      if (known.some((row) => row.account_id !== account_id || !ids.includes(row.document_id))) {
        throw ApiError.invalid([{ path: '/set_off_id', message: 'is the id of another act' }]);
      }
      return { on_account: toShekels(await onAccountOf(trx, business_id, account_id)) };
    }
    const effects = setOffEffects(amounts, account_id, documents);
    const { debts } = await settle(trx, business_id, documents, effects);
    await storeSetOffs(trx, { business_id, id, account_id, person_id, at: this.clock.now() }, effects);
    await recordSetOffs(trx, { business_id, documents, person_id, isRemoved: false }, effects);
    const onAccount = await lockOnAccount(trx, business_id, account_id);
    checkOnAccount(effects, onAccount);
    await addToDebtSums(debtChanges(debts)).execute(trx);
    return { on_account: toShekels(effects.reduce((left, { amount }) => left - amount, onAccount)) };
  }
}

async function lockedDocuments(trx: Trx, businessId: string, ids: readonly string[]) {
  const rows = await lockByIds(trx, businessId, ids, false);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Changes what is set against locked documents, as a receipt that pays nothing else would. */
function settle(
  trx: Trx,
  business_id: string,
  documents: Parameters<typeof settleSources>[2],
  setOffs: readonly SetOffEffect[],
) {
  const effects = { source_id: null, total: 0n, paid: 0n, setOffs };
  return settleSources(trx, { business_id, type: 'receipt' }, documents, [effects]);
}
