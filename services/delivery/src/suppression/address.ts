import { normaliseEmailAddress, parseEmailAddress, pastedEmail, pastedPhone } from '@pinkas/domain';
import { type ChannelAddress, parsePhoneNumber } from '@pinkas/domain/delivery';
import type { DeliveryChannel } from '../db/delivery.tables.js';

/** The form under which an address is suppressed. No mail server in practice distinguishes letter case. */
export function normaliseAddress(channel: DeliveryChannel, address: string): string {
  return channel === 'email' ? (normaliseEmailAddress(address) ?? address.toLowerCase()) : address;
}

/** Reads an address as a person writes it. @returns it as `normaliseAddress` writes it; null where it is neither a mail address nor a phone number. */
export function parseAddress(text: string): ChannelAddress | null {
  if (text.includes('@')) {
    const mail = normaliseEmailAddress(pastedEmail(text));
    return mail === null ? null : { channel: 'email', address: mail };
  }
  const phone = parsePhoneNumber(pastedPhone(text));
  return phone === null ? null : { channel: 'whatsapp', address: phone };
}

/** Reads an address of a channel as a person writes it. @returns it as a message has it; null where it is no address of the channel. */
export function parseRecipient(channel: DeliveryChannel, text: string): string | null {
  return channel === 'email' ? parseEmailAddress(pastedEmail(text)) : parsePhoneNumber(pastedPhone(text));
}

/** An address by which it is recognized and not read: `c***@example.com`, `+97250***67`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at > 0
    ? `${[...address][0]}***${address.slice(at)}`
    : `${address.slice(0, 6)}***${address.slice(-2)}`;
}
