import { markFailed, type Span } from '@pinkas/service-kit';
import type { SendOutcome } from './send-policy.js';

/** Records an outcome in a span, without the provider's text, which may name the recipient. */
export function recordOutcome(span: Span, outcome: SendOutcome): SendOutcome {
  span.setAttribute('pinkas.outcome', outcome.kind);
  if (outcome.kind !== 'accepted') {
    markFailed(span, outcome.kind);
  }
  return outcome;
}
