import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runStorm } from './storm/storm.js';
import { StormSystem } from './storm/storm-system.js';

const stormMs = 60_000;
const longestFaultMs = 4_000;
/** Its first steps have the most kinds of faults, commits of unknown outcome, a wiped NATS and a full disk among them. */
const seed = 2532;

describe('a storm', () => {
  let system: StormSystem;
  beforeAll(async () => {
    system = await StormSystem.start();
  }, 180_000);
  afterAll(() => system?.stop(), 120_000);

  it('every invariant holds against what callers were answered during a minute of faults of one seed', async () => {
    const lines: string[] = [];
    const { broken } = await runStorm(system, {
      seed,
      forMs: stormMs,
      longestFaultMs,
      pauseMs: 500,
      // Once, at the end.
      stepsPerBook: Number.POSITIVE_INFINITY,
      progress: (text) => lines.push(text),
    });
    expect({ seed, lines, broken }).toEqual({ seed, lines, broken: null });
  }, 600_000);
});
