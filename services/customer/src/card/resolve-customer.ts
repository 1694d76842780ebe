import { Controller } from '@nestjs/common';
import {
  issueDocument,
  type ReplyOf,
  type RequestOf,
  resolveCustomer,
  timeLimitsMs,
} from '@pinkas/contracts';
import {
  ApiError,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  remainingMs,
  type Transaction,
} from '@pinkas/service-kit';
import { changesCard, snapshotOf } from './card.js';
import { type CardRow, lockCard, reserveCard } from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { findNamedCard, newTaxId } from './named-card.js';
import { checkTaxId, lockTaxId, reserve } from './reservation.repository.js';
import { ReservationEvents } from './reservation-events.js';

type Request = RequestOf<typeof resolveCustomer>;

/** How long a reservation lasts: the longest request, and the delivery of its event. */
const reservedMs = issueDocument.timeoutMs + timeLimitsMs.reservationMargin;
/** Left of the request's time for the last check and the reply. */
const answerReserveMs = timeLimitsMs.resolveCustomerReserve;

/**
 * Finds the card of a request's customer, or reserves one for a new name. A reservation is invisible and lasts until the
 * document's event confirms it, issuing releases it, or it expires. A tax id in flight on another card makes the request
 * wait: issued, it is a conflict; refused, it must leave no trace.
 */
@Controller()
export class ResolveCustomer {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly events: ReservationEvents,
  ) {}

  @Operation(resolveCustomer)
  async handle(request: Request): Promise<ReplyOf<typeof resolveCustomer>> {
    const waitMs = remainingMs(resolveCustomer.timeoutMs) - answerReserveMs;
    const card = await this.events.whenDecided(request.business_id, waitMs, () => this.#card(request));
    const customer = snapshotOf(card, request.customer);
    return {
      customer,
      changes: changesCard(card, customer),
      ...(card.payment_terms && { payment_terms: card.payment_terms }),
    };
  }

  /** @throws Undecided while no one can know whether there is a conflict. */
  async #card(request: Request): Promise<CardRow> {
    const { business_id, customer } = request;
    const db = forTenant(this.db, business_id);
    const known = await findNamedCard(db, business_id, customer);
    // Most requests name a known customer without a new tax id: they reserve nothing.
    if (known?.confirmed_at && newTaxId(known, customer) === null) {
      return known;
    }
    return db.transaction().execute((trx) => this.#reserve(trx, request, known));
  }

  async #reserve(
    trx: Transaction<CustomerTables>,
    { business_id, document_id, customer }: Request,
    known: CardRow | undefined,
  ): Promise<CardRow> {
    const now = this.clock.now();
    const until = new Date(now.getTime() + reservedMs);
    // A reserved card may be deleted at any moment until this document holds it too.
    const card = known
      ? await lockCard(trx, known)
      : await reserveCard(trx, { businessId: business_id, name: customer.name ?? '', now, until });
    if (!card) {
      throw new ApiError('customer_not_found');
    }
    const taxId = newTaxId(card, customer);
    if (taxId !== null && customer.identity_confirmed !== true) {
      await this.#check(trx, card, taxId, now);
    }
    // A card keeps its tax id: the document writes none.
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

  /** @throws ApiError where another customer has the tax id, TaxIdUndecidedError where one in flight may get it. */
  async #check(trx: Transaction<CustomerTables>, card: CardRow, taxId: string, now: Date): Promise<void> {
    await lockTaxId(trx, card.business_id, taxId);
    await checkTaxId(trx, card, taxId, now);
  }
}
