import { heldUntil } from '../quiet-hours.js';
import { parsePhoneNumber } from '../text/phone-number.js';

/** The channel of a message. */
export type MessageChannel = 'email' | 'whatsapp';

/** An address with its channel. */
export interface ChannelAddress {
  readonly channel: MessageChannel;
  /** An email address as written, or a phone number in E.164. */
  readonly address: string;
}

/** The facts of a document on which the decision depends. */
export interface DeliveredDocument {
  /** An instant in ISO 8601. */
  readonly issued_at: string;
  /** False: the caller suppressed the message. */
  readonly send: boolean;
  readonly customer: { readonly email: string | null; readonly phone: string | null };
}

/** The facts of a business on which the decision depends. */
export interface DeliveringBusiness {
  readonly auto_send: {
    readonly enabled: boolean;
    readonly channel: MessageChannel | 'both';
    readonly quiet_hours: string | null;
  };
  readonly accountant_copy: { readonly enabled: boolean; readonly email: string | null };
}

/** The address of the accountant's copy of each document; null: there is none. */
export function accountantAddress({
  accountant_copy: { enabled, email },
}: Pick<DeliveringBusiness, 'accountant_copy'>): string | null {
  return enabled ? email : null;
}

/** The facts of a customer's addresses that the delivery service alone knows. */
export interface RecipientCheck {
  /** The channels whose address gets no messages of the business. */
  readonly suppressed: readonly MessageChannel[];
  readonly whatsapp_configured: boolean;
}

/** The outcome of the customer's copy. */
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

/** The addresses that the customer's copy of a document may be sent to, email first; none where nothing is to be sent. */
export function deliveryAddresses(
  { send, customer }: Pick<DeliveredDocument, 'send' | 'customer'>,
  { auto_send: { enabled, channel } }: DeliveringBusiness,
): ChannelAddress[] {
  if (!enabled || !send) {
    return [];
  }
  const email = channel === 'whatsapp' ? null : customer.email;
  const phone = channel === 'email' || customer.phone === null ? null : parsePhoneNumber(customer.phone);
  return [
    ...(email === null ? [] : [{ channel: 'email', address: email } as const]),
    ...(phone === null ? [] : [{ channel: 'whatsapp', address: phone } as const]),
  ];
}

/**
 * Rule 4.6 of the HTTP API, checked in this order: auto-send off, suppressed by the caller, no address for the channel,
 * every address suppressed, no account to send from, quiet hours at the instant of issue, queued.
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
  const addresses = wanted.filter(({ channel }) => channel === 'email' || whatsapp_configured);
  // There is an address, so `no_recipient` would blame the caller: the missing WhatsApp account is reported instead.
  if (addresses.length === 0) {
    return {
      outcome: { status: 'send_failed', channel: 'whatsapp', scheduled_for: null },
      addresses: wanted,
    };
  }
  const quietEnd = heldUntil('customer', business.auto_send.quiet_hours, new Date(document.issued_at));
  return {
    outcome: {
      status: quietEnd ? 'deferred_quiet_hours' : 'queued',
      channel: addresses.length > 1 ? 'both' : (addresses[0]?.channel ?? null),
      scheduled_for: quietEnd?.toISOString() ?? null,
    },
    addresses,
  };
}
