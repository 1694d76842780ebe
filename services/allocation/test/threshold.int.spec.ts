import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allocationThresholdOn, dayInIsrael } from '@pinkas/domain';
import { eventually, scrape } from '@pinkas/testkit';
import { ThresholdMonitor } from '../src/connection/threshold-monitor.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const dayMs = 24 * 60 * 60 * 1_000;

describe('the threshold that the authority names', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
    // However the client shows who it is: this is about what it asks.
    await options({ refreshAuth: 'either' });
  });
  afterAll(() => allocation?.stop());
  beforeEach(() => {
    // A day on which it was not asked yet.
    allocation.clock.now = new Date(allocation.clock.now.getTime() + dayMs);
  });

  const options = async (change: object) => {
    const answer = await fetch(new URL('/_options', allocation.authority.url), {
      method: 'POST',
      body: JSON.stringify(change),
    });
    expect(answer.status).toBe(200);
  };
  const asked = async () =>
    (await allocation.authority.calls()).calls.filter(({ path }) => path.endsWith('/MinimumAmount'));
  const difference = async () =>
    (await scrape(allocation.service)).get('pinkas_authority_threshold_difference_ils') ?? null;
  const monitor = () => allocation.service.app.get(ThresholdMonitor);

  it('the authority is not asked without a connection, and the table holds', async () => {
    await monitor().tick();
    expect(await asked()).toEqual([]);
    expect(await difference()).toBe(0);
  });

  it('the authority is asked once a day with a connected business, in the form of day that it reads', async () => {
    await allocation.connect(allocation.business.id);
    await monitor().tick();
    await monitor().tick();
    expect((await asked()).map(({ status }) => status)).toEqual([200]);
    expect(await difference()).toBe(0);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + dayMs);
    await options({ minimumDate: 'YYYY-MM-DD' });
    await monitor().tick();
    expect((await asked()).map(({ status }) => status === 200)).toEqual([true, false, true]);
    await options({ minimumDate: 'DD-MM-YYYY' });
  });

  it('another threshold than that of the table is a metric and a warning, and an answer without one is none', async () => {
    await options({ thresholds: [['2024-05-05', 3_000]] });
    await monitor().tick();
    const table = allocationThresholdOn(dayInIsrael(allocation.clock.now));
    await eventually('the metric has the difference', async () => (await difference()) === table - 3_000);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + dayMs);
    await options({ thresholds: [] });
    await monitor().tick();
    expect(await difference()).toBe(table - 3_000);
  });
});
