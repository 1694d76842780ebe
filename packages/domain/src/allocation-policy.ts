import type { DocumentType } from './document-types.js';

/** What holds for allocation numbers from a day on. */
export interface AllocationPolicy {
  /** The first document date that it holds for, YYYY-MM-DD. */
  readonly from: string;
  /** The types that a number is asked for, with the authority's code of each. */
  readonly codes: Readonly<Partial<Record<DocumentType, number>>>;
  /** ILS, net of VAT: the law's threshold, which is what a new business starts with. A document strictly above it needs a number. */
  readonly thresholdNet: number;
}

/*
 * Codes of the authority's table of documents: 305 tax invoice, 320 tax invoice / receipt, 330 credit tax invoice. For a
 * credit note the authority's own practice has changed over the years (yes in the table of 2023, no in that of 2024); the
 * interface, rule 4.5, asks for one, so that it is here and can end with a row of its own.
 */
const codes = { tax_invoice: 305, tax_invoice_receipt: 320, credit_note: 330 } as const;

/**
 * Oldest first. VAT law, section 47(a2), a temporary order to 31 December 2028, with the authority's notices of 24 May 2025 and
 * 31 December 2025, which speeded its schedule up. The first row is the day on which it took effect.
 */
export const allocationPolicies: readonly AllocationPolicy[] = [
  { from: '2024-05-05', codes, thresholdNet: 25_000 },
  { from: '2025-01-01', codes, thresholdNet: 20_000 },
  { from: '2026-01-01', codes, thresholdNet: 10_000 },
  { from: '2026-06-01', codes, thresholdNet: 5_000 },
];

/** The policy of a day (YYYY-MM-DD, Asia/Jerusalem), or undefined before there were allocation numbers. */
export function allocationPolicyOn(day: string): AllocationPolicy | undefined {
  return allocationPolicies.findLast((policy) => policy.from <= day);
}

/** The threshold that a business made on that day starts with, in ILS; before the first policy that of the first. */
export function allocationThresholdOn(day: string): number {
  return (allocationPolicyOn(day) ?? (allocationPolicies[0] as AllocationPolicy)).thresholdNet;
}
