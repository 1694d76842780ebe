import { addBusinessDays } from './business-days.js';
import { addDays } from './israel-calendar.js';
import { law, lawOn } from './law.js';

/**
 * What the owner of an invoice whose number was refused may decide (Israel Tax Authority, technical specification of allocation numbers
 * v2, 2.2.2 and 4.1): to go on without a number, to cancel the invoice, to object, or to have the buyer account for the VAT.
 */
export const refusalDecisions = ['continue', 'cancel', 'object', 'reverse_charge'] as const;
export type RefusalDecision = (typeof refusalDecisions)[number];

/** `pending`: it is being sent. `taken`: the authority has it. `failed`: the authority did not take it, and nothing is decided. */
export const decisionStates = ['pending', 'taken', 'failed'] as const;
export type DecisionState = (typeof decisionStates)[number];

/** The last decision about a refusal. */
interface DecidedRefusal {
  readonly decision: RefusalDecision;
  readonly state: DecisionState;
}

/**
 * What may be decided now. A decision that is being sent is repeated alone. Of those that were taken only one leaves a way: an invoice
 * that went on without a number may still be objected to. Reverse charge needs an invoice without VAT of the same transaction, and is
 * not offered.
 */
export function openDecisions(last: DecidedRefusal | null): readonly RefusalDecision[] {
  if (last === null || last.state === 'failed') {
    return ['continue', 'cancel', 'object'];
  }
  if (last.state === 'pending') {
    return [last.decision];
  }
  return last.decision === 'continue' ? ['object'] : [];
}

/** Until when a refusal can be answered; both days are still in time. */
export interface RefusalDeadlines {
  readonly hearing: string;
  readonly objection: string;
}

/** @param refusedOn the day of the authority's notice, YYYY-MM-DD. */
export const refusalDeadlines = (refusedOn: string): RefusalDeadlines => ({
  hearing: addBusinessDays(refusedOn, lawOn(law.refusalHearing, refusedOn) ?? 0),
  objection: addDays(refusedOn, lawOn(law.refusalObjection, refusedOn) ?? 0),
});
