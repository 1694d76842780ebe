import type { Business, DeliveryOutcome, IssuedDocument } from '@pinkas/contracts';
import type { DeliveryChannel, DeliveryPurpose } from './delivery.tables.js';
import { quietUntil } from './quiet-hours.js';

/** One message that is owed. */
export interface PlannedMessage {
  readonly channel: DeliveryChannel;
  readonly purpose: DeliveryPurpose;
  readonly recipient: string;
  /** The end of the quiet hours, where it was planned in them. */
  readonly notBefore: Date | null;
}

/** What the caller is told of the customer's copy, and everything that will be sent. */
export interface DeliveryPlan {
  readonly outcome: DeliveryOutcome;
  readonly messages: readonly PlannedMessage[];
}

/**
 * Interface rule 4.6, in the order: auto-send off, suppressed by the caller, no address for the channel on the document's
 * customer, quiet hours, queued. The accountant's copy goes by its own setting, whatever becomes of the customer's, and
 * knows no quiet hours.
 *
 * WhatsApp messages are not sent yet. Where the channel is `both`, mail goes out to a customer with a mail address. Where
 * only the phone number could be used, the outcome is `send_failed` on `whatsapp`: there is an address, so `no_recipient`
 * would send the caller looking for a fault that is ours.
 */
export function planDelivery(document: IssuedDocument, business: Business, now: Date): DeliveryPlan {
  const { outcome, message } = planForCustomer(document, business, now);
  const { enabled, email } = business.accountant_copy;
  const accountant: PlannedMessage[] =
    enabled && email !== null
      ? [{ channel: 'email', purpose: 'accountant', recipient: email, notBefore: null }]
      : [];
  return { outcome, messages: [...(message ? [message] : []), ...accountant] };
}

function planForCustomer(
  { customer, send }: IssuedDocument,
  { auto_send: autoSend }: Business,
  now: Date,
): { outcome: DeliveryOutcome; message?: PlannedMessage } {
  const nothing = (status: DeliveryOutcome['status']) => ({
    outcome: { status, channel: null, scheduled_for: null },
  });
  if (!autoSend.enabled) return nothing('disabled');
  if (!send) return nothing('suppressed');
  const email = autoSend.channel === 'whatsapp' ? null : customer.email;
  const phone = autoSend.channel === 'email' ? null : customer.phone;
  if (email === null && phone === null) return nothing('no_recipient');
  if (email === null) {
    return { outcome: { status: 'send_failed', channel: 'whatsapp', scheduled_for: null } };
  }
  const notBefore = autoSend.quiet_hours === null ? null : quietUntil(autoSend.quiet_hours, now);
  return {
    outcome: {
      status: notBefore ? 'deferred_quiet_hours' : 'queued',
      channel: 'email',
      scheduled_for: notBefore?.toISOString() ?? null,
    },
    message: { channel: 'email', purpose: 'customer', recipient: email, notBefore },
  };
}
