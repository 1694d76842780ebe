import { beforeAll } from '@jest/globals';

/** A table may hold a hundred documents, and each is printed. */
const tableTimeoutMs = 120_000;

/** Works on many things, so many at once. Rejects with the first failure, after all have ended. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  const lanes = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item, index);
    }
  });
  const ended = await Promise.allSettled(lanes);
  const failed = ended.find((lane) => lane.status === 'rejected');
  if (failed) {
    throw failed.reason;
  }
  return results;
}

/**
 * Sends every case of a table before the first test of the surrounding `describe`, several at once, and hands each test
 * the answer to its own case. A case that could not be sent fails its own test only.
 */
export function answersTo<Case, Result>(
  cases: readonly Case[],
  ask: (entry: Case, index: number) => Promise<Result>,
  atOnce = 6,
): (entry: Case) => Result {
  const outcomes = new Map<Case, PromiseSettledResult<Result>>();
  beforeAll(
    () =>
      inParallel(cases, atOnce, async (item, index) => {
        const [outcome] = await Promise.allSettled([ask(item, index)]);
        outcomes.set(item, outcome as PromiseSettledResult<Result>);
      }),
    tableTimeoutMs,
  );
  return (item) => {
    const outcome = outcomes.get(item);
    if (!outcome) {
      throw new Error('this case was not sent');
    }
    if (outcome.status === 'rejected') {
      throw outcome.reason;
    }
    return outcome.value;
  };
}
