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

/** The threshold of an answer, ILS; null where it states none. */
export function readMinimumAmount(body: string): number | null {
  try {
    const amount = membersOf(JSON.parse(body))?.get('minimum_amount');
    return typeof amount === 'number' && Number.isFinite(amount) && amount > 0 ? amount : null;
  } catch {
    return null;
  }
}
