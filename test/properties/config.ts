/** The largest seed that fast-check takes. */
const seedMax = 0x7fffffff;

/**
 * The seed of every property of this run. `PINKAS_SEED=123` repeats a run that printed 123; without it each run draws one.
 */
export const seed = wholeNumber('PINKAS_SEED', seedMax) ?? Math.floor(Math.random() * seedMax);

/** How many times the usual number of runs each property makes. `PINKAS_RUNS=20` looks twenty times as long; 1 by default. */
export const runsFactor = wholeNumber('PINKAS_RUNS', 10_000) ?? 1;

function wholeNumber(name: string, max: number): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new Error(`${name} takes a whole number up to ${max}, not "${text}"`);
  }
  return value;
}
