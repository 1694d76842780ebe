import type { IssuedDocument, listSeries, ReplyOf } from '@pinkas/contracts';
import { type Finding, findingOf } from './checks.js';

/** The fields of a document that its order is checked by. */
export type Numbered = Pick<IssuedDocument, 'id' | 'type' | 'number' | 'date' | 'issued_at'>;
/** A series as issuing continues it. */
export type Series = ReplyOf<typeof listSeries>['series'][number];

/**
 * Compares a document with the one before it in the order of the numbers.
 * @param before null for the first of its type.
 * @param firstNumber the first number of the type at this business.
 */
export function checkOrder(before: Numbered | null, document: Numbered, firstNumber: number): Finding[] {
  const { number } = document;
  if (before && number <= before.number) {
    // Which of the two was issued first is not known.
    return [findingOf('numbers', document, `document ${before.id} has the same number`)];
  }
  const findings: Finding[] = [];
  const expected = before ? before.number + 1 : firstNumber;
  if (number > expected) {
    findings.push(findingOf('numbers', document, `before it ${missing(expected, number - 1)}`));
  } else if (number < expected) {
    findings.push(findingOf('numbers', document, `the numbers of its type start at ${expected}`));
  }
  if (before && document.date < before.date) {
    findings.push(
      findingOf(
        'dates',
        document,
        `its date is ${document.date}, and number ${before.number} is of ${before.date}`,
      ),
    );
  }
  if (before && document.issued_at < before.issued_at) {
    findings.push(
      findingOf(
        'dates',
        document,
        `it was issued at ${document.issued_at}, and number ${before.number} at ${before.issued_at}`,
      ),
    );
  }
  return findings;
}

/**
 * Compares the last document of a type with its series, which may advance while the book is read: the numbers that it had used
 * before must be in the book, and the numbers that it will use must not be.
 * @param last null where the book has no document of the type.
 */
export function checkSeriesEnd(
  last: Numbered | null,
  series: { type: Numbered['type']; before: Series | undefined; after: Series | undefined },
  firstNumber: number,
): Finding[] {
  const { type, before, after } = series;
  const next = last ? last.number + 1 : firstNumber;
  const finding = (check: 'numbers' | 'dates', message: string): Finding =>
    last ? findingOf(check, last, message) : { check, document_id: null, type, number: null, message };
  const findings: Finding[] = [];
  if (before && before.next_number > next) {
    findings.push(finding('numbers', `${last ? 'after it ' : ''}${missing(next, before.next_number - 1)}`));
  }
  if (last && !after) {
    findings.push(finding('numbers', 'its type has no series, so its number could be used again'));
  }
  if (after && after.next_number < next) {
    findings.push(
      finding('numbers', `the next number of the series is ${after.next_number}, which is in the book`),
    );
  }
  if (last && after && after.last_date < last.date) {
    findings.push(
      finding('dates', `its date is ${last.date}, and the last date of the series is ${after.last_date}`),
    );
  }
  return findings;
}

const missing = (from: number, to: number): string =>
  from === to ? `number ${from} is missing` : `the numbers ${from} to ${to} are missing`;
