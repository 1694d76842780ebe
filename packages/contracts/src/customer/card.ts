import { paymentTermsStarts } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, defineEvent } from '../define.js';
import {
  correctedDetails,
  firstDetails,
  newCardDetails,
  searchedDetails,
  storedDetails,
} from '../schema/customer-members.js';
import { CustomerInput, CustomerMatch, CustomerSnapshot, DraftDocument } from '../schema/document.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { timeLimitsMs } from '../time-limits.js';

/** When a customer pays, where that differs from the terms of the business. */
export const PaymentTerms = Strict({
  days: Type.Integer({ minimum: 0, maximum: 365 }),
  from: Type.Enum([...paymentTermsStarts]),
});
export type PaymentTerms = Static<typeof PaymentTerms>;

/**
 * Finds the card that a request names, or reserves a new one. A reserved card becomes a card only when a document
 * is issued to it.
 */
export const resolveCustomer = defineContract('customer.card.resolve', {
  request: Strict({
    business_id: Uuid,
    customer: CustomerInput,
    /** The purpose of the reservation: the id of the document, if it is issued. */
    document_id: Uuid,
  }),
  reply: Strict({
    customer: CustomerSnapshot,
    /** Whether the document writes the card once it is issued: the card is new, or lacks a detail that the document has. */
    changes: Type.Boolean(),
    /** Absent: those of the business. */
    payment_terms: Type.Optional(PaymentTerms),
  }),
  errors: ['customer_not_found', 'customer_identity_conflict'],
  // It may wait for another request that is about to write the same tax id on another card.
  timeoutMs: timeLimitsMs.resolveCustomer,
  // A document has one reservation.
  isRepeatable: true,
});

/** What `resolveCustomer` would find, without a reservation: of two new customers of one name at the same moment it sees neither. */
export const matchCustomer = defineContract('customer.card.match', {
  request: Strict({ business_id: Uuid, customer: CustomerInput }),
  reply: Strict({
    /** As a document would show it; the id is null where a card would be opened. */
    customer: DraftDocument.properties.customer,
    matched_by: CustomerMatch,
    /** Absent: those of the business. */
    payment_terms: Type.Optional(PaymentTerms),
  }),
  errors: resolveCustomer.errors,
});

/**
 * The card of an issued document is stored: every later search finds it, with the data of the document. It is not published for a
 * document that changes no card.
 */
export const customerRecorded = defineEvent(
  'customer.card.recorded',
  Strict({ document_id: Uuid, business_id: Uuid, customer_id: Uuid }),
);

/** Releases what `resolveCustomer` reserved for a document that is not issued. */
export const releaseCustomer = defineContract('customer.card.release', {
  request: Strict({ business_id: Uuid, document_id: Uuid }),
  reply: Strict({}),
  isRepeatable: true,
});

/** A customer card as a search returns it (API specification, 2.5). */
export const CustomerCard = Strict({
  id: Uuid,
  name: Type.String(),
  ...searchedDetails,
  tax_id: Nullable(Type.String(), 'Nine digits.'),
});
export type CustomerCard = Static<typeof CustomerCard>;

/** The customers of a business whose name contains a text, or whose tax id, email address or phone number it is; in the order of their names. */
export const searchCustomers = defineContract('customer.card.search', {
  request: Strict({
    business_id: Uuid,
    /** Null: every customer. */
    query: Nullable(Type.String({ minLength: 1 })),
    limit: Type.Integer({ minimum: 1, maximum: 50 }),
  }),
  reply: Strict({ customers: Type.Array(CustomerCard) }),
});

/** A card with all that is stored of it. */
export const CustomerDetails = Strict({
  ...CustomerCard.properties,
  ...storedDetails,
  tax_id: CustomerCard.properties.tax_id,
  created_at: Instant,
  /** Absent: those of the business. */
  payment_terms: Type.Optional(PaymentTerms),
});
export type CustomerDetails = Static<typeof CustomerDetails>;

/** The card of one customer of one business. */
export const showCustomer = defineContract('customer.card.show', {
  request: Strict({ business_id: Uuid, customer_id: Uuid }),
  reply: Strict({ customer: CustomerDetails }),
  errors: ['customer_not_found'],
});

const cardName = Type.String({ minLength: 2, maxLength: 120 });

/** Opens the card of a customer before any document is issued to it. The same id again returns the card that it opened. */
export const createCustomer = defineContract('customer.card.create', {
  request: Strict({
    business_id: Uuid,
    /** Chosen by the caller. */
    customer_id: Uuid,
    customer: Strict({
      name: cardName,
      ...newCardDetails,
      payment_terms: Type.Optional(PaymentTerms),
    }),
    person_id: PersonId,
  }),
  reply: Strict({ customer: CustomerDetails }),
  errors: ['validation_error', 'invalid_customer_tax_id', 'customer_identity_conflict'],
  unknownMembers: 'refused',
});

/**
 * Corrects a card: its contact details, its name, its payment terms; what is absent stays, null or a blank text removes. Issued documents
 * keep what they say, and the tax id stays as the documents have it. A request that names a former name still finds the card. A later
 * document that names a removed detail fills it again.
 */
export const updateCustomer = defineContract('customer.card.update', {
  request: Strict({
    business_id: Uuid,
    customer_id: Uuid,
    change: Strict({
      name: Type.Optional(cardName),
      ...correctedDetails,
      /** Null: those of the business. */
      payment_terms: Type.Optional(Nullable(PaymentTerms)),
    }),
    person_id: PersonId,
  }),
  reply: Strict({ customer: CustomerDetails }),
  errors: ['customer_not_found', 'validation_error'],
  unknownMembers: 'refused',
});

/** The cards of the customers of documents of one business, for verifying the book. */
export const auditCustomers = defineContract('customer.card.audit', {
  request: Strict({
    business_id: Uuid,
    documents: Type.Array(Strict({ document_id: Uuid, customer_id: Uuid }), { maxItems: 100 }),
  }),
  reply: Strict({
    /** One for each document, in the order of the request. */
    documents: Type.Array(
      Strict({
        document_id: Uuid,
        /**
         * Of the first details, which a release before knows, those that the card has, or that a person has removed from it; null where no
         * document has been recorded on a card with this id.
         */
        details: Nullable(Type.Array(Type.Enum([...firstDetails]))),
      }),
    ),
  }),
});
