/** A part that lived this long was well; its next death starts a new count. */
export const wellAfterMs = 30_000;

const firstWaitMs = 500;
const waitMsMax = 15_000;

/**
 * How long to wait before a part that died is started again, in milliseconds.
 *
 * @param deaths - how often in a row it died young, this time included: 1 or more.
 * @returns 0, 500, 1,000, 2,000, … up to 15,000.
 */
export function restartDelayMs(deaths: number): number {
  return deaths <= 1 ? 0 : Math.min(firstWaitMs * 2 ** (deaths - 2), waitMsMax);
}
