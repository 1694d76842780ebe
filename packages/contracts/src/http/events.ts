import { modes } from '@pinkas/domain';
import Type, { type Static, type TSchema } from 'typebox';
import { defineRoute } from '../define.js';
import { DonationOutcome } from '../schema/document.js';
import { described, Instant, Nullable, Strict, Uuid } from '../schema/fields.js';
import { CreatedDocument } from './routes.js';

/** The most webhook endpoints of one book. */
export const endpointsMax = 10;

/** An id of an event: `evt_` and the 32 hexadecimal digits of a UUID. */
export const EventId = Type.String({
  pattern: '^evt_[0-9a-f]{32}$',
  description: 'The same in the list and in every attempt of every webhook: what arrives twice has it twice.',
  examples: ['evt_0190a1b2c3d47e5f8a9b0c1d2e3f4a5b'],
});

/** Whether a text may be the id of an event. */
export const isEventId = (text: string): boolean => /^evt_[0-9a-f]{32}$/.test(text);

/** The id of an event as callers see it. */
export const toEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`;

/** The UUID of an event's id. */
export const fromEventId = (id: string): string =>
  id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const document = described(CreatedDocument, 'The document as a list showed it when the event was stored.');

/** An allocation number as an event states it. */
export const EventAllocation = Strict(
  {
    status: Type.Enum(['issued', 'refused', 'failed'], {
      description:
        '`failed`: there is no number yet, or none for good; where another attempt follows, another event follows as well.',
    }),
    number: Nullable(Type.String(), 'The number as printed: 9 digits.'),
    reason: Nullable(Type.String(), 'Why there is no number, in words; null only for `issued`.'),
  },
  { description: 'The outcome of requesting an allocation number.' },
);
export type EventAllocation = Static<typeof EventAllocation>;

/** A message as an event states it. */
export const EventDelivery = Strict(
  {
    channel: Type.Enum(['email', 'whatsapp']),
    purpose: Type.Enum(['customer', 'accountant'], { description: 'Who receives the message.' }),
    recipient: Type.String({
      description: 'The address, masked: enough to recognize it.',
      examples: ['c***@example.com'],
    }),
    attempt: Type.Integer({ minimum: 0, description: 'How often it was attempted.' }),
    reason: Nullable(Type.String(), 'Why it was given up; null where it was sent.'),
  },
  { description: 'A message to the customer or the accountant.' },
);
export type EventDelivery = Static<typeof EventDelivery>;

/** The connection to the tax authority as an event states it. */
export const EventConnection = Strict(
  {
    valid_until: Nullable(Instant, 'By when the owner has to log in again; null where it has ended.'),
  },
  { description: 'The connection of the business to the tax authority.' },
);
export type EventConnection = Static<typeof EventConnection>;

/** What happened, by type: when it is published, and the members of its `data`. */
const kinds = {
  'document.issued': { when: 'A document was issued, by the API or in the console.', data: { document } },
  'document.cancelled': { when: 'A document was cancelled.', data: { document } },
  'document.closed': {
    when: 'A document was closed by another document that is based on it.',
    data: { document, closed_by: described(Uuid, 'The id of the document that closed it.') },
  },
  'allocation.issued': {
    when: 'A document has its allocation number.',
    data: { document, allocation: EventAllocation },
  },
  'allocation.refused': {
    when: 'The tax authority refused an allocation number.',
    data: { document, allocation: EventAllocation },
  },
  'allocation.failed': {
    when: 'An allocation number could not be obtained, for now or for good.',
    data: { document, allocation: EventAllocation },
  },
  'donation.reported': {
    when: 'A donation was reported to the tax authority, and has its number.',
    data: { document, donation: DonationOutcome },
  },
  'donation.refused': {
    when: 'The tax authority refused the report of a donation.',
    data: { document, donation: DonationOutcome },
  },
  'donation.failed': {
    when: 'A donation could not be reported: a person has to correct why.',
    data: { document, donation: DonationOutcome },
  },
  'delivery.sent': { when: 'A message left.', data: { document, delivery: EventDelivery } },
  'delivery.failed': {
    when: 'A message was given up for good.',
    data: { document, delivery: EventDelivery },
  },
  'reminder.sent': {
    when: 'A reminder of open documents left; `document` is the oldest of them.',
    data: { document, delivery: EventDelivery },
  },
  'reminder.failed': {
    when: 'A reminder of open documents was given up for good.',
    data: { document, delivery: EventDelivery },
  },
  'authority.expiring': {
    when: 'The owner has to log in at the tax authority within 15 days.',
    data: { connection: EventConnection },
  },
  'authority.disconnected': {
    when: 'The connection to the tax authority has ended.',
    data: { connection: EventConnection },
  },
  'endpoint.test': { when: 'The owner sends a test to an endpoint.', data: {} },
} as const satisfies Record<string, { when: string; data: Record<string, TSchema> }>;

export type EventType = keyof typeof kinds;
/** Every type of event. */
export const eventTypes = Object.keys(kinds) as readonly EventType[];

/** When an event of a type is published, in one sentence. */
export const whenOf = (type: EventType): string => kinds[type].when;

/** `document.issued` becomes `DocumentIssuedEvent`. */
export const eventName = (type: EventType): string =>
  `${type
    .split('.')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')}Event`;

const envelope = {
  id: EventId,
  timestamp: described(Instant, 'When it happened, in UTC.'),
  mode: Type.Enum([...modes], { description: 'The book that it belongs to.' }),
  business_id: described(Uuid, 'The business, as `GET /me` names it.'),
};

const eventOf = <T extends EventType>(type: T) =>
  Strict(
    {
      id: envelope.id,
      type: Type.Literal(type),
      timestamp: envelope.timestamp,
      mode: envelope.mode,
      business_id: envelope.business_id,
      data: Strict(kinds[type].data as (typeof kinds)[T]['data']),
    },
    { description: kinds[type].when },
  );

/** The schema of the events of each type. */
export const eventSchemas = Object.fromEntries(eventTypes.map((type) => [type, eventOf(type)])) as {
  readonly [T in EventType]: ReturnType<typeof eventOf<T>>;
};

/** An event, of any type. */
export const ApiEvent = Type.Union(Object.values(eventSchemas), {
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(eventTypes.map((type) => [type, `#/components/schemas/${eventName(type)}`])),
  },
  description:
    'Something that happened, as a webhook sends it and as the list has it. It is never changed. Ignore members and types that you do not know.',
});
/** An event as it was stored: what its `data` has depends on its type. */
export interface ApiEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly mode: (typeof modes)[number];
  readonly business_id: string;
  readonly data: {
    readonly document?: CreatedDocument;
    readonly closed_by?: string;
    readonly allocation?: EventAllocation;
    readonly donation?: DonationOutcome;
    readonly delivery?: EventDelivery;
    readonly connection?: EventConnection;
  };
}

