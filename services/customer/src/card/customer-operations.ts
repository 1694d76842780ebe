import { isDeepStrictEqual } from 'node:util';
import { Controller } from '@nestjs/common';
import {
  auditCustomers,
  type CustomerDetail,
  clearTestCustomers,
  contactDetails,
  createCustomer,
  firstDetails,
  malformedTexts,
  matchCustomer,
  type ReplyOf,
  type RequestOf,
  releaseCustomer,
  searchCustomers,
  showCustomer,
  timeLimitsMs,
  updateCustomer,
  type ValidationError,
} from '@pinkas/contracts';
import { hasValidCheckDigit, nameKey, namesAsTyped, normaliseTaxId, visibleLength } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  advisoryLock,
  appendTrail,
  type Clock,
  clearTestBook,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  Operation,
  remainingMs,
} from '@pinkas/service-kit';
import { cardName, detailsOf, noDetails, nonBlank, parseTaxId, snapshotOf } from './card.js';
import {
  type CardChange,
  type CardRow,
  findConfirmedCards,
  findOpenedAs,
  findOtherByTaxId,
  hasOther,
  lockCard,
  openCard,
  toDetails,
  updateCard,
} from './card.repository.js';
import type { CustomerTables } from './card.tables.js';
import { findCustomers, listCustomers, type SearchTerm } from './card-search.repository.js';
import { findNamedCard, newTaxId } from './named-card.js';
import { checkTaxId, deleteUnusedCard, endReservation, lockTaxId } from './reservation.repository.js';
import { ReservationEvents } from './reservation-events.js';

const testBookTables = ['reservation', 'card', 'card_name_suffix'] as const;

/** The customers of a business and their cards. */
@Controller()
export class CustomerOperations {
  constructor(
    @InjectDatabase() private readonly db: Database<CustomerTables>,
    private readonly events: ReservationEvents,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Finds customers by a part of their name, by tax id, email address or phone number; a blank query lists all. */
  @Operation(searchCustomers)
  async search({
    business_id,
    query,
    limit,
  }: RequestOf<typeof searchCustomers>): Promise<ReplyOf<typeof searchCustomers>> {
    const db = forTenant(this.db, business_id);
    const part = nameKey(query ?? '');
    const customers =
      part === ''
        ? await listCustomers(db, business_id, limit)
        : await findCustomers(db, business_id, termOf(part), limit);
    return { customers };
  }

  /** Shows the card of one customer, with all that is stored of it. */
  @Operation(showCustomer)
  async show({
    business_id,
    customer_id,
  }: RequestOf<typeof showCustomer>): Promise<ReplyOf<typeof showCustomer>> {
    const [card] = await findConfirmedCards(forTenant(this.db, business_id), business_id, [customer_id]);
    if (!card) {
      throw new ApiError('customer_not_found');
    }
    return { customer: toDetails(card) };
  }

  /** Opens the card of a customer before its first document. */
  @Operation(createCustomer)
  async create(request: RequestOf<typeof createCustomer>): Promise<ReplyOf<typeof createCustomer>> {
    const { business_id, customer } = request;
    const name = checkedName(customer.name, '/customer', malformedTexts({ customer }));
    if (customer.tax_id !== undefined && !hasValidCheckDigit(customer.tax_id)) {
      throw new ApiError('invalid_customer_tax_id');
    }
    const taxId = customer.tax_id === undefined ? null : normaliseTaxId(customer.tax_id);
    const waitMs = remainingMs(createCustomer.timeoutMs) - timeLimitsMs.resolveCustomerReserve;
    return this.events.whenDecided(business_id, waitMs, () => this.#open(request, name, taxId));
  }

  #open(
    { business_id, customer_id, customer, person_id }: RequestOf<typeof createCustomer>,
    name: string,
    taxId: string | null,
  ): Promise<ReplyOf<typeof createCustomer>> {
    const key = { business_id, id: customer_id.toLowerCase() };
    const now = this.clock.now();
    return forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const known = (await lockCard(trx, key)) ?? (await findOpenedAs(trx, key, name));
        if (known) {
          return { customer: toDetails(known) };
        }
        if (taxId !== null) {
          await lockTaxId(trx, business_id, taxId);
          const existing = await findOtherByTaxId(trx, key, taxId);
          if (existing !== undefined) {
            throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: existing } });
          }
        }
        const opened = {
          name,
          ...detailsOf((detail) => (detail === 'tax_id' ? taxId : nonBlank(customer[detail]))),
          payment_terms: customer.payment_terms ?? null,
        };
        const card = await openCard(trx, key, opened, now);
        if (!card) {
          throw nameTaken('/customer/name');
        }
        if (taxId !== null) {
          // Of the card that it is: it may be one that a request in flight has reserved under the name.
          await checkTaxId(trx, card, taxId, now);
        }
        await appendTrail(trx, {
          business_id,
          action: 'customer.create',
          subject: card.id,
          actor: actorOf(person_id),
          before: null,
          after: Object.fromEntries(Object.entries(opened).filter(([, value]) => value !== null)),
        });
        return { customer: toDetails(card) };
      });
  }

  /** Corrects a card, for the documents that are issued from now on. */
  @Operation(updateCustomer)
  async update(request: RequestOf<typeof updateCustomer>): Promise<ReplyOf<typeof updateCustomer>> {
    const { business_id, customer_id, change, person_id } = request;
    const errors = malformedTexts({ change });
    const name = change.name === undefined ? undefined : checkedName(change.name, '/change', errors);
    if (errors.length > 0) {
      throw ApiError.invalid(errors);
    }
    return forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const card = await lockCard(trx, { business_id, id: customer_id });
        if (!card || card.confirmed_at === null) {
          throw new ApiError('customer_not_found');
        }
        const changed = changedCard(card, { ...change, ...(name !== undefined && { name }) });
        const names = Object.keys(changed) as (keyof typeof changed)[];
        if (names.length === 0) {
          return { customer: toDetails(card) };
        }
        if (changed.name !== undefined) {
          // Of two that take one name at once, the second sees the first.
          await advisoryLock(trx, 'name', business_id.toLowerCase(), nameKey(changed.name));
          if (await hasOther(trx, card, changed.name)) {
            throw nameTaken('/change/name');
          }
        }
        await updateCard(trx, card, changed);
        await appendTrail(trx, {
          business_id,
          action: 'customer.update',
          subject: card.id,
          actor: actorOf(person_id),
          before: Object.fromEntries(names.map((each) => [each, card[each]])),
          after: changed,
        });
        return { customer: toDetails({ ...card, ...changed }) };
      });
  }

  /** Finds the card that a document would be issued to, and reserves nothing. */
  @Operation(matchCustomer)
  async match({
    business_id,
    customer,
  }: RequestOf<typeof matchCustomer>): Promise<ReplyOf<typeof matchCustomer>> {
    const db = forTenant(this.db, business_id);
    const card = await findNamedCard(db, business_id, customer);
    const taxId = newTaxId(card ?? noDetails, customer);
    if (taxId !== null && customer.identity_confirmed !== true) {
      const existing = await findOtherByTaxId(db, { business_id, id: card?.id ?? null }, taxId);
      if (existing !== undefined) {
        throw new ApiError('customer_identity_conflict', { details: { existing_customer_id: existing } });
      }
    }
    return {
      customer: shownCustomer(card, customer),
      matched_by: matchOf(card, customer),
      ...(card?.payment_terms && { payment_terms: card.payment_terms }),
    };
  }

  /** Releases the reservation of a document that will not be issued. Idempotent. */
  @Operation(releaseCustomer)
  async release({
    business_id,
    document_id,
  }: RequestOf<typeof releaseCustomer>): Promise<ReplyOf<typeof releaseCustomer>> {
    await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const cardId = await endReservation(trx, business_id, document_id);
        if (cardId !== undefined) {
          await deleteUnusedCard(trx, business_id, cardId);
        }
      });
    this.events.notify(business_id);
    return {};
  }

  /** Lists what the cards of the customers of documents have, for verifying the book. */
  @Operation(auditCustomers)
  async audit({
    business_id,
    documents,
  }: RequestOf<typeof auditCustomers>): Promise<ReplyOf<typeof auditCustomers>> {
    const ids = documents.map(({ customer_id }) => customer_id);
    const cards = await findConfirmedCards(forTenant(this.db, business_id), business_id, ids);
    const byId = new Map(cards.map((card) => [card.id, card]));
    return {
      documents: documents.map(({ document_id, customer_id }) => {
        const card = byId.get(customer_id.toLowerCase());
        const known = (name: CustomerDetail) =>
          card && (card[name] !== null || card.removed_details.includes(name));
        return { document_id, details: card ? firstDetails.filter(known) : null };
      }),
    };
  }

  /** Empties a test book. */
  @Operation(clearTestCustomers)
  clearTestBook({
    business_id,
  }: RequestOf<typeof clearTestCustomers>): Promise<ReplyOf<typeof clearTestCustomers>> {
    return clearTestBook(this.db, business_id, { tables: testBookTables });
  }
}

