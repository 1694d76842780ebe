import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, expectNothingPending, expectVerified } from '../../harness/book.js';
import { type Issuer, type RunningStack, sendsMail } from '../../harness/running-stack.js';
import { SteadyLoad } from '../steady-load.js';

/** Between two requests of a caller: enough for some to meet each restart. */
const callerPauseMs = 1_000;

/** Two services are restarted at a time, each one replica after the other. */
const lanes = [0, 1].map((lane) =>
  serviceNames.filter((_, index) => index % 2 === lane).flatMap((service) => [service, `${service}-2`]),
);

export function rollingRestart(system: () => RunningStack): void {
  describe('rolling restart', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true, ...sendsMail });
    }, 180_000);

    it('a rolling restart fails no request, leaves no gap and no duplicate, and leaves nothing pending', async () => {
      const load = await SteadyLoad.start(stack, issuer, 1, callerPauseMs);
      await eventually('the load runs', () => load.answered > 12, 60_000);
      const restart = async (name: string) => {
        const answered = load.answered;
        const before = await stack.pidOf(name);
        await stack.kill(name, 'SIGTERM');
        await stack.awaitRestart(name, before);
        // Requests were served while it was restarted.
        expect(load.answered).toBeGreaterThan(answered);
        await stack.awaitBalanced(name);
        await eventually('callers are answered', () => load.answered > answered + 12, 60_000);
      };
      const ends = await Promise.allSettled(
        lanes.map(async (names) => {
          for (const name of names) {
            await restart(name);
          }
        }),
      );
      await load.stop();
      expect(ends.filter(({ status }) => status === 'rejected')).toEqual([]);

      expect(load.failed).toEqual([]);
      expect(load.seen.tax_invoice.length).toBeGreaterThan(lanes.flat().length);
      await expectConsistentBook(stack, issuer, 'tax_invoice', load.seen.tax_invoice);
      await expectConsistentBook(stack, issuer, 'quote', load.seen.quote);
      await expectNothingPending(stack);
      await expectVerified(stack, issuer);
    }, 420_000);
  });
}
