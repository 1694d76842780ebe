import { isTestBook } from '@pinkas/domain';
import type { AllocationFacts } from '../db/allocation.tables.js';
import { type DecisionOutcome, RefusalDecisions, type SentDecision } from '../refusal/refusal-decision.js';

/** The decisions of the authority for the documents of live books, and the product itself for those of test books, which takes each. */
export class BookDecisions extends RefusalDecisions {
  override async send(
    businessId: string,
    decision: SentDecision,
    facts: AllocationFacts,
    isKnown: boolean,
  ): Promise<DecisionOutcome> {
    return isTestBook(businessId)
      ? { kind: 'taken', answer: JSON.stringify({ test: true, decision }) }
      : super.send(businessId, decision, facts, isKnown);
  }
}
