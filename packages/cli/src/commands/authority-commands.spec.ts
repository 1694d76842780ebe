import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listSeries, openTransmission, probeAuthority, probeNames, showBusiness } from '@pinkas/contracts';
import { readTransmissionFile, storeTransmission } from '@pinkas/exports';
import { run } from '../../test/run.js';

const id = randomUUID();

describe('pinkas authority probe', () => {
  const probe = (reply: object, options: Record<string, string> = {}) => {
    const answered = { reason: null, question: 'q', assumed: '460', answered: '460', answers: [] };
    const answers = {
      [probeAuthority.subject]: () => ({ outcome: 'answered', ...answered, ...reply }),
    };
    return run('authority probe', { business: id, ...options }, answers);
  };

  it('authority probe names the variables to set where no sandbox is configured, and stops at the first call', async () => {
    const { output, subjects } = probe({ outcome: 'not_sandbox', answered: null });
    await expect(output).rejects.toThrow(/TAX_AUTHORITY_URL and TAX_AUTHORITY_INFORMATION_URL to/);
    expect(subjects).toHaveLength(1);
  });

  it('authority probe makes each call, and fails where an answer differs or is missing', async () => {
    const { output, subjects } = probe({});
    expect(await output).not.toHaveProperty('failure');
    expect(subjects).toHaveLength(probeNames.length);
    expect((await probe({ answered: '461' }).output).failure).toContain('are not as assumed');
    const silent = { outcome: 'failed', answered: null, reason: 'Not connected.' };
    expect((await probe(silent).output).text).toContain('nothing: Not connected.');
  });

  it('authority probe rejects a seller that is no VAT number before it calls anything', async () => {
    const { output, subjects } = probe({}, { 'vat-number': '0123' });
    await expect(output).rejects.toThrow('--vat-number takes a VAT number');
    expect(subjects).toEqual([]);
  });
});

describe('pinkas export transmit', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'transmit-'));
  });
  afterEach(() => rm(out, { recursive: true }));

  it('export transmit names the setting where transmission is off, and continues with the same files later', async () => {
    const begun = {
      business_id: id,
      from: '2026-01-01',
      to: '2026-12-31',
      folder: out,
      state: 'written',
      id: null,
      files: [],
    } as const;
    await storeTransmission(out, begun);
    await writeFile(join(out, 'INI.TXT'), `A000${' '.repeat(5)}000000000000002000000018`);
    const reason = 'Transmission is switched off: the operator sets TAX_AUTHORITY_TRANSMISSION to on.';
    const { output, requests } = run(
      'export transmit',
      { business: id, year: '2026', out },
      {
        [showBusiness.subject]: () => ({ business: { id, tax_id: '514293711' } }),
        [listSeries.subject]: () => ({ series: [] }),
        [openTransmission.subject]: () => ({ outcome: 'off', reason, id: null, files: [] }),
      },
    );
    await expect(output).rejects.toThrow(
      `the operator sets TAX_AUTHORITY_TRANSMISSION to on; the same command continues in ${out}`,
    );
    expect(await readTransmissionFile(out)).toEqual(begun);
    // The number of the business when the files were made.
    expect(requests.at(-1)).toMatchObject([openTransmission.subject, { tax_id: '000000018' }]);
  });
});
