import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectNothingOwed, expectProven, expectSoundBook } from '../book.js';
import { type Issuer, RunningStack, sendsMail } from '../running-stack.js';
import { type Failed, SteadyLoad } from './steady-load.js';

const callersOfEach = 1;
/** Of a replica that dies only the requests in hand may fail; each of the six callers has one at the most. */
const inHandMax = 6 * callersOfEach;

describe('when one of two replicas is killed under load', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  let load: SteadyLoad;
  /** From each death until the next process was in its place. */
  const deaths: { fromMs: number; toMs: number }[] = [];
  beforeAll(async () => {
    stack = await RunningStack.start({ PINKAS_REPLICAS: '2' });
    issuer = await stack.newIssuer({ tax_authority_connected: true, ...sendsMail });
    load = await SteadyLoad.start(stack, issuer, callersOfEach);
  }, 180_000);
  afterAll(() => stack.stop(), 120_000);

  it.each(serviceNames)(
    '%s: only what was in its hands fails, and may be sent again',
    async (service) => {
      await eventually('the load runs', () => load.answered > 30, 60_000);
      const failedBefore = load.failed.length;
      const answered = load.answered;
      const before = await stack.pidOf(service);
      const fromMs = performance.now();
      await stack.kill(service);
      await stack.restarted(service, before);
      await stack.givenConnections(service);
      deaths.push({ fromMs, toMs: performance.now() });
      // A request that hangs on the dead ends with its own deadline.
      await eventually('every caller is answered again', () => load.answered > answered + 60, 60_000);
      const failed = load.failed.slice(failedBefore);
      expect(failed.filter((one) => !one.retryable)).toEqual([]);
      // Behind the gateway nothing breaks a connection: its callers are told.
      if (service !== 'gateway') expect(failed.filter((one) => one.status === null)).toEqual([]);
    },
    180_000,
  );

  it('what failed succeeds with the same key, nothing is there twice, and every step is done', async () => {
    await load.stop();
    // Also those that waited for the dead until their own time was over.
    expect(load.failed.filter((one) => !one.retryable)).toEqual([]);
    const ofDeath = load.failed.filter(({ sentMs, failedMs }) =>
      deaths.some(({ fromMs, toMs }) => sentMs <= toMs && failedMs >= fromMs),
    );
    expect(load.failed.filter((one) => !ofDeath.includes(one))).toEqual([]);
    expect(load.failed.length).toBeLessThanOrEqual(deaths.length * inHandMax);
    const documents = load.failed.filter((one): one is Failed & { key: string } => one.key !== null);
    for (const { key, body } of documents) {
      if (!body) continue;
      const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
      load.seen[body.type as 'tax_invoice' | 'quote'].push({ key, id, number, total: totals.total });
    }
    await expectSoundBook(stack, issuer, 'tax_invoice', load.seen.tax_invoice);
    await expectSoundBook(stack, issuer, 'quote', load.seen.quote);
    await expectNothingOwed(stack);
    await expectProven(stack);
  }, 300_000);
});
