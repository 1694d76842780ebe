/** A part that ran this long was stable; its next crash starts a new count. */
export const stableAfterMs = 30_000;

const firstDelayMs = 500;
const delayMsMax = 15_000;

/**
 * The delay before a crashed part is restarted, in milliseconds.
 *
 * @param crashes - the number of early crashes in a row, this one included: 1 or more.
 * @returns 0, 500, 1,000, 2,000, … up to 15,000.
 */
export function restartDelayMs(crashes: number): number {
  return crashes <= 1 ? 0 : Math.min(firstDelayMs * 2 ** (crashes - 2), delayMsMax);
}
