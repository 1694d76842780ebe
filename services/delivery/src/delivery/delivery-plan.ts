import type { Business, DeliveryOutcome, IssuedDocument } from '@pinkas/contracts';
import { type ChannelAddress, phoneNumber } from './address.js';
import type { DeliveryChannel, DeliveryPurpose } from './delivery.tables.js';
import { heldUntil } from './quiet-hours.js';

/** One message that is owed. */
export interface PlannedMessage {
  readonly channel: DeliveryChannel;
  readonly purpose: DeliveryPurpose;
  readonly recipient: string;
  /** The end of the quiet hours, where it was planned in them. */
  readonly notBefore: Date | null;
  /** Why it cannot be sent: it has failed from the start, so that an operator sees it. */
  readonly failure?: string;
}

/** What the caller is told of the customer's copy, and everything that will be sent. */
export interface DeliveryPlan {
  readonly outcome: DeliveryOutcome;
  readonly messages: readonly PlannedMessage[];
}

/** Why a message by WhatsApp has failed where there is no account to send it from. */
export const whatsappIsNotSetUp = 'WhatsApp is not set up.';

/** What else decides. */
export interface PlanCircumstances {
  readonly now: Date;
  /** Whether anything can be sent by WhatsApp here. */
  readonly whatsappIsSetUp: boolean;
  /** Whether the business does not write to an address any more. */
  isSuppressed(address: ChannelAddress): boolean;
}

/** The addresses of the customer on the document that the business's channel can use, in the order in which they are tried. */
export function customerAddresses(
  customer: Pick<IssuedDocument['customer'], 'email' | 'phone'>,
  channel: Business['auto_send']['channel'],
): ChannelAddress[] {
  const phone = channel === 'email' || customer.phone === null ? null : phoneNumber(customer.phone);
  const email = channel === 'whatsapp' ? null : customer.email;
  return [
    ...(email === null ? [] : [{ channel: 'email', address: email } as const]),
    ...(phone === null ? [] : [{ channel: 'whatsapp', address: phone } as const]),
  ];
}

/**
 * Interface rule 4.6, in the order: auto-send off, suppressed by the caller, no address for the channel on the document's
 * customer, no address left that the business writes to (`suppressed` as well), quiet hours, queued. With `both` each channel
 * that has an address is used. The accountant's copy goes by its own setting, whatever becomes of the customer's, and knows
 * no quiet hours.
 *
 * Where WhatsApp is not set up, `both` uses mail alone. Where only a phone number could be used, the outcome is `send_failed`
 * on `whatsapp`: there is an address, so `no_recipient` would send the caller looking for a fault that is ours.
 */
export function planDelivery(
  document: IssuedDocument,
  business: Business,
  circumstances: PlanCircumstances,
): DeliveryPlan {
  const customer = planForCustomer(document, business, circumstances);
  const { enabled, email } = business.accountant_copy;
  const accountant: PlannedMessage[] =
    enabled && email !== null
      ? [{ channel: 'email', purpose: 'accountant', recipient: email, notBefore: null }]
      : [];
  return { outcome: customer.outcome, messages: [...customer.messages, ...accountant] };
}

function planForCustomer(
  { customer, send }: IssuedDocument,
  { auto_send: autoSend }: Business,
  { now, whatsappIsSetUp, isSuppressed }: PlanCircumstances,
): DeliveryPlan {
  const nothing = (status: DeliveryOutcome['status']): DeliveryPlan => ({
    outcome: { status, channel: null, scheduled_for: null },
    messages: [],
  });
  if (!autoSend.enabled) return nothing('disabled');
  if (!send) return nothing('suppressed');
  const addresses = customerAddresses(customer, autoSend.channel);
  if (addresses.length === 0) return nothing('no_recipient');
  const wanted = addresses.filter((address) => !isSuppressed(address));
  if (wanted.length === 0) return nothing('suppressed');
  const notBefore = heldUntil('customer', autoSend.quiet_hours, now);
  const messages = wanted.map(
    ({ channel, address }): PlannedMessage => ({
      channel,
      purpose: 'customer',
      recipient: address,
      notBefore,
    }),
  );
  const sendable = messages.filter(({ channel }) => channel === 'email' || whatsappIsSetUp);
  const [first] = sendable;
  if (first === undefined) {
    return {
      outcome: { status: 'send_failed', channel: 'whatsapp', scheduled_for: null },
      messages: messages.map((message) => ({ ...message, failure: whatsappIsNotSetUp })),
    };
  }
  return {
    outcome: {
      status: notBefore ? 'deferred_quiet_hours' : 'queued',
      channel: sendable.length > 1 ? 'both' : first.channel,
      scheduled_for: notBefore?.toISOString() ?? null,
    },
    messages: sendable,
  };
}
