import { businessLegalTypes, debtAges, documentTypes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { DocumentHead } from '../schema/document.js';
import { CalendarDate, Money, Month, Nullable, Strict, Uuid } from '../schema/fields.js';
import { WithheldConfirmation } from './withheld.js';

const pageLimit = Type.Integer({ minimum: 1, maximum: 100 });

/** The amounts that are left to pay, in ILS. */
const Debts = Strict({
  documents: Type.Integer({ minimum: 0 }),
  amount: Money,
  /** Of it, what is after its due date. */
  late: Money,
});

/** The same by its age. */
export const DebtsByAge = Strict({
  ...Debts.properties,
  /** Every age, in the order of `debtAges`. */
  ages: Type.Array(
    Strict({ age: Type.Enum([...debtAges]), documents: Type.Integer({ minimum: 0 }), amount: Money }),
  ),
});
export type DebtsByAge = Static<typeof DebtsByAge>;

/** Sums what is left to pay of all documents of a book today, by age. */
export const summarizeDebts = defineContract('issuing.debt.summarize', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ ...DebtsByAge.properties, as_of: CalendarDate, customers: Type.Integer({ minimum: 0 }) }),
});

/** The end of a page of debtors. */
export const DebtorPosition = Strict({ amount: Money, customer_id: Uuid });
export type DebtorPosition = Static<typeof DebtorPosition>;

/** A customer that has something left to pay. */
export const Debtor = Strict({
  customer_id: Uuid,
  /** As the document that was due first has it. */
  name: Type.String(),
  ...Debts.properties,
  /** The first of the due dates. */
  due_on: CalendarDate,
  days_late: Type.Integer(),
  /** What the account has beyond its open documents: receipts that settle none of them. It is subtracted from no amount here. */
  on_account: Money,
});
export type Debtor = Static<typeof Debtor>;

/** The customers that have something left to pay, the largest amount first, a page at a time. */
export const listDebtors = defineContract('issuing.debtor.list', {
  request: Strict({
    business_id: Uuid,
    limit: pageLimit,
    /** Only customers after this one. */
    after: Nullable(DebtorPosition),
    /** Only these customers. */
    customer_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100 })),
  }),
  reply: Strict({
    debtors: Type.Array(Debtor),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(DebtorPosition),
  }),
});

/** The customers with the largest income of some months, the largest first; read from the sums of months, never from documents. */
export const listTopCustomers = defineContract('issuing.customer.list_top', {
  request: Strict({
    business_id: Uuid,
    /** Of the business, which decides what its income is. */
    legal_type: Nullable(Type.Enum(Object.keys(businessLegalTypes) as (keyof typeof businessLegalTypes)[])),
    /** Both inclusive. */
    from: Month,
    to: Month,
    limit: Type.Integer({ minimum: 1, maximum: 20 }),
  }),
  reply: Strict({
    customers: Type.Array(
      Strict({
        customer_id: Uuid,
        /** As the latest document has it. */
        name: Type.String(),
        /** Invoices and credit notes, or receipts where these are the income. */
        documents: Type.Integer({ minimum: 1 }),
        /** ILS: net of invoices less credit notes, or what receipts acknowledge. */
        income: Money,
      }),
    ),
  }),
});

/** The end of a page of debts. */
export const DebtPosition = Strict({ due_on: CalendarDate, document_id: Uuid });
export type DebtPosition = Static<typeof DebtPosition>;

/** A document that has something left to pay. */
export const Debt = Strict({
  document: DocumentHead,
  /** The customer on whose account it is. */
  customer_id: Uuid,
  /** ILS. */
  balance: Money,
  /** Its due date, or its date where it has none. */
  due_on: CalendarDate,
  days_late: Type.Integer(),
  age: Type.Enum([...debtAges]),
});
export type Debt = Static<typeof Debt>;

/** The documents that have something left to pay, the first due first, a page at a time. */
export const listDebts = defineContract('issuing.debt.list', {
  request: Strict({
    business_id: Uuid,
    customer_id: Type.Optional(Uuid),
    age: Type.Optional(Type.Enum([...debtAges])),
    limit: pageLimit,
    /** Only documents after this one. */
    after: Nullable(DebtPosition),
  }),
  reply: Strict({
    debts: Type.Array(Debt),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(DebtPosition),
    /** ILS: of the customer that is named, what can be set against these documents. */
    on_account: Type.Optional(Money),
  }),
});

/** The end of a page of a statement: among the entries of one date, at a position of the book. */
export const StatementPosition = Strict({
  date: CalendarDate,
  position: Type.Integer({ minimum: 1 }),
  /** Which of the entries at that position that are no document; absent: the document. */
  entry: Type.Optional(Type.String({ maxLength: 73 })),
});
export type StatementPosition = Static<typeof StatementPosition>;

/** A document on the account of a customer, or tax that the customer has withheld of one. */
export const StatementEntry = Strict({
  document_id: Uuid,
  type: Type.Enum([...documentTypes]),
  number: Type.Integer(),
  date: CalendarDate,
  due_date: Nullable(CalendarDate),
  /** The document that it is based on. */
  based_on: DocumentHead.properties.based_on,
  /** ILS: what it asks for, and what it settles. A tax invoice / receipt does both. */
  debit: Money,
  credit: Money,
  /** ILS: of the account, after it. */
  balance: Money,
  /** ILS: what is set against it, of the money on account, where there is anything: the account has that already. */
  set_off: Type.Optional(Money),
  /** Where it is no document, but the tax that was withheld of the document: with which receipt, if any, and how it is confirmed. */
  withheld: Type.Optional(Strict({ receipt: Nullable(Type.Integer()), confirmation: WithheldConfirmation })),
});
export type StatementEntry = Static<typeof StatementEntry>;

/**
 * The account of a customer: what asked for payment and what settled it, in the order of dates, a page at a time. A proforma is on it
 * while it asks for its payment itself, and not once an invoice does. A receipt or a credit note is on the account of the customer
 * whose document it settles.
 */
export const readStatement = defineContract('issuing.statement.read', {
  request: Strict({
    business_id: Uuid,
    customer_id: Uuid,
    /** Document dates, both inclusive. */
    from: Type.Optional(CalendarDate),
    to: Type.Optional(CalendarDate),
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
    /** Only entries after this one. */
    after: Nullable(StatementPosition),
  }),
  reply: Strict({
    /** ILS: before the first date. */
    opening: Money,
    /** ILS: before the first entry of this page. */
    brought_forward: Money,
    entries: Type.Array(StatementEntry),
    /** ILS: of the complete period. */
    debit: Money,
    credit: Money,
    closing: Money,
    documents: Type.Integer({ minimum: 0 }),
    /** ILS: what is left to pay of open documents now, whatever the period. */
    open: Money,
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(StatementPosition),
  }),
});
