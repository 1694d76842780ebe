import {
  type ApiEvent,
  type CreatedDocument,
  type EventType,
  type ListedDocument,
  type PublicUrls,
  toCreatedDocument,
  toEventId,
} from '@pinkas/contracts';
import { businessOfBook, modeOfBook } from '@pinkas/domain';

/** An event that is to be stored. */
export interface NewEvent {
  readonly business_id: string;
  readonly id: string;
  readonly type: EventType;
  readonly document_id: string | null;
  /** Its number in the order of commits of issuing; null: another service has published it. */
  readonly sequence: number | null;
  /** What is sent and listed, in this form for ever. */
  readonly body: string;
}

/** Completes an event with its body. */
export function newEvent(
  event: Omit<NewEvent, 'body'> & { readonly occurredAt: string; readonly data: ApiEvent['data'] },
): NewEvent {
  const { occurredAt, data, ...stored } = event;
  const body: ApiEvent = {
    id: toEventId(event.id),
    type: event.type,
    timestamp: occurredAt,
    mode: modeOfBook(event.business_id),
    business_id: businessOfBook(event.business_id),
    data,
  };
  return { ...stored, body: JSON.stringify(body) };
}

/** A document as an item of a list. */
export const listItem = (listed: ListedDocument, urls: PublicUrls): CreatedDocument =>
  toCreatedDocument(listed, urls);
