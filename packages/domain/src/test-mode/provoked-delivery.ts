import * as rule from '../delivery/delivery-decision.js';
import { type BookedDocument, provokedOutcomes } from './provoked-outcomes.js';
import { isTestBook } from './test-book.js';

/** How long after its issue the message of a test document leaves that provokes `deferred_quiet_hours`. */
const provokedDeferralMs = 60 * 60 * 1_000;

/** The addresses whose check decides about the customer's copy: none where nothing is to be sent, or the outcome is provoked. */
export function addressesToCheck(
  document: Omit<rule.DeliveredDocument, 'issued_at'> & BookedDocument,
  business: rule.DeliveringBusiness,
): rule.ChannelAddress[] {
  const { delivery } = provokedOutcomes(document.business_id, document);
  return delivery === undefined ? rule.deliveryAddresses(document, business) : [];
}

/** The decision by rule, unless an item of a test document provokes another one (ADR 0052). */
export function decideDelivery(
  document: rule.DeliveredDocument & BookedDocument,
  business: rule.DeliveringBusiness,
  check: rule.RecipientCheck,
): rule.DeliveryDecision {
  const provoked = provokedOutcomes(document.business_id, document).delivery;
  switch (provoked) {
    case undefined: {
      // No message of a test book needs an account: none leaves.
      const hasAccount = check.whatsapp_configured || isTestBook(document.business_id);
      return rule.decideDelivery(document, business, { ...check, whatsapp_configured: hasAccount });
    }
    // The message fails once it is sent.
    case 'failed':
    case 'queued':
      return queued(document, business);
    case 'deferred_quiet_hours': {
      const { outcome, addresses } = queued(document, business);
      const leavesAt = new Date(new Date(document.issued_at).getTime() + provokedDeferralMs).toISOString();
      return addresses.length === 0
        ? { outcome, addresses }
        : { outcome: { ...outcome, status: provoked, scheduled_for: leavesAt }, addresses };
    }
    default:
      return { outcome: { status: provoked, channel: null, scheduled_for: null }, addresses: [] };
  }
}

/** Whether an item of a test document provokes that its messages fail for good (ADR 0052). */
export const provokesFailure = (document: BookedDocument): boolean =>
  provokedOutcomes(document.business_id, document).delivery === 'failed';

/** Whatever the settings of the business: by its channel, or where there is no address for that, by another. */
function queued(document: rule.DeliveredDocument, business: rule.DeliveringBusiness): rule.DeliveryDecision {
  const decideFor = (channel: rule.DeliveringBusiness['auto_send']['channel']) =>
    rule.decideDelivery(
      { ...document, send: true },
      { ...business, auto_send: { enabled: true, channel, quiet_hours: null } },
      { suppressed: [], whatsapp_configured: true },
    );
  const decided = decideFor(business.auto_send.channel);
  return decided.addresses.length > 0 ? decided : decideFor('both');
}
