import { documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { CalendarDate, Instant, Money, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { SetOffAmounts } from './set-off.js';

/** Of the paper in which a customer confirms what it has withheld: its number, and the day on it. */
export const WithheldConfirmation = Strict({
  number: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  date: Type.Optional(CalendarDate),
});
export type WithheldConfirmation = Static<typeof WithheldConfirmation>;

/** Tax that customers withhold from what a receipt is for, by document. */
export const WithheldWithReceipt = Strict({
  amounts: SetOffAmounts,
  confirmation: Type.Optional(WithheldConfirmation),
});
export type WithheldWithReceipt = Static<typeof WithheldWithReceipt>;

/**
 * Records tax that a customer has withheld at source from the payment of a document. It settles the document as a payment does; no
 * document, no VAT and no income changes. A repeated call with the same `withheld_id` records once.
 */
export const addWithheld = defineContract('issuing.withheld.add', {
  request: Strict({
    business_id: Uuid,
    document_id: Uuid,
    /** The id of the act, chosen by the caller. */
    withheld_id: Uuid,
    /** ILS: at most what is left to pay of the document. */
    amount: Money,
    /** The day of the payment that it was withheld from, which decides the year that it belongs to; not after today. */
    withheld_on: CalendarDate,
    confirmation: Type.Optional(WithheldConfirmation),
    person_id: PersonId,
  }),
  reply: Strict({}),
  /** `validation_error` at `/amount`, `/withheld_on` or `/withheld_id`, as for `addSetOff`; `not_found`: there is no such document. */
  errors: ['validation_error', 'not_found'],
  isRepeatable: true,
});

/** Removes what was recorded as withheld of a document: it is left to pay again. */
export const removeWithheld = defineContract('issuing.withheld.remove', {
  request: Strict({ business_id: Uuid, withheld_id: Uuid, document_id: Uuid, person_id: PersonId }),
  reply: Strict({}),
  /** `not_found` also where it was removed before; `validation_error`: the document is cancelled. */
  errors: ['validation_error', 'not_found'],
});

/** What tax was withheld of a document in one act. */
export const Withheld = Strict({
  withheld_id: Uuid,
  document: Strict({ id: Uuid, type: Type.Enum([...documentTypes]), number: Type.Integer() }),
  /** The receipt that it was issued with, which states it; null: it was recorded later. */
  receipt: Nullable(Strict({ id: Uuid, number: Type.Integer() })),
  /** The customer, as the document has it. */
  customer: Strict({ id: Uuid, name: Type.String(), tax_id: Nullable(Type.String()) }),
  /** ILS. */
  amount: Money,
  withheld_on: CalendarDate,
  recorded_at: Instant,
  confirmation: WithheldConfirmation,
});
export type Withheld = Static<typeof Withheld>;

/** The end of a page of withheld tax. */
export const WithheldPosition = Strict({
  customer_id: Uuid,
  withheld_on: CalendarDate,
  withheld_id: Uuid,
  document_id: Uuid,
});
export type WithheldPosition = Static<typeof WithheldPosition>;

/** The tax that customers have withheld in a range of dates, customer by customer, of each in the order of dates, a page at a time. */
export const listWithheld = defineContract('issuing.withheld.list', {
  request: Strict({
    business_id: Uuid,
    /** Of the payments, both inclusive. */
    from: CalendarDate,
    to: CalendarDate,
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
    after: Nullable(WithheldPosition),
  }),
  reply: Strict({
    withheld: Type.Array(Withheld),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(WithheldPosition),
  }),
});

/** How many customers the sums of withheld tax name. */
export const withheldCustomersMax = 200;

/** What customers have withheld in a range of dates together, and the customers that have withheld most, the largest amount first. */
export const WithheldSums = Strict({
  /** ILS: of all customers. */
  amount: Money,
  customers: Type.Integer({ minimum: 1 }),
  /** At most `withheldCustomersMax`. */
  by_customer: Type.Array(
    Strict({
      ...Withheld.properties.customer.properties,
      entries: Type.Integer({ minimum: 1 }),
      amount: Money,
    }),
  ),
});
export type WithheldSums = Static<typeof WithheldSums>;
