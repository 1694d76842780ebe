import { businessLegalTypes, documentTypes, paymentMethods } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { DocumentHead, Payment } from '../schema/document.js';
import { CalendarDate, Money, Nullable, Strict, Uuid } from '../schema/fields.js';
import { WithheldSums } from './withheld.js';

/** Amounts in ILS. */
const vatAmounts = { net: Money, vat: Money, total: Money };

/**
 * What a period amounts to, by document date: VAT and income of invoices less credit notes, and what was received by each means of
 * payment (`periodReport` of the domain).
 */
export const reportPeriod = defineContract('issuing.period.report', {
  request: Strict({
    business_id: Uuid,
    /** Of the business, which decides what its income is. */
    legal_type: Nullable(Type.Enum(Object.keys(businessLegalTypes) as (keyof typeof businessLegalTypes)[])),
    /** Document dates, both inclusive; at most 366 days. */
    from: CalendarDate,
    to: CalendarDate,
  }),
  reply: Strict({
    /** Each type of sale at each rate, in the order of the types; the amounts of credit notes are negative, so that all add up to the sales. */
    types: Type.Array(
      Strict({
        type: Type.Enum([...documentTypes]),
        vat_rate: Type.Number(),
        documents: Type.Integer({ minimum: 0 }),
        ...vatAmounts,
      }),
    ),
    /** Invoices less credit notes, the highest rate first. */
    rates: Type.Array(Strict({ vat_rate: Type.Number(), ...vatAmounts })),
    sales: Strict(vatAmounts),
    taxable: Strict(vatAmounts),
    untaxed: Money,
    /** Whole shekels, as the periodic report has them. */
    reported: Strict({ taxable: Money, vat: Money, untaxed: Money }),
    /** By means, in the order of `paymentMethods`. */
    receipts: Type.Array(
      Strict({
        method: Type.Enum([...paymentMethods]),
        payments: Type.Integer({ minimum: 0 }),
        amount: Money,
      }),
    ),
    received: Money,
    /** By the dates of the payments, where any was. */
    withheld: Type.Optional(WithheldSums),
    income: Strict({ basis: Type.Enum(['invoices', 'receipts']), amount: Money }),
    /** Each month that has a sale or a receipt, YYYY-MM, in their order. */
    months: Type.Array(
      Strict({
        month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$' }),
        net: Money,
        vat: Money,
        received: Money,
      }),
    ),
  }),
  errors: ['validation_error'],
  isRepeatable: true,
});

/** The end of a page of payments: a document, by its date and its position in the book. */
export const PaymentPosition = Strict({ date: CalendarDate, position: Type.Integer({ minimum: 1 }) });
export type PaymentPosition = Static<typeof PaymentPosition>;

/** The documents that have received something by a means of payment, the latest date first, a page at a time. */
export const listPayments = defineContract('issuing.payment.list', {
  request: Strict({
    business_id: Uuid,
    method: Type.Enum([...paymentMethods]),
    /** Document dates, both inclusive; at most 366 days. */
    from: CalendarDate,
    to: CalendarDate,
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    after: Nullable(PaymentPosition),
  }),
  reply: Strict({
    documents: Type.Array(
      Strict({
        document: DocumentHead,
        /** By that means. */
        payments: Type.Array(Payment),
        /** ILS: what they amount to. */
        amount: Money,
      }),
    ),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(PaymentPosition),
  }),
  errors: ['validation_error'],
});
