import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectNothingOwed, expectProven, expectSoundBook } from '../book.js';
import { type Issuer, RunningStack, sendsMail } from '../running-stack.js';
import { SteadyLoad } from './steady-load.js';

const processes = serviceNames.flatMap((service) => [service, `${service}-2`]);

describe('a rolling restart of two replicas of every service', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  beforeAll(async () => {
    stack = await RunningStack.start({ PINKAS_REPLICAS: '2' });
    issuer = await stack.newIssuer({ tax_authority_connected: true, ...sendsMail });
  }, 180_000);
  afterAll(() => stack.stop(), 120_000);

  it('fails no request of callers that send nothing again, and leaves no gap, no double and no step', async () => {
    const load = await SteadyLoad.start(stack, issuer, 1);
    await eventually('the load runs', () => load.answered > 30, 60_000);
    for (const name of processes) {
      const answered = load.answered;
      const before = await stack.pidOf(name);
      await stack.kill(name, 'SIGTERM');
      await stack.restarted(name, before);
      await stack.givenConnections(name);
      await eventually('callers are answered', () => load.answered > answered + 20, 60_000);
    }
    await load.stop();

    expect(load.failed).toEqual([]);
    expect(load.seen.tax_invoice.length).toBeGreaterThan(processes.length);
    await expectSoundBook(stack, issuer, 'tax_invoice', load.seen.tax_invoice);
    await expectSoundBook(stack, issuer, 'quote', load.seen.quote);
    await expectNothingOwed(stack);
    await expectProven(stack);
  }, 420_000);
});
