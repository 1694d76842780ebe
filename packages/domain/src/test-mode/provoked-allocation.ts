import * as law from '../allocation-decision.js';
import type { Agorot } from '../money/agorot.js';
import { type BookedDocument, provokedOutcomes } from './provoked-outcomes.js';

type Document = law.AllocatedDocument & BookedDocument;

/** The decision of the law, unless an item of a test document whose type may get a number provokes another one (ADR 0052). */
export function decideAllocation(
  document: Document,
  business: law.AllocatingBusiness,
  options: law.AllocationOptions = {},
): law.AllocationDecision {
  const provoked = provokedOutcomes(document.business_id, document).allocation;
  if (provoked === undefined || !law.mayGetNumber(document)) {
    return law.decideAllocation(document, business, options);
  }
  return provoked === 'issued' || provoked === 'failed' || provoked === 'late'
    ? { required: true }
    : { required: false, status: provoked, reason: 'An item of the test document provokes this outcome.' };
}

/** As the law has it; nothing where an item provokes what becomes of the number. */
export function undeductibleVat(
  document: Document,
  business: law.AllocatingBusiness,
  creditedVat: number,
): Agorot {
  const { allocation } = provokedOutcomes(document.business_id, document);
  return allocation === undefined ? law.undeductibleVat(document, business, creditedVat) : 0n;
}
