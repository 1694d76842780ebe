import { provokedOutcomes } from '@pinkas/domain';

/** Whether an item of a test document provokes that its messages fail for good (ADR 0052). */
export const provokesFailure = (
  document: Parameters<typeof provokedOutcomes>[1] & { business_id: string },
): boolean => provokedOutcomes(document.business_id, document).delivery === 'failed';
