import { auditAllocations, auditArtifacts, auditDeliveries, type BookEntry } from '@pinkas/contracts';
import type { Ask } from '../command.js';
import { Refusal } from '../refusal.js';
import { type Fault, faultOf } from './checks.js';
import {
  type AllocationAudit,
  type ArtifactAudit,
  faultsOfAllocation,
  judgeStep,
  owedSteps,
} from './owed-steps.js';
import type { ParkedSteps } from './parked-steps.js';
import { type DeliveryAudit, faultsOfDelivery } from './sent-once.js';

/** How many documents are audited by one question: rendering takes no more. */
export const pageSize = 20;

/** What the other services hold against a page of the book. */
export interface AuditedPage {
  readonly faults: readonly Fault[];
  /** Steps that are due and so young that they are under way. */
  readonly underWay: number;
  /** Steps that were given up, where `pinkas queue dead` shows them. */
  readonly parked: number;
}

/** Holds a page of the book against what allocation, delivery and rendering have stored. */
export async function auditPage(
  ask: Ask,
  businessId: string,
  entries: readonly BookEntry[],
  parked: ParkedSteps,
): Promise<AuditedPage> {
  if (entries.length === 0) return { faults: [], underWay: 0, parked: 0 };
  const request = { business_id: businessId, document_ids: entries.map(({ document }) => document.id) };
  const [allocations, deliveries] = await Promise.all([
    ask(auditAllocations, request).then(({ documents }) => byId<AllocationAudit>(documents)),
    ask(auditDeliveries, request).then(({ documents }) => byId<DeliveryAudit>(documents)),
  ]);
  const artifacts = await ask(auditArtifacts, {
    business_id: businessId,
    documents: entries.map(({ document, state, artifact_sha256 }) => ({
      document_id: document.id,
      type: document.type,
      number: document.number,
      total: document.totals.total,
      // A number that the book has not recorded yet is printed all the same.
      allocation_number: state.allocation_number ?? allocations(document.id).number,
      cancelled_at: state.cancelled_at,
      artifact_sha256,
    })),
  }).then(({ documents }) => byId<ArtifactAudit>(documents));

  const now = new Date();
  const faults: Fault[] = [];
  let underWay = 0;
  let parkedSteps = 0;
  for (const entry of entries) {
    const { document } = entry;
    const audits = {
      allocation: allocations(document.id),
      delivery: deliveries(document.id),
      artifact: artifacts(document.id),
    };
    faults.push(
      ...audits.artifact.faults.map(({ words }) => faultOf('pdf', document, words)),
      ...faultsOfAllocation(entry, audits.allocation),
      ...faultsOfDelivery(entry, audits.delivery),
    );
    for (const step of owedSteps(entry, audits, now)) {
      const judged = judgeStep(document, step, parked.of(document.id), now);
      if (judged === 'parked') parkedSteps += 1;
      else if (judged === 'under_way') underWay += 1;
      else faults.push(judged);
    }
  }
  return { faults, underWay, parked: parkedSteps };
}

/** @throws Refusal for a document of which nothing was said: what is not known must not pass for proven. */
function byId<A extends { document_id: string }>(answers: readonly A[]): (id: string) => A {
  const known = new Map(answers.map((answer) => [answer.document_id, answer]));
  return (id) => {
    const found = known.get(id);
    if (!found) throw new Refusal(`A service said nothing of document ${id}: see its log, and try again`);
    return found;
  };
}
