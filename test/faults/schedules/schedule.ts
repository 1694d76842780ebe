import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailsOf } from '../engine/checks.js';
import { Engine, type Load } from '../engine/engine.js';
import { FaultSystem } from '../engine/system.js';

/** The faults of a system in their order, the load, and the conditions at the end besides the invariants. */
export interface Schedule {
  name: string;
  /** None: what it sends itself is all. */
  load?: Load;
  happen(engine: Engine): Promise<unknown>;
  check?(engine: Engine): Promise<unknown>;
}

/** A repeated attempt of unknown outcome has come to an end by then. */
const nextAttemptMs = 150_000;

/**
 * A test for each schedule, one after the other on one system. After each the invariants hold that answers show, and at the end
 * those that the stored data show.
 * @param processes of each service; `one`: all services in one process.
 */
export function followSchedules(
  what: string,
  processes: 1 | 2 | 'one',
  groups: readonly (readonly Schedule[])[],
  more: (system: () => FaultSystem) => void = () => {},
): void {
  describe(what, () => {
    let system: FaultSystem;
    let engine: Engine;
    beforeAll(async () => {
      system = await FaultSystem.start(
        processes === 'one' ? { layout: 'one' } : { replicas: processes, wantsStore: processes === 1 },
      );
      engine = await Engine.on(system);
    });
    afterAll(async () => {
      await engine?.end();
      await system?.stop();
    });

    for (const schedules of groups) {
      for (const { name, load, happen, check } of schedules) {
        it(name, async () => {
          await engine.open();
          if (load) {
            const { findings } = await engine.underLoad(load, async () => void (await happen(engine)));
            expect(findings).toEqual([]);
          } else {
            await happen(engine);
            await engine.callers.settle();
          }
          expect(await engine.check()).toEqual([]);
          await check?.(engine);
        }, 300_000);
      }

      it('the books are complete, every message was sent, and nothing is left to do', async () => {
        await expectEveryMail(engine);
        expect(await engine.close()).toEqual([]);
      }, 400_000);
    }

    more(() => system);
  });
}

/** Waits until every document that is to be sent has its email. @param once expects that none was sent twice. */
export async function expectEveryMail({ callers, system }: Engine, once = false): Promise<void> {
  const addresses = [...callers.known.values()].flat().flatMap(({ key, created, cancel }) => {
    const isSent = created?.delivery.status === 'queued' && created.delivery.channel !== 'whatsapp';
    return isSent && cancel === 'none' ? [`${key}@example.com`] : [];
  });
  let emails = new Map<string, string[]>();
  const end = performance.now() + nextAttemptMs;
  do {
    emails = await emailsOf(system);
  } while (addresses.some((address) => !emails.has(address)) && performance.now() < end);
  expect(addresses.filter((address) => !emails.has(address))).toEqual([]);
  if (once) {
    expect(addresses.filter((address) => emails.get(address)?.length !== 1)).toEqual([]);
  }
}

/** Every document that is to be sent has one email. */
export const expectEveryMailOnce = (engine: Engine): Promise<void> => expectEveryMail(engine, true);
