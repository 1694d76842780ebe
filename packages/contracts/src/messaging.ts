import Type, { type Static } from 'typebox';
import { defineContract, type ServiceName, serviceNames } from './define.js';
import { Instant, Nullable, Strict, Uuid } from './fields.js';

/** The services that announce events or handle them. The gateway does neither. */
export type MessagingService = Exclude<ServiceName, 'gateway'>;
export const messagingServices: readonly MessagingService[] = serviceNames.filter(
  (name): name is MessagingService => name !== 'gateway',
);

/** A step that was given up after bounded tries, without the event's body, which holds personal data. */
export const DeadLetter = Strict({
  id: Uuid,
  service: Type.Enum([...messagingServices]),
  /** The step: the durable name of the consumer. */
  consumer: Type.String(),
  /** The last part of the event's subject; no UUID where a stranger has published it. */
  document_id: Type.String(),
  /** The subject that the event came on. */
  subject: Type.String(),
  /** Why the last try failed, in words that hold no personal data. */
  reason: Type.String(),
  /** How often it was tried. */
  attempts: Type.Integer({ minimum: 0 }),
  given_up_at: Instant,
  /**
   * False where no further try can succeed: the event does not match its schema, or the service has no such step any more. Then
   * it can only be dropped.
   */
  redrivable: Type.Boolean(),
});
export type DeadLetter = Static<typeof DeadLetter>;

/** Where an announcement stands in the order of a service's announcements. */
export const AnnouncementPosition = Type.Integer({ minimum: 0 });

/** How many announcements a page has at the most. */
export const announcementsPageMax = 500;

/** The place in a trace at which work goes on, as W3C Trace Context writes it. */
export const TraceCarrier = Strict({
  traceparent: Type.String({ minLength: 55, maxLength: 55 }),
  tracestate: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});
export type TraceCarrier = Static<typeof TraceCarrier>;

/**
 * What every service answers about its own events: which steps it gave up, and what it has announced. The kit handles them.
 */
export function messagingContracts<S extends MessagingService>(service: S) {
  return {
    /** The steps that the service gave up, a page at a time in the order of their ids. */
    listDeadLetters: defineContract(`${service}.dead_letter.list`, {
      request: Strict({ after: Type.Optional(Uuid), limit: Type.Integer({ minimum: 1, maximum: 500 }) }),
      reply: Strict({
        dead_letters: Type.Array(DeadLetter),
        /** Ask again with `after` to go on; null at the end. */
        next_after: Nullable(Uuid),
      }),
    }),

    /** Carries out a step that was given up now, from what is stored of it. Asked twice, it takes effect once. */
    redriveDeadLetter: defineContract(`${service}.dead_letter.redrive`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /**
         * `done`: it took effect now. `done_before`: it had taken effect already. Both end the dead letter. `failed`: it stays,
         * with the new reason. `impossible`: it stays, and no redrive can succeed; it can only be dropped.
         */
        outcome: Type.Enum(['done', 'done_before', 'failed', 'impossible']),
        /** Why it failed; null where it did not. */
        reason: Nullable(Type.String()),
      }),
      problems: ['not_found'],
      timeoutMs: 30_000,
    }),

    /** Removes a step that was given up and that no redrive can carry out. It never comes back by itself. */
    dropDeadLetter: defineContract(`${service}.dead_letter.drop`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /** `redrivable`: it stays, since a redrive may still succeed. */
        outcome: Type.Enum(['dropped', 'redrivable']),
        /** Why it was given up. */
        reason: Type.String(),
      }),
      problems: ['not_found'],
    }),

    /**
     * What the service has announced on one subject, the oldest first: only what can get no elder neighbour any more, and is
     * so old that its stream has had its time (see ADR 0011).
     */
    listAnnouncements: defineContract(`${service}.announcement.list`, {
      request: Strict({
        /** The event's subject without the document's id. */
        subject: Type.String({ minLength: 1, maxLength: 200 }),
        /** Only what was announced after this position. */
        after: AnnouncementPosition,
        limit: Type.Integer({ minimum: 1, maximum: announcementsPageMax }),
      }),
      reply: Strict({
        announcements: Type.Array(Strict({ position: AnnouncementPosition, id: Uuid })),
        /** Up to here, inclusive, the list is complete and stays so; `after` at the least. */
        through: AnnouncementPosition,
        /** Whether to ask again at once, after `through`; a page may hold few announcements, or none, and not be the last. */
        more: Type.Boolean(),
      }),
    }),

    /** One announcement whole, as its event carried it. */
    getAnnouncement: defineContract(`${service}.announcement.get`, {
      request: Strict({ id: Uuid }),
      reply: Strict({
        /** With the document's id. */
        subject: Type.String(),
        /** The event's body; whoever handles it holds it against the event's schema. */
        body: Type.Unknown(),
        /** The request that it came from, where there was one. */
        request_id: Nullable(Type.String()),
        /** The trace that it belongs to; absent where there is none. */
        trace: Type.Optional(TraceCarrier),
      }),
      problems: ['not_found'],
    }),
  };
}

export type MessagingContracts = ReturnType<typeof messagingContracts<MessagingService>>;

/** The messaging contracts of every service that has them. */
export const messaging: Readonly<Record<MessagingService, MessagingContracts>> = {
  issuing: messagingContracts('issuing'),
  customer: messagingContracts('customer'),
  rendering: messagingContracts('rendering'),
  allocation: messagingContracts('allocation'),
  delivery: messagingContracts('delivery'),
};
