/** What was done in parallel lanes. */
export interface Counted {
  done: number;
  ms: number;
  latenciesMs: number[];
}

/** Does the work again and again in parallel lanes until the time is over. */
export async function inLanes(
  lanes: number,
  durationMs: number,
  work: (lane: number) => Promise<unknown>,
): Promise<Counted> {
  const started = performance.now();
  const latenciesMs: number[] = [];
  const lane = async (index: number) => {
    while (performance.now() - started < durationMs) {
      latenciesMs.push(await timed(() => work(index)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return { done: latenciesMs.length, ms: performance.now() - started, latenciesMs };
}

/** Does the work so many times, in parallel lanes, but begins none after the time is over. */
export async function timesInLanes(
  lanes: number,
  times: number,
  untilMs: number,
  work: (lane: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0;
  const lane = async (index: number) => {
    while (begun < times && performance.now() < untilMs) {
      begun += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
}

/** Adds one count to another. */
export function add(sum: Counted, one: Counted): void {
  sum.done += one.done;
  sum.ms += one.ms;
  sum.latenciesMs.push(...one.latenciesMs);
}

/** How long a piece of work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
