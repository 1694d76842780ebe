import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTransmission, type ProbeName, probeAuthority, readTransmission } from '@pinkas/contracts';
import { auditTrail } from '@pinkas/testkit';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

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

  it('openTransmission returns a link for each file and records it in the trail', async () => {
    const id = randomUUID();
    const opened = await open(id);
    expect(opened).toMatchObject({ outcome: 'done', reason: null, id: expect.any(String) });
    expect(opened.files.map(({ name, max_bytes: max }) => [name, max])).toEqual([
      ['INI.TXT', 1_073_741_824],
      ['BKMVDATA.TXT', 1_073_741_824],
    ]);
    const entries = (await auditTrail(allocation.database, id)).filter(
      ({ action }) => action === 'transmission.open',
    );
    expect(entries).toMatchObject([
      { subject: id, after: { from: '2026-01-01', to: '2026-12-31', outcome: 'done', id: opened.id } },
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
    expect(await open(id)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('has no permission'),
    });
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
