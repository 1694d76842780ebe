import { membersOf } from './answer-object.js';

/** Below the base of information. */
export const minimumAmountPath = 'general-information/v2/MinimumAmount';

/**
 * The bodies that ask for the threshold of a day (YYYY-MM-DD), in the order in which they are tried. What is public of the interface
 * has the day as DD-MM-YYYY, while everything else of the authority writes YYYY-MM-DD: an assumption that its sandbox has to settle.
 */
export function minimumAmountBodies(day: string): { date: string }[] {
  return [{ date: day.split('-').reverse().join('-') }, { date: day }];
}

/** Of the threshold of a business, ILS; no answer beyond it is one. */
const amountMax = 100_000_000;

/** The threshold of an answer, ILS; null where it states none. */
export function readMinimumAmount(body: string): number | null {
  try {
    const amount = membersOf(JSON.parse(body))?.get('minimum_amount');
    return typeof amount === 'number' && amount > 0 && amount <= amountMax ? amount : null;
  } catch {
    return null;
  }
}