/** At least seven digits, with what people write between them. */
const phonePattern = /^\+?\d(?:[\s()-]*\d){6,14}$/;

const termOf = (part: string): SearchTerm => ({
  part,
  ...namesAsTyped(part),
  taxId: parseTaxId(part),
  email: part.includes('@') ? part.toLowerCase() : null,
  phone: phonePattern.test(part) ? part : null,
});

/** The members that differ from the card; null: it is removed. */
function changedCard(
  card: CardRow,
  { name, payment_terms: terms, ...details }: RequestOf<typeof updateCustomer>['change'],
): CardChange {
  const changed = contactDetails.flatMap((detail) => {
    const value = details[detail];
    const normalised = nonBlank(value ?? undefined);
    return value === undefined || normalised === card[detail] ? [] : [[detail, normalised]];
  });
  return {
    ...(name !== undefined && name !== card.name && { name }),
    ...Object.fromEntries(changed),
    ...(terms !== undefined && !isDeepStrictEqual(terms, card.payment_terms) && { payment_terms: terms }),
  };
}

/** A name as a card has it. @throws ApiError `validation_error` for one with fewer than two visible characters, and for the other errors. */
function checkedName(name: string, below: string, errors: readonly ValidationError[]): string {
  const found = [
    ...errors,
    ...(visibleLength(name) < 2
      ? [{ path: `${below}/name`, message: 'must have at least 2 characters that can be seen' }]
      : []),
  ];
  if (found.length > 0) {
    throw ApiError.invalid(found);
  }
  return cardName(name);
}

const nameTaken = (path: string) => ApiError.invalid([{ path, message: 'is the name of another customer' }]);

type Input = RequestOf<typeof matchCustomer>['customer'];

function shownCustomer(card: CardRow | undefined, customer: Input) {
  return card
    ? snapshotOf(card, customer)
    : { ...snapshotOf({ ...noDetails, id: '', name: customer.name ?? '' }, customer), id: null };
}

function matchOf(card: CardRow | undefined, customer: Input): 'id' | 'name' | null {
  if (!card) {
    return null;
  }
  return customer.id === undefined ? 'name' : 'id';
}
