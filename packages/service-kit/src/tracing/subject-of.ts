import { isUuid } from '@pinkas/contracts';
import type { Subject } from '../context.js';

/** What a request or an event is about, as far as it says so where all of ours do. */
export function subjectOf(value: unknown): Subject {
  const { business_id, document_id, business, document } = membersOf(value);
  const { id: documentId, business_id: ownerId } = membersOf(document);
  return {
    business_id: uuidOf(business_id) ?? uuidOf(membersOf(business).id) ?? uuidOf(ownerId),
    document_id: uuidOf(document_id) ?? uuidOf(documentId),
  };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const uuidOf = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value : undefined;
