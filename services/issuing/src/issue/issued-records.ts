import {
  cardChanged,
  documentIssued,
  donationDue,
  messageDue,
  numberRequired,
  type PreviewWarning,
} from '@pinkas/contracts';
import {
  actorOf,
  appendTrail,
  makeEvent,
  type OutboxEvent,
  type OutboxTransaction,
  withContext,
} from '@pinkas/service-kit';
import { documentHash, stateOf } from '../chain/document-hash.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables } from '../document/document.tables.js';
import { documentEvent } from '../document/document-events.js';
import { toRow } from '../document/document-row.js';
import { paymentsSum } from '../document/document-rules.js';
import { recordSetOffs, storeSetOffs } from '../settle/record-set-offs.js';
import { provokedConnection } from '../test-mode/provoked-connection.js';
import type { LockedRows, RenderedDraft } from './draft-rendering.js';
import type { HashedDocumentRow } from './issue.repository.js';

type Trx = OutboxTransaction<IssuingTables>;

/** A rendered draft with its row. */
type DraftWithRow = RenderedDraft & { readonly row: HashedDocumentRow };

/** The rows of documents, whose hashes continue the chain of the locked series. */
export function withRows(
  { series, sources }: LockedRows,
  rendered: readonly RenderedDraft[],
  warnings: readonly (readonly PreviewWarning[])[],
): DraftWithRow[] {
  let previous = series.last_hash;
  return rendered.map((draft, index) => {
    const row = rowOf(draft, sources, warnings[index] ?? []);
    const hash = documentHash(row, stateOf(row), previous);
    previous = hash;
    return { ...draft, row: { ...row, hash } };
  });
}

function rowOf(
  { draft, document, issuedAt, artifact, outcomes }: RenderedDraft,
  sources: LockedRows['sources'],
  warnings: readonly PreviewWarning[],
) {
  const { request, key } = draft;
  return toRow(document, {
    business: request.business,
    issuedAt,
    paid: paymentsSum(request.body),
    sourceCustomerId: sources.get(document.based_on?.id ?? '')?.customer_id,
    body_sha256: key.body_sha256,
    idempotency_key: key.idempotency_key,
    issuer: request.issuer,
    artifact_sha256: artifact.sha256,
    outcomes,
    warnings,
  });
}

/** Stores what receipts set at once against documents or withhold, each under the id of its receipt, and records it in the trail. */
export async function storeSetOffsOf(
  trx: Trx,
  documents: LockedRows['sources'],
  rendered: readonly RenderedDraft[],
): Promise<void> {
  for (const { draft, document, issuedAt, setOffs } of rendered) {
    if (setOffs.length > 0) {
      const { business_id, id, number, date } = document;
      const { issuer } = draft.request;
      const person_id = issuer.kind === 'person' ? issuer.id : undefined;
      const withheld = { on: date, confirmation: draft.request.withheld?.confirmation };
      const act = { business_id, documents, person_id, withheld };
      await storeSetOffs(trx, { ...act, id, at: issuedAt }, setOffs);
      await withContext(draft.context, () =>
        recordSetOffs(trx, { ...act, isRemoved: false, receipt: number }, setOffs),
      );
    }
  }
}

/** Records in the trail the documents that persons issue, as all that persons do. */
export async function recordPersons(trx: Trx, rendered: readonly RenderedDraft[]): Promise<void> {
  for (const { draft, document } of rendered) {
    const { issuer } = draft.request;
    if (issuer.kind === 'person') {
      await withContext(draft.context, () =>
        appendTrail(trx, {
          business_id: document.business_id,
          action: 'document.issue',
          subject: document.id,
          actor: actorOf(issuer.id),
          before: null,
          after: { type: document.type, number: document.number },
        }),
      );
    }
  }
}

/**
 * The record of an issued document, an event for each service that has work to do for it (ADR 0058), and one for callers where the
 * business wants them.
 */
export function issuedEvents(
  trx: Trx,
  { draft, document, outcomes, artifact, row }: DraftWithRow,
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
  trx: Trx,
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
