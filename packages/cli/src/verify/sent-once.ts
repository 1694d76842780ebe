import type { auditDeliveries, BookEntry, ReplyOf } from '@pinkas/contracts';
import { type Fault, faultOf } from './checks.js';

/** What delivery says of a document. */
export type DeliveryAudit = ReplyOf<typeof auditDeliveries>['documents'][number];

/** The outcomes with which nothing may ever leave for the customer. */
const neverSent: readonly string[] = ['disabled', 'suppressed', 'no_recipient'];

/**
 * How often a message may be sent without anybody knowing whether it was taken: once, and once more, in each of its lives; an
 * operator who has it sent again begins another.
 */
const unknownPerLife = 2;

/**
 * Holds the sends of a document against the rule: one accepted send for each channel, purpose and recipient, and one more only
 * where it was unknown whether the one before was taken.
 */
export function faultsOfDelivery(
  { document, delivery }: Pick<BookEntry, 'document' | 'delivery'>,
  { messages }: DeliveryAudit,
): Fault[] {
  const fault = (message: string) => faultOf('deliveries', document, message);
  const faults: Fault[] = [];
  const sends = new Map<string, { to: string; accepted: number; unknown: number; lives: number }>();
  for (const { channel, purpose, recipient, accepted, unknown, resends } of messages) {
    const to = `the ${purpose} by ${channel}`;
    const key = `${to} ${recipient}`;
    const before = sends.get(key) ?? { to, accepted: 0, unknown: 0, lives: 1 };
    sends.set(key, {
      to,
      accepted: before.accepted + accepted,
      unknown: before.unknown + unknown,
      lives: before.lives + resends,
    });
    if (purpose === 'customer' && accepted > 0 && delivery && neverSent.includes(delivery.status)) {
      faults.push(fault(`it was sent to the customer, though it is ${delivery.status}`));
    }
  }
  for (const { to, accepted, unknown, lives } of sends.values()) {
    // One whose outcome was unknown may turn out to have been taken.
    if (accepted > 1 + unknown) faults.push(fault(`it was sent to ${to} ${accepted} times`));
    else if (Math.max(accepted, unknown) > unknownPerLife * lives) {
      faults.push(fault(`it may have been sent to ${to} ${Math.max(accepted, unknown)} times`));
    }
  }
  return faults;
}
