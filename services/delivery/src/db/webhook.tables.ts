import type { EventType, endpointDisabledReasons } from '@pinkas/contracts';
import type { AsGenerated, Typed } from '@pinkas/service-kit';
import type { Generated, Selectable } from 'kysely';
import type { GeneratedTables } from './generated.tables.js';

export type EndpointRow = Selectable<WebhookEndpointTable>;

/** An endpoint by its key. */
export interface EndpointKey {
  business_id: string;
  id: string;
}

/** What is not generated: what JSON has, and which words a text may be. */
interface OwnWebhookTables {
  /** The end of the list of events of a book. Its lock orders what is added. */
  event_book: AsGenerated;
  /** An event of the HTTP API. */
  event: {
    type: EventType;
  };
  /**
   * Where the events of a book are sent.
   * - `failing_since`: Since when every attempt has failed.
   * - `answered_on`: The day, in UTC, of `answer_bytes`.
   */
  webhook_endpoint: {
    /** Null: all. */
    types: EventType[] | null;
    disabled_reason: (typeof endpointDisabledReasons)[number] | null;
  };
  /** An event for an endpoint. */
  webhook: {
    state: Generated<'pending' | 'received' | 'given_up'>;
  };
  /**
   * One request to an endpoint, stored after it.
   * - `reason`: Why it counts as failed; null where it was received.
   * - `response`: The first 4 KB of the answer; nothing of it where its endpoint has filled the log of the day.
   */
  webhook_attempt: AsGenerated;
}

/** The tables of events and webhooks. */
export interface WebhookTables extends Typed<GeneratedTables, OwnWebhookTables> {}

export type EventBookTable = WebhookTables['event_book'];
export type WebhookEndpointTable = WebhookTables['webhook_endpoint'];
