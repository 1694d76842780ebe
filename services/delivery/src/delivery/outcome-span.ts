import { markFailed, type Span } from '@pinkas/service-kit';
import type { SendOutcome } from './after-send.js';

/** Says in a span what came of a handing over; the provider's words stay out of it, since they may name the recipient. */
export function tellOutcome(span: Span, outcome: SendOutcome): SendOutcome {
  span.setAttribute('pinkas.outcome', outcome.kind);
  if (outcome.kind !== 'accepted') markFailed(span, outcome.kind);
  return outcome;
}
