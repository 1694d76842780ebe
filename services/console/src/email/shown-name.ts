import { plainText } from '@pinkas/ui';

/** Enough to recognise a business by; a message needs more. */
export const shownNameMax = 60;

/** What a mail program makes a link of, or a person dials: addresses, hosts, and digits as of a telephone. */
const contacts = [
  /\S*(?:@|:\/\/|\bwww\b)\S*/giu,
  /[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.[\p{L}\p{N}-]{2,}\S*/gu,
  /[+*#]\s*\p{Nd}[\p{Nd}\s().,/_\p{Pd}]*/gu,
  /\p{Nd}(?:[\s().,/_\p{Pd}]*\p{Nd}){5,}/gu,
] as const;

const withoutContacts = (text: string): string =>
  contacts
    .reduce((left, contact) => left.replaceAll(contact, ' '), text)
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** The name of a business for a mail of the platform: its owner chose the words, and strangers get them. One line, without contacts. */
export function shownName(name: string): string {
  // Letters and digits of other widths and styles are read, and dialled, as the usual ones.
  let shown = plainText(name.normalize('NFKC'));
  for (let before = ''; before !== shown; ) {
    before = shown;
    shown = [...withoutContacts(shown)].slice(0, shownNameMax).join('').trim();
  }
  return shown;
}
