import { expect } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import type { Schedule } from './schedule.js';

/** Two services are restarted at a time, each one replica after the other. */
const lanes = [0, 1].map((lane) =>
  serviceNames.filter((_, index) => index % 2 === lane).flatMap((service) => [service, `${service}-2`]),
);

export const rollingRestart: Schedule = {
  name: 'a rolling restart fails no request, leaves no gap and no duplicate, and leaves nothing pending',
  load: { pauseMs: 1_000 },
  async happen(engine) {
    const { callers, system } = engine;
    const restart = async (name: string) => {
      const { answers } = callers;
      const heal = await engine.apply({ kind: 'terminate', target: name });
      await heal?.();
      // Requests were served while it was restarted.
      expect(callers.answers).toBeGreaterThan(answers);
      await system.stack.awaitBalanced(name);
      await eventually('callers are answered', () => callers.answers > answers + 12, 60_000);
    };
    await Promise.all(
      lanes.map(async (names) => {
        for (const name of names) {
          await restart(name);
        }
      }),
    );
  },
  check: async ({ callers }) => expect(callers.refusedWith).toEqual({}),
};
