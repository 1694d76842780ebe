import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ConsumerBinding, consumers, type ServiceName, serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, expectNothingPending, expectVerified } from '../../book.js';
import { type Issuer, type RunningStack, sendsMail } from '../../running-stack.js';
import { awaitConsumer } from '../kill-at-point.js';
import { type FailedRequest, SteadyLoad } from '../steady-load.js';

const callersOfEach = 1;
/** Of a replica that dies only the requests in flight may fail; each of the six callers has one at most. */
const inHandMax = 6 * callersOfEach;
/** Longer than two requests take; a caller of a process that is silent for four seconds is refused. */
const stuckMs = 3_000;
/** More events than the other replica, which handles them at once, has in flight. */
const stuckEvents = 4;
/** The services that are called by nobody while a document is issued; they have events. */
const handlers: Partial<Record<ServiceName, ConsumerBinding>> = {
  allocation: consumers.decideAllocation,
  delivery: consumers.planDelivery,
};

export function killedReplica(system: () => RunningStack): void {
  describe('one replica killed under load', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let load: SteadyLoad;
    /** From each death until the next process was in its place. */
    const deaths: { fromMs: number; toMs: number }[] = [];
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ tax_authority_connected: true, ...sendsMail });
      load = await SteadyLoad.start(stack, issuer, callersOfEach);
    }, 180_000);

    /** Waits until a replica that is stopped has requests or events, which die with it. */
    const awaitStuckWork = async (service: ServiceName) => {
      const consumer = handlers[service];
      if (consumer) {
        await awaitConsumer(
          stack,
          consumer,
          'is given events',
          ({ num_ack_pending }) => num_ack_pending >= stuckEvents,
        );
      } else {
        await eventually(`${service} is given requests`, () => load.waitingFor(stuckMs) > 1, 60_000);
      }
    };

    it.each(serviceNames)(
      'a killed replica of %s fails only requests in flight, all of them retryable',
      async (service) => {
        await eventually('the load runs', () => load.answered > 12, 60_000);
        const failedBefore = load.failed.length;
        const answered = load.answered;
        const before = await stack.pidOf(service);
        const fromMs = performance.now();
        await stack.kill(service, 'SIGSTOP');
        await awaitStuckWork(service);
        await stack.kill(service);
        await stack.awaitRestart(service, before);
        await stack.awaitBalanced(service);
        deaths.push({ fromMs, toMs: performance.now() });
        await eventually('every caller is answered again', () => load.answered > answered + 24, 60_000);
        if (!(service in handlers)) {
          await eventually('its requests are refused', () => load.failed.length > failedBefore, 60_000);
        }
        const failed = load.failed.slice(failedBefore);
        expect(failed.filter((one) => !one.retryable)).toEqual([]);
        // Behind the gateway nothing breaks a connection: its callers get an answer.
        if (service !== 'gateway') {
          expect(failed.filter((one) => one.status === null)).toEqual([]);
        }
      },
      180_000,
    );

    it('a failed request succeeds with the same key, and the book is consistent after all kills', async () => {
      await load.stop();
      expect(load.failed.filter((one) => !one.retryable)).toEqual([]);
      const ofDeath = load.failed.filter(({ sentMs, failedMs }) =>
        deaths.some(({ fromMs, toMs }) => sentMs <= toMs && failedMs >= fromMs),
      );
      expect(load.failed.filter((one) => !ofDeath.includes(one))).toEqual([]);
      expect(load.failed.length).toBeLessThanOrEqual(deaths.length * inHandMax);
      const documents = load.failed.filter((one): one is FailedRequest & { key: string } => one.key !== null);
      for (const { key, body } of documents) {
        if (!body) {
          continue;
        }
        const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
        load.seen[body.type as 'tax_invoice' | 'quote'].push({ key, id, number, total: totals.total });
      }
      await expectConsistentBook(stack, issuer, 'tax_invoice', load.seen.tax_invoice);
      await expectConsistentBook(stack, issuer, 'quote', load.seen.quote);
      await expectNothingPending(stack);
      await expectVerified(stack, issuer);
    }, 300_000);
  });
}
