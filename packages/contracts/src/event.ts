import Type, { type Static } from 'typebox';
import { defineEvent } from './define.js';
import { EventDelivery } from './http/events.js';
import { ListedDocument } from './schema/document.js';
import { Instant, Nullable, Strict, Uuid } from './schema/fields.js';

/*
 * Events of the HTTP API: each is published by the owner of its fact where the business wants events, stored by delivery, listed for
 * callers and sent to the endpoints of the business as a webhook (ADR 0064, ADR 0065).
 */

const publishedFields = {
  business_id: Uuid,
  event_id: Uuid,
  occurred_at: Instant,
};

/** Something happened to a document, which callers of its business want to learn. */
export const documentEventDue = defineEvent(
  'issuing.document_event.due',
  Strict({
    ...publishedFields,
    type: Type.Enum([
      'document.issued',
      'document.cancelled',
      'document.closed',
      'allocation.issued',
      'allocation.refused',
      'allocation.failed',
      'donation.reported',
      'donation.refused',
      'donation.failed',
    ]),
    /** 1, 2, … in the order of commits of the business, without gaps: messages may arrive in another. */
    sequence: Type.Integer({ minimum: 1 }),
    listed: ListedDocument,
    /** The document that closed it. */
    closed_by: Type.Optional(Uuid),
    /** Of a test document: what an item provokes of the connection to the tax authority. */
    connection: Type.Optional(Type.Enum(['expiring', 'disconnected'])),
  }),
);
export type DocumentEventType = Static<typeof documentEventDue.body>['type'];

/** A message was sent or given up, which callers of its business want to learn. */
export const messageEventDue = defineEvent(
  'delivery.message_event.due',
  Strict({
    ...publishedFields,
    type: Type.Enum(['delivery.sent', 'delivery.failed', 'reminder.sent', 'reminder.failed']),
    document_id: Uuid,
    delivery: EventDelivery,
  }),
);

/** The connection of a business to the tax authority is ending, or has ended; published for every business, since it is rare. */
export const connectionEventDue = defineEvent(
  'allocation.connection_event.due',
  Strict({
    ...publishedFields,
    type: Type.Enum(['authority.expiring', 'authority.disconnected']),
    valid_until: Nullable(Instant),
  }),
);
