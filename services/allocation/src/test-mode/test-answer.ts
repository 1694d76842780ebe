import { createHash } from 'node:crypto';
import type { IssuedDocument } from '@pinkas/contracts';
import { provokedOutcomes } from '@pinkas/domain';
import type { ReportOutcome } from '../attempt/donation-authority.js';
import type { AttemptOutcome } from '../authority/attempt-outcome.js';

/** Beyond what the authority's numbers look like, so that none can be taken for one. */
const confirmationPrefix = 'test-';

/**
 * What the simulation in the product answers for a document of a test book: a number that depends on the document, unless one of its
 * items provokes another answer. The authority is not asked (ADR 0051).
 * @param attempts how many there were, with this one.
 */
export function testAnswer(document: IssuedDocument, attempts: number): AttemptOutcome {
  const { allocation } = provokedOutcomes(document.business_id, document);
  if (allocation === 'failed') {
    const message = 'an item of the test document provokes it';
    return { kind: 'refused', codes: [], message, answer: JSON.stringify({ test: true, approved: false }) };
  }
  if (allocation === 'late' && attempts <= 1) {
    return {
      kind: 'failed',
      failure: 'unreachable',
      reason: 'An item of the test document provokes that the number is late.',
      retryable: true,
      awaitsConnection: false,
      answer: null,
      outcomeUnknown: false,
    };
  }
  const digits = createHash('sha256').update(document.id).digest().readUIntBE(0, 6) % 1_000_000_000;
  const number = String(digits).padStart(9, '0');
  return {
    kind: 'granted',
    confirmationNumber: `${confirmationPrefix}${document.id}-${number}`,
    number,
    answer: JSON.stringify({ test: true, approved: true, number }),
  };
}

/**
 * What the simulation in the product answers to one report of a donation of a test book, or to its cancellation.
 * @param id of the report, on which its number depends.
 */
export function testReportAnswer(document: IssuedDocument, id: string, attempts: number): ReportOutcome {
  const { donation } = provokedOutcomes(document.business_id, document);
  if (donation === 'refused') {
    const message = 'an item of the test document provokes it';
    return { kind: 'refused', codes: [], message, answer: JSON.stringify({ test: true, approved: false }) };
  }
  if (donation === 'failed' || (donation === 'late' && attempts <= 1)) {
    return {
      kind: 'failed',
      failure: 'unreachable',
      reason: `An item of the test document provokes that the report ${donation === 'late' ? 'is late' : 'fails'}.`,
      retryable: donation === 'late',
      awaitsConnection: false,
      answer: null,
      outcomeUnknown: false,
    };
  }
  const digits = createHash('sha256').update(id).digest().readUIntBE(0, 6) % 1_000_000_000_000;
  const number = `test-${String(digits).padStart(12, '0')}`;
  return { kind: 'reported', number, answer: JSON.stringify({ test: true, approved: true, number }) };
}
