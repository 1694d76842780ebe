import {
  allocationHoldMinutesDefault,
  type Business,
  type DeliveryOutcome,
  type IssuedDocument,
} from '@pinkas/contracts';
import { heldUntil } from '@pinkas/domain';
import { type ChannelAddress, parsePhoneNumber } from './address.js';
import type { DeliveryChannel, DeliveryPurpose, DeliveryState } from './delivery.tables.js';

/** One message to send. */
export interface PlannedMessage {
  readonly channel: DeliveryChannel;
  readonly purpose: DeliveryPurpose;
  readonly recipient: string;
  /** The end of the quiet hours, where it was planned in them. */
  readonly notBefore: Date | null;
  /** Why it cannot be sent: it fails from the start, so that an operator sees it. */
  readonly failure?: string;
}

/** What the caller learns of the customer's copy, and every message to send. */
export interface DeliveryPlan {
  readonly outcome: DeliveryOutcome;
  readonly messages: readonly PlannedMessage[];
}

/** Why a WhatsApp message fails where there is no account to send it from. */
export const whatsappNotConfigured = 'WhatsApp is not set up.';

/** What the plan depends on beside the document and the business. */
export interface PlanContext {
  readonly now: Date;
  /** Whether a WhatsApp account is configured. */
  readonly whatsappConfigured: boolean;
  /** Whether the business sends nothing to an address any more. */
  isSuppressed(address: ChannelAddress): boolean;
}

/** The addresses of the customer on the document that the business's channel can use, the preferred one first. */
export function customerAddresses(
  customer: Pick<IssuedDocument['customer'], 'email' | 'phone'>,
  channel: Business['auto_send']['channel'],
): ChannelAddress[] {
  const phone = channel === 'email' || customer.phone === null ? null : parsePhoneNumber(customer.phone);
  const email = channel === 'whatsapp' ? null : customer.email;
  return [
    ...(email === null ? [] : [{ channel: 'email', address: email } as const]),
    ...(phone === null ? [] : [{ channel: 'whatsapp', address: phone } as const]),
  ];
}

/**
 * Rule 4.6 of the HTTP API, checked in this order: auto-send off, suppressed by the caller, no address for the channel,
 * every address suppressed, quiet hours, queued. The accountant's copy has its own setting and ignores quiet hours.
 */
export function planDelivery(
  document: IssuedDocument,
  business: Business,
  context: PlanContext,
): DeliveryPlan {
  const customer = planForCustomer(document, business, context);
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
  { now, whatsappConfigured, isSuppressed }: PlanContext,
): DeliveryPlan {
  const nothing = (status: DeliveryOutcome['status']): DeliveryPlan => ({
    outcome: { status, channel: null, scheduled_for: null },
    messages: [],
  });
  if (!autoSend.enabled) {
    return nothing('disabled');
  }
  if (!send) {
    return nothing('suppressed');
  }
  const addresses = customerAddresses(customer, autoSend.channel);
  if (addresses.length === 0) {
    return nothing('no_recipient');
  }
  const wanted = addresses.filter((address) => !isSuppressed(address));
  if (wanted.length === 0) {
    return nothing('suppressed');
  }
  const notBefore = heldUntil('customer', autoSend.quiet_hours, now);
  const messages = wanted.map(
    ({ channel, address }): PlannedMessage => ({
      channel,
      purpose: 'customer',
      recipient: address,
      notBefore,
    }),
  );
  const sendable = messages.filter(({ channel }) => channel === 'email' || whatsappConfigured);
  const [first] = sendable;
  // There is an address, so `no_recipient` would blame the caller: the missing WhatsApp account is reported instead.
  if (first === undefined) {
    return {
      outcome: { status: 'send_failed', channel: 'whatsapp', scheduled_for: null },
      messages: messages.map((message) => ({ ...message, failure: whatsappNotConfigured })),
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

/** Until when the messages of a document wait for its allocation number, should it be needed and not be there at once. */
export function holdUntil(
  { issued_at }: Pick<IssuedDocument, 'issued_at'>,
  {
    allocation_hold_minutes: minutes = allocationHoldMinutesDefault,
  }: Pick<Business, 'allocation_hold_minutes'>,
): Date {
  return new Date(new Date(issued_at).getTime() + minutes * 60_000);
}

/** When a message that is ready is due: not in the quiet hours in which it was planned, and not while it is held. */
export function dueAt(notBefore: Date | null, heldUntil: Date | null, now: Date): Date {
  return new Date(Math.max(now.getTime(), notBefore?.getTime() ?? 0, heldUntil?.getTime() ?? 0));
}

/** The state of a new message, by what is known of its document. */
export function initialState(
  message: PlannedMessage,
  document: { cancelled: boolean; rendered: boolean },
): DeliveryState {
  if (document.cancelled) {
    return 'withdrawn';
  }
  if (message.failure !== undefined) {
    return 'failed';
  }
  return document.rendered ? 'ready' : 'waiting';
}
