import { customerLegalTypes, documentTypes, paymentMethods } from '@pinkas/domain';
import Type, { type TSchema } from 'typebox';
import { CustomerCard } from '../customer/index.js';
import {
  ApiEvent,
  EventAllocation,
  EventConnection,
  EventDelivery,
  EventPage,
  eventName,
  eventSchemas,
  eventTypes,
} from '../http/events.js';
import {
  CancelledDocument,
  CreatedDocument,
  CustomerList,
  DocumentCustomer,
  DocumentDetail,
  DocumentItem,
  DocumentPage,
  DocumentPayment,
  DocumentPreview,
  DocumentTotals,
  DocumentTypeEntry,
  ErrorBody,
  ErrorCatalogueEntry,
  NewDocument,
  Profile,
} from '../http/routes.js';
import {
  AllocationOutcome,
  CancelDocument,
  CreateDocument,
  CustomerInput,
  DeliveryOutcome,
  DiscountInput,
  DonationOutcome,
  documentStatuses,
  ForeignDonor,
  ItemInput,
  PaymentInput,
} from '../schema/document.js';
import { errorDetailFields } from '../schema/error-details.js';
import { Strict } from '../schema/fields.js';
import { LoggedRequest } from '../schema/logged-request.js';

/** The error object as callers see it: the members of `details` are spelled out. */
const PublishedError = Strict(
  {
    ...ErrorBody.properties,
    error: Strict({
      ...ErrorBody.properties.error.properties,
      details: Type.Optional(
        Type.Partial(Type.Object(errorDetailFields), {
          description: 'Facts about the refusal; which members there are depends on the code.',
        }),
      ),
    }),
  },
  { description: 'Every answer outside 2xx is this object.' },
);

/** The schemas that have a name in the reference, by who writes their values. */
export const namedSchemas: { request: Record<string, TSchema>; response: Record<string, TSchema> } = {
  request: {
    DocumentType: Type.Enum([...documentTypes], { description: 'The ten types of document.' }),
    PaymentMethod: Type.Enum([...paymentMethods], { description: 'The means of payment.' }),
    CustomerLegalType: Type.Enum([...customerLegalTypes], {
      description: 'What a customer is to the tax authority.',
    }),
    CreateDocument,
    CustomerInput,
    ForeignDonor,
    ItemInput,
    DiscountInput,
    PaymentInput,
    CancelDocument,
    EventType: Type.Enum([...eventTypes], { description: 'The types of event.' }),
  },
  response: {
    DocumentStatus: Type.Enum([...documentStatuses], { description: 'The states of a document.' }),
    Totals: DocumentTotals,
    DocumentCustomer,
    DocumentItem,
    DocumentPayment,
    Document: CancelledDocument,
    CreatedDocument,
    IssuedDocument: NewDocument,
    DocumentDetail,
    DocumentPage,
    DocumentPreview,
    Allocation: AllocationOutcome,
    Delivery: DeliveryOutcome,
    Donation: DonationOutcome,
    Profile,
    DocumentTypeEntry,
    Customer: CustomerCard,
    CustomerList,
    EventAllocation,
    EventDelivery,
    EventConnection,
    ...Object.fromEntries(eventTypes.map((type) => [eventName(type), eventSchemas[type]])),
    PinkasEvent: ApiEvent,
    EventPage,
    LoggedRequest,
    ErrorCatalogueEntry,
    ErrorBody: PublishedError,
  },
};
