import { Controller } from '@nestjs/common';
import { addWithheld, listWithheld, type ReplyOf, type RequestOf, removeWithheld } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  pageOf,
  type Transaction,
} from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import { findSetOffs } from '../document/set-off.repository.js';
import { listWithheldOf } from '../document/withheld.repository.js';
import { leftToPayOf, refusedAt, setOffEffects } from './set-off-rules.js';
import { lockedDocuments, removeByAct, settleByAct } from './settle-account.js';

/** Tax that customers withhold at source: it settles documents as set-offs do, and is credited to the account of the customer. */
@Controller()
export class WithheldOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<IssuingTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @Operation(addWithheld)
  add(request: RequestOf<typeof addWithheld>): Promise<ReplyOf<typeof addWithheld>> {
    const { business_id, withheld_on } = request;
    if (withheld_on > dayInIsrael(this.clock.now())) {
      throw refusedAt('/withheld_on', 'is after today');
    }
    return forTenant(this.db, business_id)
      .transaction()
      .execute((trx) => this.#addIn(trx, request));
  }

  @Operation(removeWithheld)
  async remove(request: RequestOf<typeof removeWithheld>): Promise<ReplyOf<typeof removeWithheld>> {
    const { business_id, person_id } = request;
    const [id, document_id] = [request.withheld_id.toLowerCase(), request.document_id.toLowerCase()];
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const documents = await lockedDocuments(trx, business_id, [document_id]);
        if (documents.get(document_id)?.status === 'cancelled') {
          throw refusedAt('/document_id', 'is cancelled');
        }
        const act = { business_id, id, document_id, person_id, at: this.clock.now() };
        await removeByAct(trx, { ...act, kind: 'withheld' }, documents);
      });
    return {};
  }

  /** Lists what customers have withheld, customer by customer. */
  @Operation(listWithheld)
  async list(request: RequestOf<typeof listWithheld>): Promise<ReplyOf<typeof listWithheld>> {
    const { business_id, limit, ...range } = request;
    const found = await listWithheldOf(forTenant(this.db, business_id), business_id, range, limit + 1);
    const { page, last } = pageOf(found, limit);
    return {
      withheld: page,
      next_after: last
        ? {
            ...{ customer_id: last.customer.id, withheld_on: last.withheld_on },
            ...{ withheld_id: last.withheld_id, document_id: last.document.id },
          }
        : null,
    };
  }

  async #addIn(
    trx: Transaction<IssuingTables>,
    request: RequestOf<typeof addWithheld>,
  ): Promise<ReplyOf<typeof addWithheld>> {
    const { amount, business_id, confirmation, person_id, withheld_on } = request;
    const [document_id, id] = [request.document_id.toLowerCase(), request.withheld_id.toLowerCase()];
    // The same form may have been sent twice at once: the second waits here, and finds what the first has done.
    const documents = await lockedDocuments(trx, business_id, [document_id]);
    const document = documents.get(document_id);
    if (!document) {
      throw new ApiError('not_found');
    }
    const [known] = await findSetOffs(trx, business_id, id);
    if (known) {
      if (known.kind !== 'withheld' || known.document_id !== document_id) {
        throw refusedAt('/withheld_id', 'is the id of another act');
      }
      return {};
    }
    const effects = setOffEffects([{ document_id, amount }], {
      ...{ kind: 'withheld', path: '/amount', left: leftToPayOf(documents), isMeant: () => true },
    });
    const { account_id } = document;
    const withheld = { on: withheld_on, confirmation };
    const act = { business_id, id, account_id, person_id, at: this.clock.now(), withheld };
    await settleByAct(trx, act, documents, effects);
    return {};
  }
}
