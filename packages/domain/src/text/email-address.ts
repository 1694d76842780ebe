import { lengthOf, withoutInvisible } from './text.js';

/** The most that mail servers take (RFC 5321, 4.5.3.1), in octets. */
const octetsMax = { local: 64, address: 254 } as const;

/** Words of a local part without quotes (RFC 5322, 3.2.3), with letters, digits and signs beyond ASCII (RFC 6531). */
const word = String.raw`(?:[\w!#$%&'*+/=?^\x60{|}~-]|(?![\p{ASCII}])[\p{L}\p{M}\p{N}\p{S}])+`;
const localPart = new RegExp(`^${word}(?:\\.${word})*$`, 'u');
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a browser's parser of addresses would not take for a part of the host. */
const notOfHost = /[\s/?#\\:@[\]%]/u;

const octets = (text: string): number => new TextEncoder().encode(text).length;

/** The domain in ASCII; null where mail cannot be sent to it: an address of a machine, a name alone, digits alone. */
function domainInAscii(domain: string): string | null {
  const isPlain = !notOfHost.test(domain) && withoutInvisible(domain) === domain;
  const hostname = isPlain ? URL.parse(`ws://${domain}`)?.hostname : undefined;
  if (hostname === undefined) {
    return null;
  }
  const labels = hostname.split('.');
  const isName = labels.length > 1 && labels.every((part) => label.test(part));
  return isName && !/^\d+$/.test(labels.at(-1) ?? '') ? hostname : null;
}

/**
 * Parses an email address, the one grammar from the entry of an address to the mail server: what it takes can be sent to.
 * @returns the local part as written, with the domain in ASCII (`דוגמה.example` becomes `xn--….example`); null where it is none.
 */
export function parseEmailAddress(text: string): string | null {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  // Before the patterns: a text of any length comes here.
  if (at < 1 || lengthOf(text) > octetsMax.address || octets(local) > octetsMax.local) {
    return null;
  }
  const isLocalPart = localPart.test(local) && withoutInvisible(local) === local;
  const ascii = isLocalPart ? domainInAscii(domain) : null;
  const address = `${local}@${ascii}`;
  return ascii === null || octets(address) > octetsMax.address ? null : address;
}

/** Whether mail can be sent to an address. */
export function isEmailAddress(text: string): boolean {
  return parseEmailAddress(text) !== null;
}

/**
 * The form in which addresses are compared; null where the text is none. No mail server in practice distinguishes letter case in
 * ASCII; letters beyond it stay, since another letter may have the same small one (K, the sign of kelvin).
 */
export function normaliseEmailAddress(text: string): string | null {
  const address = parseEmailAddress(text);
  return address?.normalize('NFC').replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) ?? null;
}
