import { Controller } from '@nestjs/common';
import { addSetOff, type ReplyOf, type RequestOf, removeSetOff } from '@pinkas/contracts';
import { toShekels } from '@pinkas/domain';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  type Transaction,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { findSetOffs, onAccountOf } from '../document/set-off.repository.js';
import { checkOnAccount, leftToPayOf, refusedAt, setOffEffects } from './set-off-rules.js';
import { lockedDocuments, removeByAct, settleByAct } from './settle-account.js';

/** Sets money on account against documents. */
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
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const documents = await lockedDocuments(trx, business_id, [document_id]);
        const act = { business_id, id, document_id, person_id, at: this.clock.now() };
        await removeByAct(trx, { ...act, kind: 'credit' }, documents);
      });
    return {};
  }

  async #addIn(
    trx: Transaction<IssuingTables>,
    request: RequestOf<typeof addSetOff>,
  ): Promise<ReplyOf<typeof addSetOff>> {
    const { amounts, business_id, person_id } = request;
    const [account_id, id] = [request.customer_id.toLowerCase(), request.set_off_id.toLowerCase()];
    const ids = amounts.map(({ document_id }) => document_id.toLowerCase());
    // The same form may have been sent twice at once: the second waits here, and finds what the first has done.
    const documents = await lockedDocuments(trx, business_id, ids);
    const known = await findSetOffs(trx, business_id, id);
    if (known.length > 0) {
      const isSame = known.every(
        (row) => row.kind === 'credit' && row.account_id === account_id && ids.includes(row.document_id),
      );
      if (!isSame) {
        throw refusedAt('/set_off_id', 'is the id of another act');
      }
      return { on_account: toShekels(await onAccountOf(trx, business_id, account_id)) };
    }
    const effects = setOffEffects(amounts, {
      ...{ kind: 'credit', path: '/amounts', left: leftToPayOf(documents) },
      isMeant: (document_id) => documents.get(document_id)?.account_id === account_id,
    });
    const act = { business_id, id, account_id, person_id, at: this.clock.now() };
    const onAccount = await settleByAct(trx, act, documents, effects);
    checkOnAccount(effects, onAccount);
    return { on_account: toShekels(effects.reduce((left, { amount }) => left - amount, onAccount)) };
  }
}
