import { domainToASCII } from 'node:url';
import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';
import type { DeliveryChannel } from './delivery.tables.js';

/** An address with what it is reached by. */
export interface ChannelAddress {
  readonly channel: DeliveryChannel;
  /** As `normalAddress` writes it. */
  readonly address: string;
}

/**
 * A mail address as its server is told it: the domain in ASCII (`דוגמה.example` becomes `xn--….example`), the part before
 * the @ as it was written.
 * @returns null where it is none.
 */
export function mailAddress(text: string): string | null {
  const [, local, domain] = /^([^\s@<>"]+)@([^\s@<>"]+)$/u.exec(text.trim()) ?? [];
  const ascii = domainToASCII(domain ?? '');
  return local === undefined || ascii === '' ? null : `${local}@${ascii}`;
}

/**
 * A phone number in E.164, `+972501234567`: from the forms that are written in Israel (050-…, 077-…, 02-…, +972 …), and
 * from any other country's that begins with its + and code.
 * @returns null where it is none. A number without 0 or + in front may be anything; an extension has no WhatsApp.
 */
export function phoneNumber(text: string): string | null {
  const written = text.trim();
  if (!/^[+0]/.test(written)) return null;
  const parsed = parsePhoneNumberFromString(written, { defaultCountry: 'IL', extract: false }, metadata);
  return parsed?.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/**
 * An address in the one form under which it is known whether it may be written to. Letter case is no difference: in principle
 * a mail server may tell it apart, in practice none does.
 */
export function normalAddress(channel: DeliveryChannel, address: string): string {
  return channel === 'email' ? (mailAddress(address) ?? address).toLowerCase() : address;
}

/** Reads an address as a person writes it. @returns null where it is neither a mail address nor a phone number. */
export function readAddress(text: string): ChannelAddress | null {
  if (text.includes('@')) {
    const mail = mailAddress(text);
    return mail === null ? null : { channel: 'email', address: normalAddress('email', mail) };
  }
  const phone = phoneNumber(text);
  return phone === null ? null : { channel: 'whatsapp', address: phone };
}
