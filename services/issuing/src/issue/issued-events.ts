import { cardChanged, documentIssued, donationDue, messageDue, numberRequired } from '@pinkas/contracts';
import { makeEvent, type OutboxEvent, type OutboxTransaction, withContext } from '@pinkas/service-kit';
import type { IssuingTables } from '../document/document.tables.js';
import type { RenderedDraft } from './draft-rendering.js';

/** The record of an issued document, and an event for each service that has work to do for it (ADR 0058). @param hash in its chain. */
export function issuedEvents(
  trx: OutboxTransaction<IssuingTables>,
  { draft, document, outcomes, artifact }: RenderedDraft,
  hash: Buffer,
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
      hash: hash.toString('hex'),
      artifact_sha256: artifact.sha256,
    }),
    ...(outcomes.allocation === null ? [makeEvent(trx, numberRequired, id, facts)] : []),
    ...(isDonationDue ? [makeEvent(trx, donationDue, id, facts)] : []),
    ...(outcomes.isMessageDue
      ? [makeEvent(trx, messageDue, id, { ...facts, delivery: outcomes.delivery, number_required })]
      : []),
    ...(draft.customer_changes
      ? [makeEvent(trx, cardChanged, id, { business_id, document_id: id, customer, issued_at })]
      : []),
  ]);
}
