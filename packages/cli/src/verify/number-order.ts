import type { IssuedDocument, listSeries, ReplyOf } from '@pinkas/contracts';
import { type Fault, faultOf } from './checks.js';

/** What the order of the numbers needs to know of a document. */
export type Numbered = Pick<IssuedDocument, 'id' | 'type' | 'number' | 'date' | 'issued_at'>;
/** A series as issuing goes on with it. */
export type Series = ReplyOf<typeof listSeries>['series'][number];

/**
 * Holds a document against the one before it in the order of the numbers.
 * @param before null for the first of its type.
 * @param firstNumber where the business begins to count the type.
 */
export function faultsOfOrder(before: Numbered | null, document: Numbered, firstNumber: number): Fault[] {
  const { number } = document;
  if (before && number <= before.number) {
    // Which of the two comes first in time is not known.
    return [faultOf('numbers', document, `the number also stands on document ${before.id}`)];
  }
  const faults: Fault[] = [];
  const expected = before ? before.number + 1 : firstNumber;
  if (number > expected) {
    faults.push(faultOf('numbers', document, `before it ${missing(expected, number - 1)}`));
  } else if (number < expected) {
    faults.push(faultOf('numbers', document, `the numbers of its type begin at ${expected}`));
  }
  if (before && document.date < before.date) {
    faults.push(
      faultOf(
        'dates',
        document,
        `its date is ${document.date}, and number ${before.number} is of ${before.date}`,
      ),
    );
  }
  if (before && document.issued_at < before.issued_at) {
    faults.push(
      faultOf(
        'dates',
        document,
        `it was issued at ${document.issued_at}, and number ${before.number} at ${before.issued_at}`,
      ),
    );
  }
  return faults;
}

/**
 * Holds the last document of a type against its series, which may go on while the book is read: what it said before that
 * was at the end must be in the book, and what it says afterwards must not give a number of the book again.
 * @param last null where the book has no document of the type.
 */
export function faultsOfEnd(
  last: Numbered | null,
  series: { type: Numbered['type']; before: Series | undefined; after: Series | undefined },
  firstNumber: number,
): Fault[] {
  const { type, before, after } = series;
  const next = last ? last.number + 1 : firstNumber;
  const fault = (check: 'numbers' | 'dates', message: string): Fault =>
    last ? faultOf(check, last, message) : { check, document_id: null, type, number: null, message };
  const faults: Fault[] = [];
  if (before && before.next_number > next) {
    faults.push(fault('numbers', `${last ? 'after it ' : ''}${missing(next, before.next_number - 1)}`));
  }
  if (last && !after) {
    faults.push(fault('numbers', 'its type has no series, so that its number could be given again'));
  }
  if (after && after.next_number < next) {
    faults.push(fault('numbers', `the series goes on with ${after.next_number}, which is in the book`));
  }
  if (last && after && after.last_date < last.date) {
    faults.push(
      fault('dates', `its date is ${last.date}, and the series takes ${after.last_date} for the last one`),
    );
  }
  return faults;
}

const missing = (from: number, to: number): string =>
  from === to ? `number ${from} is missing` : `the numbers ${from} to ${to} are missing`;
