import { isUuid } from '@pinkas/contracts';
import type { LogContext } from '../process/context.js';

/** The ids of the business and the document in a request or an event, where it has them at the usual places. */
export function logContextOf(value: unknown): LogContext {
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
