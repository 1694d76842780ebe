import fc from 'fast-check';
import { runsFactor, seed } from './config.js';

/** What looking for an example and making it small may take together; after that the smallest found so far is reported. */
const limitMs = 180_000 * Math.max(1, runsFactor);

/** The time-out of a test that looks for an example. */
export const propertyTimeoutMs = limitMs + 60_000;

/**
 * Looks for an example that breaks a property, and makes it small.
 * @param runs how many examples are tried, before `PINKAS_RUNS` multiplies them.
 * @param examples what is tried first, in every run.
 * @param part 0, 1, …: parts of one property draw different examples from one seed.
 * @throws Error with the smallest example, and with the seed that finds it again.
 */
export async function holds<T>(
  name: string,
  property: fc.IAsyncPropertyWithHooks<T>,
  runs: number,
  examples: T[] = [],
  part = 0,
): Promise<void> {
  process.stderr.write(`${name}: PINKAS_SEED=${seed}\n`);
  const details = await fc.check(property, {
    seed: seed + part,
    numRuns: Math.max(1, runs * runsFactor) + examples.length,
    examples,
    interruptAfterTimeLimit: limitMs,
    markInterruptAsFailure: true,
  });
  if (!details.failed) {
    return;
  }
  const report = await fc.asyncDefaultReportMessage(details);
  throw new Error(`${name}: PINKAS_SEED=${seed} finds it again\n${report}`, { cause: details.errorInstance });
}
