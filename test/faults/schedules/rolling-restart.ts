import { expect } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import type { FaultSystem } from '../engine/system.js';
import type { Schedule } from './schedule.js';

/** Two services are restarted at a time, each one replica after the other. */
const lanes = [0, 1].map((lane) =>
  serviceNames.filter((_, index) => index % 2 === lane).flatMap((service) => [service, `${service}-2`]),
);

/** Why requests failed, as all services have logged it: their callers are answered a code only. */
async function failuresIn(system: FaultSystem): Promise<string[]> {
  const parts = serviceNames.flatMap((service) => system.replicasOf(service));
  const logs = await Promise.all(parts.map((part) => system.stack.logOf(part)));
  return logs
    .flatMap((log) => log.split('\n'))
    .filter((line) => /"msg":"(request|rpc) failed"|service (draining|ready)/.test(line));
}

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
      await eventually('callers are answered', () => callers.answers > answers + 12);
    };
    await Promise.all(
      lanes.map(async (names) => {
        for (const name of names) {
          await restart(name);
        }
      }),
    );
  },
  check: async ({ callers: { refusedWith }, system }) => {
    const causes = Object.keys(refusedWith).length === 0 ? [] : await failuresIn(system);
    expect({ refusedWith, causes }).toEqual({ refusedWith: {}, causes: [] });
  },
};
