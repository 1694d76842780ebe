import type { documentEventDue, EventOf } from '@pinkas/contracts';
import { type BookedDocument, provokedOutcomes } from '@pinkas/domain';

/** What an item of a test document provokes of the connection to the tax authority, for its event (ADR 0052). */
export function provokedConnection(
  document: BookedDocument,
): Pick<EventOf<typeof documentEventDue>, 'connection'> {
  const { authority } = provokedOutcomes(document.business_id, document);
  return authority === undefined ? {} : { connection: authority };
}
