import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { EventId, eventTypes } from '../http/events.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';

const EventTypeName = Type.Enum([...eventTypes]);

/** The position of an event in the list of its business. */
const EventPosition = Type.Integer({ minimum: 0 });

/** An event as it was stored: the JSON text that webhooks send, of which no reader drops a member. */
const StoredEvent = Type.String();

/** The events of one business in the order of commits, oldest first, a page at a time. */
export const listEvents = defineContract('delivery.event.list', {
  request: Strict({
    business_id: Uuid,
    types: Type.Optional(Type.Array(EventTypeName, { minItems: 1, maxItems: eventTypes.length })),
    document_id: Type.Optional(Uuid),
    /** Only events behind this position. */
    after: EventPosition,
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
  }),
  reply: Strict({
    events: Type.Array(StoredEvent),
    /** The `after` to go on with, now or later. */
    next_after: EventPosition,
  }),
});

/** One event of one business. */
export const getEvent = defineContract('delivery.event.get', {
  request: Strict({ business_id: Uuid, event_id: Uuid }),
  reply: Strict({ event: StoredEvent }),
  errors: ['not_found'],
});

/** Why an endpoint gets nothing: its owner, its answer 410, or failures for days. */
export const endpointDisabledReasons = ['owner', 'gone', 'failing'] as const;

/** An endpoint of webhooks, without its secret. */
export const WebhookEndpoint = Strict({
  id: Uuid,
  business_id: Uuid,
  url: Type.String(),
  /** Null: all, those of later releases included. */
  types: Nullable(Type.Array(EventTypeName)),
  description: Nullable(Type.String()),
  enabled: Type.Boolean(),
  /** Null while it is enabled. */
  disabled_reason: Nullable(Type.Enum([...endpointDisabledReasons])),
  created_at: Instant,
  /** Until when the secret before the present one signs as well; null: there is none. */
  previous_secret_until: Nullable(Instant),
  /** Since when every attempt has failed; null: the last one did not. */
  failing_since: Nullable(Instant),
  last_received_at: Nullable(Instant),
  /** The last attempt that failed. */
  last_failure: Nullable(Strict({ at: Instant, reason: Type.String() })),
  /** How many webhooks wait, of a thousand at most. */
  pending: Type.Integer({ minimum: 0 }),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** `whsec_` and 32 random bytes in base64; shown this once. */
const EndpointWithSecret = Strict({ endpoint: WebhookEndpoint, secret: Type.String() });

/** Creates an endpoint; events begin with the first one of the business. */
export const createEndpoint = defineContract('delivery.endpoint.create', {
  request: Strict({
    business_id: Uuid,
    url: Type.String({ minLength: 1, maxLength: 500 }),
    /** Absent: all. */
    types: Type.Optional(Type.Array(EventTypeName, { minItems: 1, maxItems: eventTypes.length })),
    description: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    person_id: PersonId,
  }),
  reply: EndpointWithSecret,
  /** `validation_error` at `/url`: it is no address that may be sent to; at ``: the book has as many as it may have. */
  errors: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
});

/** The endpoints of one book, in the order of their creation. */
export const listEndpoints = defineContract('delivery.endpoint.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ endpoints: Type.Array(WebhookEndpoint) }),
});

const ofEndpoint = {
  endpoint_id: Uuid,
  /** Only an endpoint of this book; absent: of any. */
  business_id: Type.Optional(Uuid),
};

/** One endpoint. */
export const showEndpoint = defineContract('delivery.endpoint.show', {
  request: Strict(ofEndpoint),
  reply: Strict({ endpoint: WebhookEndpoint }),
  errors: ['not_found'],
});

/** Enables or disables an endpoint. What happened while it was disabled is sent by `resendWebhooks` alone. */
export const setEndpointEnabled = defineContract('delivery.endpoint.set_enabled', {
  request: Strict({ ...ofEndpoint, enabled: Type.Boolean(), person_id: PersonId }),
  reply: Strict({ endpoint: WebhookEndpoint }),
  errors: ['not_found'],
});

/** Removes an endpoint with its log. */
export const removeEndpoint = defineContract('delivery.endpoint.remove', {
  request: Strict({ ...ofEndpoint, person_id: PersonId }),
  reply: Strict({ endpoint: WebhookEndpoint }),
  errors: ['not_found'],
});

/** Gives an endpoint another secret; the one before stays valid for 24 hours. */
export const rotateEndpointSecret = defineContract('delivery.endpoint.rotate', {
  request: Strict({ ...ofEndpoint, person_id: PersonId }),
  reply: EndpointWithSecret,
  errors: ['not_found'],
});

/** Sends an event `endpoint.test` to one endpoint, which has to be enabled. */
export const testEndpoint = defineContract('delivery.endpoint.test', {
  request: Strict({ ...ofEndpoint, person_id: PersonId }),
  reply: Strict({ event_id: EventId }),
  errors: ['not_found', 'validation_error'],
});

/** Sends events to an endpoint again: one, received or not; or all that it has not received since an instant, in several calls. */
export const resendWebhooks = defineContract('delivery.endpoint.resend', {
  request: Strict({
    ...ofEndpoint,
    event_id: Type.Optional(EventId),
    since: Type.Optional(Instant),
    /** The `next_after` of the call before. */
    after: Type.Optional(EventPosition),
    person_id: PersonId,
  }),
  reply: Strict({
    /** How many are due. */
    resent: Type.Integer({ minimum: 0 }),
    /** For another call; null: there are no more. */
    next_after: Nullable(EventPosition),
  }),
  /** `validation_error`: the endpoint is disabled, or neither or both of event and instant are named. */
  errors: ['not_found', 'validation_error'],
});

/** The end of a page of the log. */
const WebhookAttemptPosition = Strict({ started_at: Instant, event_id: EventId, n: Type.Integer() });

/** One attempt to send an event to an endpoint. */
export const WebhookAttempt = Strict({
  event_id: EventId,
  type: EventTypeName,
  n: Type.Integer({ minimum: 1 }),
  started_at: Instant,
  duration_ms: Type.Integer({ minimum: 0 }),
  received: Type.Boolean(),
  /** Of the answer; null where there was none. */
  status: Nullable(Type.Integer()),
  /** Why it counts as failed; null where it was received. */
  reason: Nullable(Type.String()),
  /** The first 4 KB of the body that was sent. */
  request: Type.String(),
  /** The first 4 KB of the answer; empty where its endpoint has filled the log of the day. */
  response: Type.String(),
  /** When the next attempt is due; null where this is not the last one, or none follows. */
  next_attempt_at: Nullable(Instant),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** The attempts of the last 30 days, the latest first, a page at a time. */
export const listWebhookAttempts = defineContract('delivery.webhook_attempt.list', {
  request: Strict({
    ...ofEndpoint,
    after: Type.Optional(WebhookAttemptPosition),
    limit: Type.Integer({ minimum: 1, maximum: 50 }),
  }),
  reply: Strict({
    attempts: Type.Array(WebhookAttempt),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(WebhookAttemptPosition),
  }),
  errors: ['not_found'],
});
