import type { EventType, endpointDisabledReasons } from '@pinkas/contracts';
import type { Generated, Selectable } from 'kysely';

/** The end of the list of events of a book. Its lock orders what is added. */
export interface EventBookTable {
  business_id: string;
  last_position: Generated<number>;
  /** The number that issuing gave to the last of its events that are listed. */
  last_sequence: Generated<number>;
  /** How many events wait for one that was committed before them. */
  unlisted: Generated<number>;
}

/** An event of the HTTP API. */
export interface EventTable {
  business_id: string;
  id: string;
  type: EventType;
  document_id: string | null;
  /** Its number in the order of commits of issuing; null: another service has published it. */
  sequence: number | null;
  /** In the list of the book; null: an event that was committed before it has not arrived yet. */
  position: number | null;
  /** What webhooks send and the list has. */
  body: string;
  stored_at: Date;
}

/** Where the events of a book are sent. */
export interface WebhookEndpointTable {
  business_id: string;
  id: string;
  url: string;
  /** Null: all. */
  types: EventType[] | null;
  description: string | null;
  enabled: Generated<boolean>;
  disabled_reason: (typeof endpointDisabledReasons)[number] | null;
  /** Encrypted. */
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  created_at: Date;
  /** From then on it does not exist; what is left of it is deleted in parts. */
  removed_at: Date | null;
  /** Since when every attempt has failed. */
  failing_since: Date | null;
  last_received_at: Date | null;
  last_failed_at: Date | null;
  last_failure: string | null;
  /** The emails to the owner about it since it last received. */
  notices: Generated<number>;
  notice_claimed_until: Date | null;
  /** The day, in UTC, of `answer_bytes`. */
  answered_on: string | null;
  /** What the log has stored of its answers on that day. */
  answer_bytes: Generated<number>;
}

/** An event for an endpoint. */
export interface WebhookTable {
  business_id: string;
  endpoint_id: string;
  event_id: string;
  state: Generated<'pending' | 'received' | 'given_up'>;
  attempts: Generated<number>;
  /** Those before it was last made due by a person. */
  earlier_attempts: Generated<number>;
  next_attempt_at: Date;
  claimed_until: Date | null;
}

/** One request to an endpoint, stored after it. */
export interface WebhookAttemptTable {
  business_id: string;
  endpoint_id: string;
  event_id: string;
  n: number;
  started_at: Date;
  duration_ms: number;
  received: boolean;
  status: number | null;
  /** Why it counts as failed; null where it was received. */
  reason: string | null;
  /** The first 4 KB of the answer; nothing of it where its endpoint has filled the log of the day. */
  response: string;
}

export type EndpointRow = Selectable<WebhookEndpointTable>;

/** An endpoint by its key. */
export interface EndpointKey {
  business_id: string;
  id: string;
}

/** The tables of events and webhooks. */
export interface WebhookTables {
  event_book: EventBookTable;
  event: EventTable;
  webhook_endpoint: WebhookEndpointTable;
  webhook: WebhookTable;
  webhook_attempt: WebhookAttemptTable;
}
