import {
  type CustomerInput,
  normaliseTaxId,
  type ReplyOf,
  type RequestOf,
  resolveCustomer,
} from '@pinkas/contracts';
import {
  type Clock,
  currentContext,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  Problem,
  type Transaction,
} from '@pinkas/service-kit';
import { snapshotOf } from './card.js';
import {
  type CardRow,
  claimTaxId,
  findCustomer,
  findCustomerByName,
  findOtherBearer,
  reserveCard,
} from './card.repository.js';
import type { CustomerTables } from './card.tables.js';

type Request = RequestOf<typeof resolveCustomer>;

/** The longest that a request lives (interface: the issuing call's own deadline), when none came with this call. */
const requestTimeMs = 30_000;
/** How long the event of an issued document may take until its card is written. */
const recordTimeMs = 10_000;

/**
 * Finds the card that a request speaks of, or reserves one for a new name.
 *
 * A reservation is invisible and bears nothing but its name, so that a refused request leaves no customer behind. It lasts
 * a little longer than the request: of two requests at the same moment with one new tax id, one is told of a conflict.
 */
@Operation(resolveCustomer)
export class ResolveCustomer {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle({ business_id, customer }: Request): Promise<ReplyOf<typeof resolveCustomer>> {
    const known = await this.#known(business_id, customer);
    // Most requests name a customer that is there and claim nothing: they need no transaction.
    if (known && !mayConflict(known, customer)) return { customer: snapshotOf(known, customer) };
    const card = await this.db
      .transaction()
      .execute((trx) => this.#reserve(trx, business_id, customer, known));
    return { customer: snapshotOf(card, customer) };
  }

  async #known(businessId: string, customer: CustomerInput): Promise<CardRow | undefined> {
    if (customer.id === undefined) return findCustomerByName(this.db, businessId, customer.name ?? '');
    const card = await findCustomer(this.db, businessId, customer.id);
    if (!card) throw new Problem('customer_not_found');
    return card;
  }

  async #reserve(
    trx: Transaction<CustomerTables>,
    businessId: string,
    customer: CustomerInput,
    known: CardRow | undefined,
  ): Promise<CardRow> {
    const now = this.clock.now();
    const leftMs = (currentContext()?.deadlineMs ?? Date.now() + requestTimeMs) - Date.now();
    const until = new Date(now.getTime() + Math.max(leftMs, 0) + recordTimeMs);
    const card = known ?? (await reserveCard(trx, { businessId, name: customer.name ?? '', now, until }));
    if (!mayConflict(card, customer)) return card;
    const taxId = normaliseTaxId(customer.tax_id);
    // Claim first: a card that took the tax id before the claim was free is seen by the look that follows.
    const claimant = card.tax_id === null ? await claimTaxId(trx, card, taxId, now, until) : card.id;
    const bearer = (await findOtherBearer(trx, card, taxId)) ?? (claimant === card.id ? undefined : claimant);
    if (bearer !== undefined) {
      throw new Problem('customer_identity_conflict', { details: { existing_customer_id: bearer } });
    }
    return card;
  }
}

/** Whether the request says a tax id that its own card does not bear, and the caller has not confirmed it. */
function mayConflict(
  card: { tax_id: string | null },
  customer: CustomerInput,
): customer is CustomerInput & { tax_id: string } {
  return (
    customer.tax_id !== undefined &&
    customer.identity_confirmed !== true &&
    normaliseTaxId(customer.tax_id) !== card.tax_id
  );
}
