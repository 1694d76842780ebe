import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listSeries, listWithheld, recordExport, showBusiness, type Withheld } from '@pinkas/contracts';
import { run } from '../../test/run.js';

const id = randomUUID();
const withheld: Withheld = {
  withheld_id: randomUUID(),
  document: { id: randomUUID(), type: 'tax_invoice', number: 7 },
  receipt: { id: randomUUID(), number: 3 },
  customer: { id: randomUUID(), name: 'לקוח לדוגמה', tax_id: '514713288' },
  amount: 40,
  withheld_on: '2026-03-01',
  recorded_at: '2026-03-02T08:00:00.000Z',
  confirmation: { number: '857-1', date: '2026-03-02' },
};
const answers = () => {
  const next = { customer_id: withheld.customer.id };
  const later = { ...withheld, receipt: null, confirmation: {}, amount: 0.5 };
  const pages = [
    { withheld: [withheld], next_after: next },
    { withheld: [later], next_after: null },
  ];
  return {
    [showBusiness.subject]: () => ({ business: { id }, view_url_base: '', pdf_url_base: '' }),
    [listSeries.subject]: () => ({ series: [] }),
    [recordExport.subject]: () => ({}),
    [listWithheld.subject]: () => pages.shift() ?? { withheld: [], next_after: null },
  };
};

describe('pinkas withholding', () => {
  it('list reads every page of a year, or of all years', async () => {
    const { output, requests } = run('withholding list', { business: id, year: '2026' }, answers());
    const { text, json } = await output;
    expect(text).toMatch(/2026-03-01 +40\.00 +tax_invoice 7 +3 +857-1, 2026-03-02\n.* 0\.50 /);
    expect(json).toHaveLength(2);
    const range = { from: '2026-01-01', to: '2026-12-31' };
    expect(requests.slice(1).map(([, request]) => request)).toMatchObject([
      { business_id: id, ...range, after: null },
      { business_id: id, ...range, after: { customer_id: withheld.customer.id } },
    ]);
    const all = run(
      'withholding list',
      { business: id },
      { ...answers(), [listWithheld.subject]: () => ({ withheld: [], next_after: null }) },
    );
    expect((await all.output).text).toBe('No customer has withheld tax');
    expect(all.requests.at(-1)?.[1]).toMatchObject({ from: '1900-01-01', to: '9999-12-31' });
  });
});

describe('pinkas export withholding', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-withholding-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('pinkas export withholding writes the year as one table, is recorded as an export, and replaces no file', async () => {
    const out = join(folder, 'withheld.csv');
    const words = { business: id, year: '2026', out };
    const { output, requests } = run('export withholding', words, answers());
    const { text, json } = await output;
    expect(text).toBe(`${out}\n1 customers have withheld 40.50 ILS`);
    expect(json).toMatchObject({ path: out, customers: 1, entries: 2, amount: 40.5 });
    const lines = (await readFile(out, 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^\ufeffrow,customer_id,/);
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['entry', 'entry', 'customer', 'total']);
    expect(requests.find(([subject]) => subject === recordExport.subject)?.[1]).toEqual({
      ...{ business_id: id, format: 'withholding', from: '2026-01-01', to: '2026-12-31' },
    });
    await expect(run('export withholding', words, answers()).output).rejects.toThrow('is there already');
  });
});
