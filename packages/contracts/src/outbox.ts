import Type, { type Static } from 'typebox';
import { defineContract, type ServiceName, serviceNames } from './define.js';
import { Instant, Nullable, Strict, Uuid } from './schema/fields.js';
import { timeLimitsMs } from './time-limits.js';

/** The services that publish or handle events: all but the gateway and the console. */
export type MessagingService = Exclude<ServiceName, 'gateway' | 'console'>;
export const isMessagingService = (service: ServiceName): service is MessagingService =>
  service !== 'gateway' && service !== 'console';
export const messagingServices: readonly MessagingService[] = serviceNames.filter(isMessagingService);

/** An event whose handling failed for good, without its body, which holds personal data. */
export const DeadLetter = Strict({
  id: Uuid,
  service: Type.Enum([...messagingServices]),
  /** The durable name of the consumer. */
  consumer: Type.String(),
  /** The last token of the event's subject; not a UUID where the message did not come from an outbox. */
  document_id: Type.String(),
  /** The event's subject. */
  subject: Type.String(),
  /** Why the last attempt failed; holds no personal data. */
  reason: Type.String(),
  attempts: Type.Integer({ minimum: 0 }),
  dead_lettered_at: Instant,
  /**
   * False where no attempt can succeed: the event does not match its schema, or the service no longer has the consumer. Such a
   * dead letter can only be dropped.
   */
  redrivable: Type.Boolean(),
});
export type DeadLetter = Static<typeof DeadLetter>;

/** The place of an event in its service's outbox. */
export const OutboxPosition = Type.Integer({ minimum: 0 });

/** The most events on one page. */
export const outboxPageMax = 500;

/** The span under which work continues, as W3C Trace Context writes it. */
export const TraceHeaders = Strict({
  traceparent: Type.String({ minLength: 55, maxLength: 55 }),
  tracestate: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});
export type TraceHeaders = Static<typeof TraceHeaders>;

/** The contracts of a service's dead letters. */
function deadLetterContracts<S extends MessagingService>(service: S) {
  return {
    /** The dead letters of the service, a page at a time, ordered by id. */
    listDeadLetters: defineContract(`${service}.dead_letter.list`, {
      request: Strict({ after: Type.Optional(Uuid), limit: Type.Integer({ minimum: 1, maximum: 500 }) }),
      reply: Strict({
        dead_letters: Type.Array(DeadLetter),
        /** The `after` of the next page; null on the last one. */
        next_after: Nullable(Uuid),
      }),
    }),

    /** Handles a dead-lettered event again, from the stored copy. Repeated calls take effect once. */
    redriveDeadLetter: defineContract(`${service}.dead_letter.redrive`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /**
         * `handled` and `already_handled` (the effect existed before the call) remove the dead letter. `failed` stores the new
         * reason. `not_redrivable`: no attempt can succeed; the dead letter can only be dropped.
         */
        outcome: Type.Enum(['handled', 'already_handled', 'failed', 'not_redrivable']),
        /** Why it failed; null where it did not. */
        reason: Nullable(Type.String()),
      }),
      errors: ['not_found'],
      timeoutMs: timeLimitsMs.operatorCall,
    }),

    /** Removes a dead letter that is not redrivable. Its event counts as handled from then on. */
    dropDeadLetter: defineContract(`${service}.dead_letter.drop`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /** `redrivable`: not dropped, because a redrive may succeed. */
        outcome: Type.Enum(['dropped', 'redrivable']),
        /** The reason of the dead letter. */
        reason: Type.String(),
      }),
      errors: ['not_found'],
    }),
  };
}

/** The contracts of a service's outbox. */
function outboxContracts<S extends MessagingService>(service: S) {
  return {
    /**
     * The service's outbox events on one subject, oldest first, up to the last position before which no row can appear any more
     * (ADR 0011). Events younger than the service's `RECONCILE_AGE_MS` are left out.
     */
    listOutboxEvents: defineContract(`${service}.outbox_event.list`, {
      request: Strict({
        /** The event's subject without the document's id. */
        subject: Type.String({ minLength: 1, maxLength: 200 }),
        /** Exclusive. */
        after: OutboxPosition,
        limit: Type.Integer({ minimum: 1, maximum: outboxPageMax }),
        /** The consumer that calls, where it has handled or dead-lettered every event up to `after`: only later ones are kept for it. */
        consumer: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      }),
      reply: Strict({
        events: Type.Array(Strict({ position: OutboxPosition, id: Uuid })),
        /** The position up to which, inclusive, the list is final; at least `after`. */
        through: OutboxPosition,
        /** Whether to request the next page, after `through`. A page may be short or empty without being the last. */
        more: Type.Boolean(),
      }),
    }),

    /** One outbox event, as it was published. */
    getOutboxEvent: defineContract(`${service}.outbox_event.get`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /** With the document's id. */
        subject: Type.String(),
        /** The event's body; its handler validates it. */
        body: Type.Unknown(),
        /** The HTTP request that led to the event, where there was one. */
        request_id: Nullable(Type.String()),
        /** Absent where the event belongs to no trace. */
        trace: Type.Optional(TraceHeaders),
      }),
      errors: ['not_found'],
    }),
  };
}

/** The contracts of a service's outbox and dead letters. The kit handles them. */
export function messagingContracts<S extends MessagingService>(service: S) {
  return { ...deadLetterContracts(service), ...outboxContracts(service) };
}

export type MessagingContracts = ReturnType<typeof messagingContracts<MessagingService>>;

/** The messaging contracts by service. */
export const messaging: Readonly<Record<MessagingService, MessagingContracts>> = {
  issuing: messagingContracts('issuing'),
  customer: messagingContracts('customer'),
  rendering: messagingContracts('rendering'),
  allocation: messagingContracts('allocation'),
  delivery: messagingContracts('delivery'),
};