/** A page of GET /events. */
export const EventPage = Strict({
  data: Type.Array(ApiEvent),
  next_cursor: Type.String({
    description:
      'Where to go on: the `cursor` of the next page, or, where this is the last one, of the next time. Never null.',
  }),
});

const EventTypeName = Type.Enum([...eventTypes], { description: 'The types of event.' });

/** The query of GET /events. */
export const EventQuery = Strict({
  type: Type.Optional(
    Type.Array(EventTypeName, {
      minItems: 1,
      maxItems: eventTypes.length,
      uniqueItems: true,
      description: 'Only events of these types; the parameter may be repeated.',
    }),
  ),
  document_id: Type.Optional(described(Uuid, 'Only events of this document.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Events in one page.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: '`next_cursor` of a page; the other parameters stay as they were. Absent: from the first.',
    }),
  ),
});
export type EventQuery = Static<typeof EventQuery>;

export const getEvents = defineRoute({
  operation: 'listEvents',
  summary: 'What happened, oldest first',
  description:
    'In the order of commits, a page at a time. Who goes on from `next_cursor` misses no event and sees none twice. Events begin with the first call, or with the first webhook endpoint, and are kept for 90 days.',
  path: '/events',
  scope: 'documents:read',
  query: EventQuery,
  reply: EventPage,
  errors: ['validation_error'],
});

export const getEventById = defineRoute({
  operation: 'getEvent',
  summary: 'One event',
  description: 'An event of another business does not exist.',
  path: '/events/:event_id',
  scope: 'documents:read',
  reply: ApiEvent,
  errors: ['not_found'],
});
