import { expect, it } from '@jest/globals';
import { rollingRestart } from './schedules/rolling-restart.js';
import { followSchedules } from './schedules/schedule.js';
import { runStorm } from './schedules/storm.js';

const stormMs = 60_000;
const longestFaultMs = 4_000;
/** Of a caller between two requests: the faults decide what is tested, not the number of documents. */
const pauseMs = 2_500;
/** Its first steps have the most kinds of faults, commits of unknown outcome, a wiped NATS and a full disk among them. */
const seed = 9966;

followSchedules('the system with two replicas of each service', 2, [[rollingRestart]], (system) => {
  it('every invariant holds against what callers were answered during a minute of faults of one seed', async () => {
    const lines: string[] = [];
    const { broken } = await runStorm(system(), {
      seed,
      forMs: stormMs,
      longestFaultMs,
      pauseMs,
      // Once, at the end.
      stepsPerBook: Number.POSITIVE_INFINITY,
      progress: (text) => lines.push(text),
    });
    expect({ seed, lines, broken }).toEqual({ seed, lines, broken: null });
  }, 600_000);
});
