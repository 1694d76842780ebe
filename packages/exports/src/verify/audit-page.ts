import type { Call } from '@pinkas/contracts';
import {
  auditAllocations,
  auditArtifacts,
  auditCustomers,
  auditDeliveries,
  type BookEntry,
} from '@pinkas/contracts';
import { type Finding, findingOf } from './checks.js';
import type { DeadLetteredWork } from './dead-lettered-work.js';
import { checkDelivery, type DeliveryAudit } from './delivery-sends.js';
import {
  type AllocationAudit,
  type ArtifactAudit,
  type Audits,
  type CustomerAudit,
  checkAllocation,
  pendingWork,
  stateOfWork,
} from './pending-work.js';

/** How many documents are audited by one call: the maximum of rendering. */
export const pageSize = 20;

/** What the other services have stored, compared with a page of the book. */
export interface AuditedPage {
  readonly findings: readonly Finding[];
  /** Work that is due, and not yet late. */
  readonly pending: number;
  /** Work that is dead-lettered, where `pinkas queue dead` shows it. */
  readonly deadLettered: number;
}

/** Compares a page of the book with what customer, allocation, delivery and rendering have stored. */
export async function auditPage(
  call: Call,
  businessId: string,
  entries: readonly BookEntry[],
  deadLetters: DeadLetteredWork,
): Promise<AuditedPage> {
  if (entries.length === 0) {
    return { findings: [], pending: 0, deadLettered: 0 };
  }
  const auditsOf = await readAudits(call, businessId, entries);
  const now = new Date();
  const findings: Finding[] = [];
  const counts = { pending: 0, deadLettered: 0 };
  for (const entry of entries) {
    const { document } = entry;
    const audits = auditsOf(document.id);
    findings.push(
      ...audits.artifact.findings.map(({ message }) => findingOf('pdf', document, message)),
      ...checkAllocation(entry, audits.allocation),
      ...checkDelivery(entry, audits.delivery),
    );
    for (const work of pendingWork(entry, audits, now)) {
      const state = stateOfWork(work, deadLetters.of(document.id), now);
      if (state === 'late') {
        findings.push(findingOf('pending_work', document, work.message));
      } else {
        counts[state] += 1;
      }
    }
  }
  return { findings, ...counts };
}

/** Calls the audits of the other services for a page. */
async function readAudits(
  call: Call,
  businessId: string,
  entries: readonly BookEntry[],
): Promise<(documentId: string) => Audits> {
  const request = { business_id: businessId, document_ids: entries.map(({ document }) => document.id) };
  const customersOf = entries.map(({ document }) => ({
    document_id: document.id,
    customer_id: document.customer.id,
  }));
  const [customers, allocations, deliveries] = await Promise.all([
    call(auditCustomers, { business_id: businessId, documents: customersOf }).then(({ documents }) =>
      byId<CustomerAudit>(documents),
    ),
    call(auditAllocations, request).then(({ documents }) => byId<AllocationAudit>(documents)),
    call(auditDeliveries, request).then(({ documents }) => byId<DeliveryAudit>(documents)),
  ]);
  const artifacts = await call(auditArtifacts, {
    business_id: businessId,
    documents: entries.map(({ document, state, artifact_sha256, without_prices }) => ({
      document_id: document.id,
      type: document.type,
      number: document.number,
      total: document.totals.total,
      ...(without_prices && { without_prices }),
      // The PDF may have a number that the book has not recorded yet.
      allocation_number: state.allocation_number ?? state.donation?.number ?? allocations(document.id).number,
      cancelled_at: state.cancelled_at,
      ...(state.donation?.status === 'cancelled' && { report_cancelled: true }),
      artifact_sha256,
    })),
  }).then(({ documents }) => byId<ArtifactAudit>(documents));
  return (id) => ({
    customer: customers(id),
    allocation: allocations(id),
    delivery: deliveries(id),
    artifact: artifacts(id),
  });
}

/** @throws Error for a document that a service left out: what is not known must not count as verified. */
function byId<A extends { document_id: string }>(audits: readonly A[]): (id: string) => A {
  const byDocument = new Map(audits.map((audit) => [audit.document_id, audit]));
  return (id) => {
    const found = byDocument.get(id);
    if (!found) {
      throw new Error(`A service did not audit document ${id}: see its log, and try again`);
    }
    return found;
  };
}
