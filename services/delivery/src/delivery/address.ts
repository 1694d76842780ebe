import { domainToASCII } from 'node:url';
import { type ChannelAddress, parsePhoneNumber } from '@pinkas/domain/delivery';
import type { DeliveryChannel } from './delivery.tables.js';

/**
 * Parses an email address: the domain in ASCII (`דוגמה.example` becomes `xn--….example`), the local part as written.
 * @returns null where it is none.
 */
export function parseEmailAddress(text: string): string | null {
  const [, local, domain] = /^([^\s@<>"]+)@([^\s@<>"]+)$/u.exec(text.trim()) ?? [];
  const ascii = domainToASCII(domain ?? '');
  return local === undefined || ascii === '' ? null : `${local}@${ascii}`;
}

/** The form under which an address is suppressed. No mail server in practice distinguishes letter case. */
export function normaliseAddress(channel: DeliveryChannel, address: string): string {
  return channel === 'email' ? (parseEmailAddress(address) ?? address).toLowerCase() : address;
}

/** Reads an address as a person writes it. @returns it as `normaliseAddress` writes it; null where it is neither a mail address nor a phone number. */
export function parseAddress(text: string): ChannelAddress | null {
  if (text.includes('@')) {
    const mail = parseEmailAddress(text);
    return mail === null ? null : { channel: 'email', address: normaliseAddress('email', mail) };
  }
  const phone = parsePhoneNumber(text);
  return phone === null ? null : { channel: 'whatsapp', address: phone };
}
