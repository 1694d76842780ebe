import { cardChanged, documentIssued, donationDue, messageDue, numberRequired } from '@pinkas/contracts';
import { makeEvent, type OutboxEvent, type OutboxTransaction, withContext } from '@pinkas/service-kit';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { documentEvent } from '../document/document-events.js';
import { provokedConnection } from '../test-mode/provoked-connection.js';
import type { RenderedDraft } from './draft-rendering.js';
import type { HashedDocumentRow } from './issue.repository.js';

/**
 * The record of an issued document, an event for each service that has work to do for it (ADR 0058), and one for callers where the
 * business wants them.
 */
export function issuedEvents(
  trx: OutboxTransaction<IssuingTables>,
  { draft, document, outcomes, artifact, row }: RenderedDraft & { row: HashedDocumentRow },
): OutboxEvent[] {
  const { id, business_id, type, number, customer, issued_at } = document;
  const facts = { document, business: draft.request.business, artifact_sha256: artifact.sha256 };
  const isDonationDue = outcomes.donation === null;
  const number_required = outcomes.allocation === null || isDonationDue;
  return withContext(draft.context, () => [
    makeEvent(trx, documentIssued, id, {
      business_id,
      document_id: id,
      type,
      number,
      hash: row.hash.toString('hex'),
      artifact_sha256: artifact.sha256,
    }),
    ...(outcomes.allocation === null ? [makeEvent(trx, numberRequired, id, facts)] : []),
    ...(isDonationDue ? [makeEvent(trx, donationDue, id, facts)] : []),
    ...(outcomes.isMessageDue
      ? [makeEvent(trx, messageDue, id, { ...facts, delivery: outcomes.delivery, number_required })]
      : []),
    ...(draft.request.business.events
      ? [documentEvent(trx, 'document.issued', row, issued_at, provokedConnection(document))]
      : []),
    ...(draft.customer_changes
      ? [makeEvent(trx, cardChanged, id, { business_id, document_id: id, customer, issued_at })]
      : []),
  ]);
}

/** The events for callers about sources that documents have closed, where the business wants them. */
export function closedEvents(
  trx: OutboxTransaction<IssuingTables>,
  closed: readonly DocumentRow[],
  rendered: readonly RenderedDraft[],
): OutboxEvent[] {
  return closed.flatMap((source) => {
    const closing = rendered.find(({ document }) => document.based_on?.id === source.id);
    if (!closing?.draft.request.business.events) {
      return [];
    }
    const { id, issued_at } = closing.document;
    return withContext(closing.draft.context, () => [
      documentEvent(trx, 'document.closed', source, issued_at, { closed_by: id }),
    ]);
  });
}
