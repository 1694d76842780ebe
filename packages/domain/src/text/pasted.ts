import { asLine, withoutInvisible } from './text.js';

/** A text of one line without characters that cannot be seen, as it is copied from contacts, pages and messages. */
const visibleLine = (pasted: string): string => asLine(withoutInvisible(pasted));

/** An email address out of what was pasted: `mailto:a@example.com`, `A <a@example.com>`. What is none stays as it is, to be refused. */
export function pastedEmail(pasted: string): string {
  const line = visibleLine(pasted);
  const [, inside = line] = /<([^<>]*)>[;,]?$/.exec(line) ?? [];
  return inside
    .trim()
    .replace(/^mailto:\s*/i, '')
    .replace(/\?.*$/, '')
    .replace(/[;,]$/, '');
}

/**
 * A phone number out of what was pasted, in the characters that one may have: `(050) 123.4567` is `050-123-4567`, `+972 (0)50…`
 * has no 0. What has other characters stays as it is, to be refused.
 */
export function pastedPhone(pasted: string): string {
  const line = visibleLine(pasted);
  const written = line
    .replaceAll(/[\uff0b\uff10-\uff19]/g, (character) => character.normalize('NFKC'))
    .replace(/^tel:\s*/i, '')
    .replace(/^(\+\d{1,3}[-\s]*)\(0\)[-\s]*/, '$1')
    .replaceAll(/[()[\]]/g, ' ')
    .replaceAll(/\s*[\p{Pd}−./\s]+\s*/gu, (between) => (/^\s*$/.test(between) ? ' ' : '-'))
    .trim();
  return /^\+?[\d -]*\d$/.test(written) ? written : line;
}

/** The words before a company's, a dealer's or a person's number. */
const taxIdLabel = /^(?:ח["״.]?פ|ע["״.]?מ|ת["״.]?ז)[.:\s]*/u;

/** A tax id out of what was pasted: `51-444444-7` is `514444447`. What has other characters stays as it is, to be refused. */
export function pastedTaxId(pasted: string): string {
  const line = visibleLine(pasted);
  const digits = line.replace(taxIdLabel, '').replaceAll(/[\p{Pd}−./\s]/gu, '');
  return /^\d+$/.test(digits) ? digits : line;
}
