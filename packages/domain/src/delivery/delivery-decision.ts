import { heldUntil } from '../quiet-hours.js';
import { type ItemsWithSku, isTestBook, provokedOutcomes } from '../test-mode.js';
import { parsePhoneNumber } from './phone-number.js';

/** What a message is sent by. */
export type MessageChannel = 'email' | 'whatsapp';

/** An address with its channel. */
export interface ChannelAddress {
  readonly channel: MessageChannel;
  /** An email address as written, or a phone number in E.164. */
  readonly address: string;
}

/** What the decision depends on of a document. */
export interface DeliveredDocument extends ItemsWithSku {
  /** The book; a document of a test book may provoke its outcome (`testSkus`). */
  readonly business_id: string;
  /** An instant in ISO 8601. */
  readonly issued_at: string;
  /** False: the caller suppressed the message. */
  readonly send: boolean;
  readonly customer: { readonly email: string | null; readonly phone: string | null };
}

/** What the decision depends on of a business. */
export interface DeliveringBusiness {
  readonly auto_send: {
    readonly enabled: boolean;
    readonly channel: MessageChannel | 'both';
    readonly quiet_hours: string | null;
  };
  readonly accountant_copy: { readonly enabled: boolean; readonly email: string | null };
}

/** Where the accountant's copy of each document is sent; null: there is none. */
export function accountantAddress({
  accountant_copy: { enabled, email },
}: Pick<DeliveringBusiness, 'accountant_copy'>): string | null {
  return enabled ? email : null;
}

/** What the delivery service alone knows of a customer's addresses. */
export interface RecipientCheck {
  /** The channels whose address gets no messages of the business. */
  readonly suppressed: readonly MessageChannel[];
  readonly whatsapp_configured: boolean;
}

/** What becomes of the customer's copy. */
export interface DeliveryDecision {
  readonly outcome: {
    readonly status:
      | 'queued'
      | 'deferred_quiet_hours'
      | 'disabled'
      | 'suppressed'
      | 'no_recipient'
      | 'send_failed';
    /** Null where nothing is to be sent. */
    readonly channel: MessageChannel | 'both' | null;
    /** The end of the quiet hours in which the document was issued. */
    readonly scheduled_for: string | null;
  };
  /** Where it is sent; when its status is `send_failed`, where it cannot be sent. */
  readonly addresses: readonly ChannelAddress[];
}

/** How long after its issue the message of a test document leaves that provokes `deferred_quiet_hours`. */
const provokedDeferralMs = 60 * 60 * 1_000;

type AddressedDocument = Pick<DeliveredDocument, 'business_id' | 'items' | 'send' | 'customer'>;

/** The addresses that the customer's copy of a document may be sent to, email first; none where nothing is to be sent. */
export function deliveryAddresses(
  document: AddressedDocument,
  { auto_send: { enabled, channel } }: DeliveringBusiness,
): ChannelAddress[] {
  switch (provokedOutcomes(document.business_id, document).delivery) {
    case undefined:
      return enabled && document.send ? addressesOf(document, channel) : [];
    case 'queued':
    case 'deferred_quiet_hours': {
      // Whatever address there is: what is provoked does not depend on the settings of the business.
      const ofChannel = addressesOf(document, channel);
      return ofChannel.length > 0 ? ofChannel : addressesOf(document, 'both');
    }
    default:
      return [];
  }
}

function addressesOf(
  { customer }: AddressedDocument,
  channel: DeliveringBusiness['auto_send']['channel'],
): ChannelAddress[] {
  const email = channel === 'whatsapp' ? null : customer.email;
  const phone = channel === 'email' || customer.phone === null ? null : parsePhoneNumber(customer.phone);
  return [
    ...(email === null ? [] : [{ channel: 'email', address: email } as const]),
    ...(phone === null ? [] : [{ channel: 'whatsapp', address: phone } as const]),
  ];
}

/**
 * Rule 4.6 of the HTTP API, checked in this order: auto-send off, suppressed by the caller, no address for the channel,
 * every address suppressed, no account to send from, quiet hours at the instant of issue, queued. A document of a test book
 * may provoke its outcome instead.
 */
export function decideDelivery(
  document: DeliveredDocument,
  business: DeliveringBusiness,
  { suppressed, whatsapp_configured }: RecipientCheck,
): DeliveryDecision {
  const nothing = (status: DeliveryDecision['outcome']['status']): DeliveryDecision => ({
    outcome: { status, channel: null, scheduled_for: null },
    addresses: [],
  });
  const provoked = provokedOutcomes(document.business_id, document).delivery;
  if (provoked === 'queued' || provoked === 'deferred_quiet_hours') {
    const addresses = deliveryAddresses(document, business);
    const scheduledFor =
      provoked === 'queued'
        ? null
        : new Date(new Date(document.issued_at).getTime() + provokedDeferralMs).toISOString();
    return addresses.length === 0 ? nothing('no_recipient') : sent(addresses, scheduledFor);
  }
  if (provoked !== undefined) {
    return nothing(provoked);
  }
  if (!business.auto_send.enabled) {
    return nothing('disabled');
  }
  if (!document.send) {
    return nothing('suppressed');
  }
  const all = deliveryAddresses(document, business);
  if (all.length === 0) {
    return nothing('no_recipient');
  }
  const wanted = all.filter(({ channel }) => !suppressed.includes(channel));
  if (wanted.length === 0) {
    return nothing('suppressed');
  }
  // No message of a test book needs an account: none leaves.
  const hasAccount = whatsapp_configured || isTestBook(document.business_id);
  const addresses = wanted.filter(({ channel }) => channel === 'email' || hasAccount);
  // There is an address, so `no_recipient` would blame the caller: the missing WhatsApp account is reported instead.
  if (addresses.length === 0) {
    return {
      outcome: { status: 'send_failed', channel: 'whatsapp', scheduled_for: null },
      addresses: wanted,
    };
  }
  const quietEnd = heldUntil('customer', business.auto_send.quiet_hours, new Date(document.issued_at));
  return sent(addresses, quietEnd?.toISOString() ?? null);
}

/** @param addresses at least one. */
function sent(addresses: readonly ChannelAddress[], scheduledFor: string | null): DeliveryDecision {
  return {
    outcome: {
      status: scheduledFor === null ? 'queued' : 'deferred_quiet_hours',
      channel: addresses.length > 1 ? 'both' : (addresses[0]?.channel ?? null),
      scheduled_for: scheduledFor,
    },
    addresses,
  };
}
