import { eventually } from '@pinkas/testkit';

/** Budgets are counted by the minute of the clock: waits until one is not about to end, so that a test fits into it. */
export async function aLongMinute(): Promise<void> {
  await eventually('a minute has long to go', () => new Date().getUTCSeconds() < 50);
}
