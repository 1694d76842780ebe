import type { CustomerLegalType, DocumentType } from './document-types.js';
import { law, lawOn } from './law.js';

/** What holds for allocation numbers on a day; the table of law has its parts, each with its source. */
interface AllocationPolicy {
  /** The types that a number is asked for, with the authority's code of each. */
  readonly codes: Readonly<Partial<Record<DocumentType, number>>>;
  /** Whether a number is asked for, by the buyer's kind. */
  readonly buyers: Readonly<Record<CustomerLegalType, 'asked' | 'not asked'>>;
  /** ILS, net of VAT: the law's threshold, which is what a new business starts with. A document strictly above it needs a number. */
  readonly thresholdNet: number;
}

/** The policy of a day (YYYY-MM-DD, Asia/Jerusalem), or undefined before there were allocation numbers and when there are none any more. */
export function allocationPolicyOn(day: string): AllocationPolicy | undefined {
  const codes = lawOn(law.allocationDocuments, day);
  const buyers = lawOn(law.allocationBuyers, day);
  const thresholdNet = lawOn(law.allocationThreshold, day);
  return codes && buyers && thresholdNet !== undefined ? { codes, buyers, thresholdNet } : undefined;
}

/** The threshold that a business made on that day starts with, in ILS; before the first one, the first, and after the last the last. */
export function allocationThresholdOn(day: string): number {
  const { values } = law.allocationThreshold;
  const [first] = values as readonly [(typeof values)[number]];
  return (values.findLast(({ from }) => from <= day) ?? first).value;
}

/** The threshold that the tax authority has named, and the day (YYYY-MM-DD, Asia/Jerusalem) of its answer. */
export interface ThresholdAnswer {
  readonly day: string;
  /** ILS, net of VAT. */
  readonly net: number;
}

/** How far the authority's threshold is from that of the table on the day of its answer, in ILS; below zero where it is lower. */
export function thresholdDifference(answer: ThresholdAnswer | null): number {
  return answer ? answer.net - allocationThresholdOn(answer.day) : 0;
}

/**
 * The threshold that decides, in ILS: that of the business; the authority's where it is lower and the law's is not. The authority gives
 * a number below the threshold of law as well, so that a lower one costs a request at most.
 */
export function decidingThreshold(ofBusiness: number, answer: ThresholdAnswer | null): number {
  return answer && thresholdDifference(answer) < 0 ? Math.min(ofBusiness, answer.net) : ofBusiness;
}
