import { type Agorot, fromShekels, sum } from './money/agorot.js';
import type { PaymentMethod } from './payment-methods.js';

/** Cash is rounded to 10 agorot when it is paid: the smallest coin. */
const roundingMaxAgorot = 5n;

/**
 * What the only cash payment of a document has to state, where it is off by no more than cash is rounded by: a document states the
 * amount before it. Null where nothing of the kind is the case.
 */
export function cashToState(
  payments: readonly { readonly method: PaymentMethod; readonly amount: number }[],
  total: Agorot,
): Agorot | null {
  const [cash, ...others] = payments.filter(({ method }) => method === 'cash');
  if (!cash || others.length > 0) {
    return null;
  }
  const stated = fromShekels(cash.amount);
  const beyond = sum(payments.map(({ amount }) => fromShekels(amount))) - total;
  const isRounded = beyond !== 0n && -roundingMaxAgorot <= beyond && beyond <= roundingMaxAgorot;
  return isRounded && stated > beyond ? stated - beyond : null;
}
