import {
  type CustomerInput,
  issueDocument,
  normaliseTaxId,
  type ReplyOf,
  type RequestOf,
  resolveCustomer,
} from '@pinkas/contracts';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  Operation,
  ofBusiness,
  Problem,
  remainingMs,
  type Transaction,
} from '@pinkas/service-kit';
import { snapshotOf } from './card.js';
import {
  type CardRow,
  findCard,
  findCustomerByName,
  findOtherBearer,
  lockCard,
  reserveCard,
} from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { isClaimedForAnother, lockTaxId, reserve } from './reservation.repository.js';
import { ReservationEnds } from './reservation-ends.js';

type Request = RequestOf<typeof resolveCustomer>;

/** How long a reservation lasts that nobody ends: as long as a request may, and its event on its way here. */
const reservedMs = issueDocument.timeoutMs + 10_000;
/** How long a request waits at most for the fate of a document that will write the same tax id on another card. */
const undecidedMaxMs = 5_000;
/** Of the request's time, what is left for the last look and the answer. */
const answerMs = 1_000;
/** How often the wait looks for what ended in another replica, or has run out. */
const lookAgainMs = 100;

/** A document that is being issued will write the tax id on another card, or will not. */
class Undecided extends Error {
  override readonly name = 'Undecided';
}

/**
 * Finds the card that a request speaks of, or reserves one for a new name.
 *
 * What is reserved is invisible, and is held for one document: until its event makes it real, until issuing gives it back,
 * or until it runs out. A tax id that is reserved for another card makes the request wait, since a refused document must
 * leave no trace and an issued one makes this a conflict with a card that exists.
 */
@Operation(resolveCustomer)
export class ResolveCustomer {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly ends: ReservationEnds,
  ) {}

  async handle(request: Request): Promise<ReplyOf<typeof resolveCustomer>> {
    const waitMs = Math.min(undecidedMaxMs, remainingMs(resolveCustomer.timeoutMs) - answerMs);
    const giveUpAt = Date.now() + waitMs;
    for (;;) {
      try {
        const card = await this.#card(request);
        return { customer: snapshotOf(card, request.customer) };
      } catch (error) {
        if (!(error instanceof Undecided)) throw error;
        const leftMs = giveUpAt - Date.now();
        if (leftMs <= 0) throw new Problem('engine_error', { cause: error });
        // Everything is rolled back by now: the wait holds no connection and reserves nothing.
        await this.ends.next(request.business_id, Math.min(leftMs, lookAgainMs));
      }
    }
  }

  /** @throws Undecided while nobody can know whether there is a conflict. */
  async #card(request: Request): Promise<CardRow> {
    const { business_id, customer } = request;
    const db = ofBusiness(this.db, business_id);
    const known =
      customer.id === undefined
        ? await findCustomerByName(db, business_id, customer.name ?? '')
        : await findCard(db, business_id, customer.id);
    if (!known && customer.id !== undefined) throw new Problem('customer_not_found');
    // Most requests name a customer that is there and tell no new tax id: they reserve nothing.
    if (known?.confirmed_at && newTaxId(known, customer) === null) return known;
    return db.transaction().execute((trx) => this.#reserve(trx, request, known));
  }

  async #reserve(
    trx: Transaction<CustomerTables>,
    { business_id, document_id, customer }: Request,
    known: CardRow | undefined,
  ): Promise<CardRow> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + reservedMs);
    // A card that is only reserved may be forgotten at any moment, until this document holds it as well.
    const card = known
      ? await lockCard(trx, known)
      : await reserveCard(trx, { businessId: business_id, name: customer.name ?? '', now, until });
    if (!card) throw new Problem('customer_not_found');
    const taxId = newTaxId(card, customer);
    if (taxId !== null && customer.identity_confirmed !== true) await this.#check(trx, card, taxId, now);
    // A card that has a tax id keeps it, so that the document will write none.
    const written = card.tax_id === null ? taxId : null;
    if (card.confirmed_at === null || written !== null) {
      await reserve(trx, {
        business_id,
        document_id,
        card_id: card.id,
        tax_id: written,
        reserved_until: until,
      });
    }
    return card;
  }

  /** @throws Problem where another customer bears the tax id, Undecided where another one is about to. */
  async #check(trx: Transaction<CustomerTables>, card: CardRow, taxId: string, now: Date): Promise<void> {
    await lockTaxId(trx, card.business_id, taxId);
    // In this order: a document that is recorded between the two looks is seen by the second.
    const claimed = await isClaimedForAnother(trx, card, taxId, now);
    const bearer = await findOtherBearer(trx, card, taxId);
    if (bearer !== undefined) {
      throw new Problem('customer_identity_conflict', { details: { existing_customer_id: bearer } });
    }
    if (claimed) throw new Undecided('a document in flight will write this tax id on another card');
  }
}

/** The tax id that the request says and its own card does not bear, in nine digits. */
function newTaxId(card: { tax_id: string | null }, customer: CustomerInput): string | null {
  if (customer.tax_id === undefined) return null;
  const taxId = normaliseTaxId(customer.tax_id);
  return taxId === card.tax_id ? null : taxId;
}
