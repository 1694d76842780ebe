import type { ErrorCode } from '@pinkas/contracts';

/** An answer that refuses: its code, and its details where the HTTP API names any. */
export interface Refusal {
  code: ErrorCode;
  details?: Record<string, unknown>;
}

/** Whether an outcome is a refusal. */
export function isRefusal(outcome: object): outcome is Refusal {
  return 'code' in outcome;
}
