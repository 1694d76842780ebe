import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { showAllocationThreshold, showConnection } from '@pinkas/contracts';
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
  const shown = async () => (await allocation.network.call(showAllocationThreshold, {})).answer;
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

  it('the answer survives a restart, and two replicas ask once', async () => {
    await options({ thresholds: [['2024-05-05', 4_000]] });
    const before = (await asked()).length;
    const other = await allocation.startAnother();
    await Promise.all([monitor().tick(), other.app.get(ThresholdMonitor).tick()]);
    await eventually('the answer is stored', async () => (await shown())?.net === 4_000);
    expect((await asked()).slice(before)).toHaveLength(1);
    await other.stop();
    const restarted = await allocation.startAnother();
    expect(await shown()).toEqual({ day: dayInIsrael(allocation.clock.now), net: 4_000 });
    await restarted.app.get(ThresholdMonitor).tick();
    expect((await asked()).slice(before)).toHaveLength(1);
  });

  it('a day without an answer is asked about again after half an hour, and the answer of before stays', async () => {
    const latest = await shown();
    await options({ thresholds: [] });
    await monitor().tick();
    const made = (await asked()).length;
    await options({ thresholds: [['2024-05-05', 6_000]] });
    await monitor().tick();
    expect(await asked()).toHaveLength(made);
    expect(await shown()).toEqual(latest);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + 30 * 60 * 1_000);
    await monitor().tick();
    expect((await shown())?.net).toBe(6_000);
  });

  it.each([401, 406, 500])('a status of %i for the threshold ends no connection', async (status) => {
    const { calls } = await allocation.authority.calls();
    await allocation.authority.setMode({ mode: 'status', status, operation: 'minimum' });
    await monitor().tick();
    await allocation.authority.resetModes();
    const made = (await allocation.authority.calls()).calls.slice(calls.length);
    expect(made.some((call) => call.path.endsWith('/MinimumAmount') && call.status === status)).toBe(true);
    const { business } = allocation;
    const { connection } = await allocation.network.call(showConnection, { business_id: business.id });
    expect(connection?.state).toBe('connected');
  });
});
