import { type Business, type DeliveryOutcome, type IssuedDocument } from '@pinkas/contracts';
import { accountantAddress, decideDelivery, type RecipientCheck } from '@pinkas/domain/delivery';
import type { DeliveryChannel, DeliveryPurpose, DeliveryState } from '../db/delivery.tables.js';
import { whatsappNotConfigured } from '../message/send-policy.js';

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
interface DeliveryPlan {
  readonly outcome: DeliveryOutcome;
  readonly messages: readonly PlannedMessage[];
}

/** The customer's copy by rule 4.6 of the HTTP API, and the accountant's, which has its own setting and ignores quiet hours. */
export function planDelivery(
  document: IssuedDocument,
  business: Business,
  check: RecipientCheck,
): DeliveryPlan {
  const { outcome, addresses } = decideDelivery(document, business, check);
  const notBefore = outcome.scheduled_for === null ? null : new Date(outcome.scheduled_for);
  const customer = addresses.map(
    ({ channel, address }): PlannedMessage => ({
      channel,
      purpose: 'customer',
      recipient: address,
      notBefore,
      ...(outcome.status === 'send_failed' && { failure: whatsappNotConfigured }),
    }),
  );
  const email = accountantAddress(business);
  const accountant: PlannedMessage[] =
    email === null ? [] : [{ channel: 'email', purpose: 'accountant', recipient: email, notBefore: null }];
  return { outcome, messages: [...customer, ...accountant] };
}

/** Until when the messages of a document wait for its allocation number, should it be needed and not be there at once. */
export function holdUntil(
  { issued_at }: Pick<IssuedDocument, 'issued_at'>,
  { allocation_hold_minutes: minutes }: Pick<Business, 'allocation_hold_minutes'>,
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
