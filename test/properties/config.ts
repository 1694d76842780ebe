/** The largest seed that fast-check takes. */
const seedMax = 0x7fffffff;

/** The seed of a run without `PINKAS_SEED`: fixed, so that two runs of one commit test the same. */
const usualSeed = 20_260_615;

/**
 * The seed of every property of this run. `PINKAS_SEED=123` repeats a run that printed 123; `PINKAS_SEED=random` draws one.
 */
export const seed =
  process.env.PINKAS_SEED === 'random'
    ? Math.floor(Math.random() * seedMax)
    : (wholeNumber('PINKAS_SEED', seedMax) ?? usualSeed);

/** Factor on the number of runs of each property: `PINKAS_RUNS=20` runs twenty times as many. 1 by default. */
export const runsFactor = wholeNumber('PINKAS_RUNS', 10_000) ?? 1;

function wholeNumber(name: string, max: number): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') {
    return undefined;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new Error(`${name} takes a whole number up to ${max}, not "${text}"`);
  }
  return value;
}
