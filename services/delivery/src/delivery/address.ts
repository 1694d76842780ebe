import { domainToASCII } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';
import type { DeliveryChannel } from './delivery.tables.js';

/** An address with its channel. */
export interface ChannelAddress {
  readonly channel: DeliveryChannel;
  /** As `normaliseAddress` writes it. */
  readonly address: string;
}

/**
 * Parses an email address: the domain in ASCII (`דוגמה.example` becomes `xn--….example`), the local part as written.
 * @returns null where it is none.
 */
export function parseEmailAddress(text: string): string | null {
  const [, local, domain] = /^([^\s@<>"]+)@([^\s@<>"]+)$/u.exec(text.trim()) ?? [];
  const ascii = domainToASCII(domain ?? '');
  return local === undefined || ascii === '' ? null : `${local}@${ascii}`;
}

/**
 * A phone number in E.164, `+972501234567`: from the forms that are written in Israel (050-…, 077-…, 02-…, +972 …), and
 * from any other country's that begins with its + and code.
 * @returns null where it is none. A number without 0 or + in front may be anything; an extension has no WhatsApp.
 */
export function parsePhoneNumber(text: string): string | null {
  const written = text.trim();
  if (!/^[+0]/.test(written)) {
    return null;
  }
  const parsed = parsePhoneNumberFromString(written, { defaultCountry: 'IL', extract: false }, metadata);
  return parsed?.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/** The form under which an address is suppressed. No mail server in practice distinguishes letter case. */
export function normaliseAddress(channel: DeliveryChannel, address: string): string {
  return channel === 'email' ? (parseEmailAddress(address) ?? address).toLowerCase() : address;
}

/** Reads an address as a person writes it. @returns null where it is neither a mail address nor a phone number. */
export function parseAddress(text: string): ChannelAddress | null {
  if (text.includes('@')) {
    const mail = parseEmailAddress(text);
    return mail === null ? null : { channel: 'email', address: normaliseAddress('email', mail) };
  }
  const phone = parsePhoneNumber(text);
  return phone === null ? null : { channel: 'whatsapp', address: phone };
}
