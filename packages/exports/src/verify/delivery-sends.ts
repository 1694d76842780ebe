import {
  type auditDeliveries,
  type BookEntry,
  type MessageKind,
  messageKind,
  type ReplyOf,
} from '@pinkas/contracts';
import { type Finding, findingOf } from './checks.js';

/** A document in the audit of delivery. */
export type DeliveryAudit = ReplyOf<typeof auditDeliveries>['documents'][number];

/** The outcomes with which nothing is ever sent to the customer. */
const neverSent: readonly string[] = ['disabled', 'suppressed', 'no_recipient'];

/** How often a message may be sent with an unknown result: twice, and twice again after each resend by an operator. */
const unknownPerRun = 2;

/**
 * Checks that each channel, purpose and recipient has one accepted send, and one more only where the result of the one before is
 * unknown. A follow-up with the allocation number counts separately, and so does each message that a person asked for, which may
 * also go where nothing was planned.
 */
export function checkDelivery(
  { document, delivery }: Pick<BookEntry, 'document' | 'delivery'>,
  { messages }: DeliveryAudit,
): Finding[] {
  const finding = (message: string) => findingOf('deliveries', document, message);
  const findings: Finding[] = [];
  const sends = new Map<string, { to: string; accepted: number; unknown: number; runs: number }>();
  for (const message of messages) {
    const { channel, purpose, recipient, accepted, unknown, resends, follow_up: followUp } = message;
    const isRequested = message.requested;
    const to = `the ${purpose} by ${channel}${kinds[messageKind(message)]}`;
    const key = `${to} ${isRequested && !followUp ? message.delivery_id : recipient}`;
    const before = sends.get(key) ?? { to, accepted: 0, unknown: 0, runs: 1 };
    sends.set(key, {
      to,
      accepted: before.accepted + accepted,
      unknown: before.unknown + unknown,
      runs: before.runs + resends,
    });
    const isUnplanned = purpose === 'customer' && accepted > 0 && !isRequested;
    if (isUnplanned && delivery && neverSent.includes(delivery.status)) {
      findings.push(finding(`it was sent to the customer, but its delivery is ${delivery.status}`));
    }
  }
  for (const { to, accepted, unknown, runs } of sends.values()) {
    // A send with an unknown result may have been accepted.
    if (accepted > 1 + unknown) {
      findings.push(finding(`it was sent to ${to} ${accepted} times`));
    } else if (Math.max(accepted, unknown) > unknownPerRun * runs) {
      findings.push(finding(`it may have been sent to ${to} ${Math.max(accepted, unknown)} times`));
    }
  }
  return findings;
}

/** How each kind is named; a recipient gets one follow-up, whichever of its messages left without the number. */
const kinds: Readonly<Record<MessageKind, string>> = {
  planned: '',
  requested: ' on request',
  number: ' as a follow-up',
  report_cancelled: ' as the news that its report was cancelled',
  not_deductible: ' as the news that no input VAT is deducted',
  reminder: ' as a reminder',
  statement: ' with a statement',
};
