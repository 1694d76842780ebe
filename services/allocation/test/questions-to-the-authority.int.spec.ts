import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openTransmission,
  type ProbeName,
  probeAuthority,
  readTransmission,
  showAllocationThreshold,
  showConnection,
} from '@pinkas/contracts';
import { allocationThresholdOn, dayInIsrael } from '@pinkas/domain';
import { eventually, readTrail, scrape } from '@pinkas/testkit';
import { ThresholdMonitor } from '../src/connection/threshold-monitor.js';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

describe('files and probes of the authority', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ autoConnect: true, timeoutMs: 10_000 });
  });
  afterAll(() => allocation?.stop());

  describe('the transmission of the uniform structure', () => {
    const open = (business_id: string) =>
      allocation.network.call(openTransmission, {
        business_id,
        tax_id: '777777715',
        from: '2026-01-01',
        to: '2026-12-31',
      });

    const asked = {
      action: 'transmission.open',
      after: { from: '2026-01-01', to: '2026-12-31', tax_id: '777777715' },
    };
    const trail = async (id: string) =>
      (await readTrail(allocation.database, id)).filter(({ action }) => action.startsWith('transmission.'));

    it('openTransmission returns a link for each file and records it in the trail', async () => {
      const id = randomUUID();
      const opened = await open(id);
      expect(opened).toMatchObject({ outcome: 'done', reason: null, id: expect.any(String) });
      expect(opened.files.map(({ name, max_bytes: max }) => [name, max])).toEqual([
        ['INI.TXT', 1_073_741_824],
        ['BKMVDATA.TXT', 1_073_741_824],
      ]);
      expect(await trail(id)).toMatchObject([
        { ...asked, subject: id },
        {
          action: 'transmission.opened',
          after: { outcome: 'done', id: opened.id, files: ['INI.TXT', 'BKMVDATA.TXT'] },
        },
      ]);
    });

    it('readTransmission returns the state of each file, unknown before it was uploaded', async () => {
      const id = randomUUID();
      const { files } = await open(id);
      const asked = files.map(({ id: fileId, name }) => ({ id: fileId, name }));
      const read = await allocation.network.call(readTransmission, { business_id: id, files: asked });
      expect(read).toEqual({
        outcome: 'done',
        reason: null,
        files: asked.map((file) => ({ id: file.id, status: 'unknown', description: null })),
      });
    });

    it('a login without permission for the files is reported with what has to be done', async () => {
      const id = randomUUID();
      await allocation.authority.setMode({ mode: 'not_permitted' as 'ok', times: 1 });
      const reason = expect.stringContaining('has no permission');
      expect(await open(id)).toMatchObject({ outcome: 'failed', reason });
      expect(await trail(id)).toMatchObject([
        asked,
        { action: 'transmission.opened', after: { outcome: 'failed', reason } },
      ]);
    });
  });

  describe('the probe of a sandbox', () => {
    const options = async (change: object) => {
      const { origin } = new URL(allocation.authority.url);
      const response = await fetch(`${origin}/_options`, {
        method: 'POST',
        body: JSON.stringify({ ...change, reset: true }),
      });
      expect(response.status).toBe(200);
    };
    const probe = (name: ProbeName, vat_number = 777_777_715) =>
      allocation.network.call(probeAuthority, { business_id: randomUUID(), probe: name, vat_number });

    it.each([
      ['repeat', 'the same number', 'another number', { repeat: 'new' }, 777_777_715],
      ['repeat', 'the same number', 'a number, then 471', { repeat: 'error' }, 777_777_715],
      ['too_old', 'a number, then 434', 'a number, then a number', { oldestDays: 400 }, 777_777_715],
      ['too_early', 'a number, then 435', '435, then 435', { aheadDays: 14 }, 777_777_715],
      ['credit_note', 'a number', '460', { noNumber: 460 }, 777_777_715],
      ['zero_vat', 'a number', '500', { otherSellers: 500 }, 514_713_288],
      ['sums', 'a number', '431', { unknownVats: [18] }, 777_777_715],
      ['decimals', 'a number', '406', { permittedVats: [] }, 777_777_715],
      ['look_up', '406', 'a number', { lookupBy: 'anyone' }, 777_777_715],
      [
        'minimum_amount',
        'an amount, then 400',
        '400, then an amount',
        { minimumDate: 'YYYY-MM-DD' },
        777_777_715,
      ],
    ] as const)(
      'the probe %s shows %s, and %s where the authority differs',
      async (name, assumed, other, change, vat: number) => {
        await options({});
        const agreeing = await probe(name, vat);
        expect(agreeing).toMatchObject({ outcome: 'answered', assumed, answered: assumed });
        await options(change);
        const differing = await probe(name, vat);
        expect(differing).toMatchObject({ outcome: 'answered', assumed, answered: other });
        expect(differing.answers.length).toBeGreaterThan(0);
      },
    );

    it('the probe of a private person shows whether the id is known', async () => {
      await options({ unknownVats: [123_456_782] });
      expect(await probe('private_person')).toMatchObject({ assumed: '431', answered: '431' });
      await options({});
      expect(await probe('private_person')).toMatchObject({ assumed: '431', answered: 'a number' });
    });
  });
});

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
    await monitor().tickNow();
    expect(await asked()).toEqual([]);
    expect(await difference()).toBe(0);
  });

  it('the authority is asked once a day with a connected business, in the form of day that it reads', async () => {
    await allocation.connect(allocation.business.id);
    await eventually('it is asked at once', async () => (await asked()).length === 1);
    await monitor().tickNow();
    await monitor().tickNow();
    expect((await asked()).map(({ status }) => status)).toEqual([200]);
    expect(await difference()).toBe(0);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + dayMs);
    await options({ minimumDate: 'YYYY-MM-DD' });
    await monitor().tickNow();
    expect((await asked()).map(({ status }) => status === 200)).toEqual([true, false, true]);
    await options({ minimumDate: 'DD-MM-YYYY' });
  });

  it('another threshold than that of the table is a metric and a warning, and an answer without one is none', async () => {
    await options({ thresholds: [['2024-05-05', 3_000]] });
    await monitor().tickNow();
    const table = allocationThresholdOn(dayInIsrael(allocation.clock.now));
    await eventually('the metric has the difference', async () => (await difference()) === table - 3_000);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + dayMs);
    await options({ thresholds: [] });
    await monitor().tickNow();
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
    await restarted.app.get(ThresholdMonitor).tickNow();
    expect((await asked()).slice(before)).toHaveLength(1);
  });

  it('a day without an answer is asked about again after half an hour, and the answer of before stays', async () => {
    const latest = await shown();
    await options({ thresholds: [] });
    await monitor().tickNow();
    const made = (await asked()).length;
    await options({ thresholds: [['2024-05-05', 6_000]] });
    await monitor().tickNow();
    expect(await asked()).toHaveLength(made);
    expect(await shown()).toEqual(latest);
    allocation.clock.now = new Date(allocation.clock.now.getTime() + 30 * 60 * 1_000);
    await monitor().tickNow();
    expect((await shown())?.net).toBe(6_000);
  });

  it.each([401, 406, 500])('a status of %i for the threshold ends no connection', async (status) => {
    const { calls } = await allocation.authority.calls();
    await allocation.authority.setMode({ mode: 'status', status, operation: 'minimum' });
    await monitor().tickNow();
    await allocation.authority.resetModes();
    const made = (await allocation.authority.calls()).calls.slice(calls.length);
    expect(made.some((call) => call.path.endsWith('/MinimumAmount') && call.status === status)).toBe(true);
    const { business } = allocation;
    const { connection } = await allocation.network.call(showConnection, { business_id: business.id });
    expect(connection?.state).toBe('connected');
  });
});
