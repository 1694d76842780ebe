import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningStack } from '../running-stack.js';
import { rollingRestart } from './sections/rolling-restart.js';
import { runStorm } from './storm/storm.js';
import { StormSystem } from './storm/storm-system.js';

const stormMs = 60_000;
/** Its schedule has faults of many kinds in its first steps. */
const seed = 1;

describe('the system with two replicas of each service', () => {
  let system: StormSystem;
  beforeAll(async () => {
    system = await StormSystem.start();
  }, 180_000);
  afterAll(() => system?.stop(), 120_000);

  rollingRestart((): RunningStack => system.stack);

  it('every invariant holds against what callers were answered during a minute of faults of one seed', async () => {
    const lines: string[] = [];
    const { broken } = await runStorm(system, {
      seed,
      forMs: stormMs,
      longestFaultMs: 4_000,
      // Once, at the end.
      stepsPerBook: Number.POSITIVE_INFINITY,
      progress: (text) => lines.push(text),
    });
    expect({ seed, lines, broken }).toEqual({ seed, lines, broken: null });
  }, 600_000);
});
