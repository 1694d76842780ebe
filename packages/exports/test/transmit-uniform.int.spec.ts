import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthorityFiles, eventually, Simulator } from '@pinkas/testkit';
import { partBytesOf } from '../src/uniform/resumable-upload.js';
import {
  readTransmissionFile,
  storeTransmission,
  type Transmission,
  type TransmitOptions,
  transmitUniform,
} from '../src/uniform/transmit-uniform.js';

const mib = 1024 * 1024;
const step = 256 * 1024;
/** The first fields of a first record: its name, a reserved one, the count of records, and the number of the business. */
const ini = 'A000     000000000000002514293711';

let authority: Simulator;
let out: string;
let begun: Transmission;
let calls: AuthorityFiles;
let data: Buffer;

beforeAll(async () => {
  authority = await Simulator.start('tax-authority');
});
afterAll(() => authority?.stop());

beforeEach(async () => {
  calls = await AuthorityFiles.login(authority);
  await calls.setOptions({ reset: true });
  await authority.mode({ reset: true });
  out = await mkdtemp(join(tmpdir(), 'transmission-test-'));
  const folder = join(out, 'OPENFRMT');
  await mkdir(folder);
  data = randomBytes(3 * mib + 17);
  await writeFile(join(folder, 'INI.TXT'), ini);
  await writeFile(join(folder, 'BKMVDATA.TXT'), data);
  const period = { business_id: 'b', from: '2026-01-01', to: '2026-12-31' };
  begun = { ...period, folder, state: 'written', id: null, files: [] };
  await storeTransmission(out, begun);
});
afterEach(() => rm(out, { recursive: true, force: true }));

const fast = { pausesMs: [1, 1, 1], statusPausesMs: [1, 1], onProgress: () => undefined };

const transmit = async (options: Partial<TransmitOptions> = {}) =>
  transmitUniform(calls, (await readTransmissionFile(out)) ?? begun, {
    ...fast,
    store: (transmission) => storeTransmission(out, transmission),
    ...options,
  });

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('transmitUniform', () => {
  it('both files arrive complete, in parts, and are approved', async () => {
    const shown: number[] = [];
    const done = await transmit({ partBytes: mib, onProgress: (_name, sent) => shown.push(sent) });
    expect(done).toMatchObject({ state: 'approved', id: expect.any(String) });
    expect(await readTransmissionFile(out)).toEqual(done);
    expect(await calls.stored()).toMatchObject({
      'INI.TXT': { sha256: sha256(ini), parts: [ini.length] },
      'BKMVDATA.TXT': { sha256: sha256(data), parts: [mib, mib, mib, 17] },
    });
    expect(shown).toEqual([0, ini.length, 0, mib, 2 * mib, 3 * mib, data.length]);
  });

  it('the addresses are requested for the business that the files name', async () => {
    const asked: string[] = [];
    const open = (taxId: string) => {
      asked.push(taxId);
      return calls.open();
    };
    await transmitUniform({ open, read: (files) => calls.read(files) }, begun, {
      ...fast,
      store: (transmission) => storeTransmission(out, transmission),
    });
    expect(asked).toEqual(['514293711']);
  });

  it('a transmission that ended is not sent again', async () => {
    await transmit();
    const before = await calls.stored();
    expect(await transmit()).toMatchObject({ state: 'approved' });
    expect(await calls.stored()).toEqual(before);
  });

  it('rejected files differ from files without a decision', async () => {
    await calls.setOptions({ transmissionVerdict: 'Uploaded' });
    expect(await transmit()).toMatchObject({ state: 'uploaded', files: [{ status: 'uploaded' }, {}] });
    await calls.setOptions({ transmissionVerdict: 'Rejected' });
    expect(await transmit()).toMatchObject({
      state: 'rejected',
      files: [{ status: 'rejected', description: 'the file is not valid' }, {}],
    });
  });

  it('a business that need not transmit anything ends without an upload', async () => {
    await calls.setOptions({ transmissionRequired: false });
    expect(await transmit()).toMatchObject({ state: 'not_required', files: [] });
  });

  it('a file that is longer than its link allows is not sent', async () => {
    await calls.setOptions({ transmissionMaxBytes: 2 * mib });
    await expect(transmit()).rejects.toThrow(`BKMVDATA.TXT has ${data.length} bytes`);
    expect((await readTransmissionFile(out))?.state).toBe('written');
  });

  it('a file that changed after its upload began is not continued', async () => {
    await storeTransmission(out, { ...begun, state: 'opened', files: await filesOf() });
    await writeFile(join(begun.folder, 'BKMVDATA.TXT'), 'other');
    await expect(transmit()).rejects.toThrow('has changed since its transmission began');
  });

  it('a session that is over begins again with other links', async () => {
    const files = await filesOf();
    const session = `${authority.url}/_storage/${files[0]?.id}/over`;
    await storeTransmission(out, {
      ...begun,
      state: 'opened',
      files: files.map((file) => ({ ...file, session })),
    });
    expect(await transmit()).toMatchObject({ state: 'approved' });
  });

  /** The files of an opened transmission. */
  async function filesOf(): Promise<Transmission['files']> {
    const { files } = await calls.open();
    return Promise.all(
      files.map(async ({ max_bytes: _max, ...file }) => {
        const bytes = await readFile(join(begun.folder, file.name));
        const fresh = { session: null, uploaded: false, status: 'unknown', description: null } as const;
        return { ...file, bytes: bytes.length, sha256: sha256(bytes), ...fresh };
      }),
    );
  }
});

describe('a process that is killed', () => {
  let child: ChildProcess;

  /** Transmits in a process of its own, slowly enough to be killed on the way. */
  function transmitSlowly(): ChildProcess {
    const built = new URL('../dist/uniform/transmit-uniform.js', import.meta.url).href;
    const program = `
      const { readTransmissionFile, storeTransmission, transmitUniform } = await import(${JSON.stringify(built)});
      const out = ${JSON.stringify(out)};
      const wait = () => { throw new Error('the transmission was opened again'); };
      const onProgress = (name, sent) => {
        process.stdout.write(name + ' ' + sent + '\\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      };
      const store = (transmission) => storeTransmission(out, transmission);
      await transmitUniform({ open: wait, read: wait }, await readTransmissionFile(out), { onProgress, partBytes: ${step}, store });
    `;
    return spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  afterEach(() => {
    child?.kill('SIGKILL');
  });

  it('a transmission continues behind what has arrived, and sends no byte twice', async () => {
    const { files: links, id } = await calls.open();
    const files = links.map(({ max_bytes: _max, ...link }) => {
      const bytes = link.name === 'INI.TXT' ? Buffer.from(ini) : data;
      const fresh = { session: null, uploaded: false, status: 'unknown', description: null } as const;
      return { ...link, bytes: bytes.length, sha256: sha256(bytes), ...fresh };
    });
    await storeTransmission(out, { ...begun, state: 'opened', id, files });
    for (let kills = 1; kills <= 3; kills += 1) {
      child = transmitSlowly();
      const exited = once(child, 'exit');
      await eventually('some parts have arrived', async () => {
        const file = (await calls.stored())['BKMVDATA.TXT'];
        return (file?.received ?? 0) >= kills * 3 * step;
      });
      child.kill('SIGKILL');
      await exited;
    }
    const before = (await calls.stored())['BKMVDATA.TXT']?.received ?? 0;
    expect(before).toBeLessThan(data.length);
    expect(await transmit({ partBytes: step })).toMatchObject({ state: 'approved', id });
    const { 'BKMVDATA.TXT': file } = await calls.stored();
    expect(file).toMatchObject({ sha256: sha256(data), received: data.length });
    expect(file?.parts.reduce((sum, part) => sum + part, 0)).toBe(data.length);
  });
});

it.each([
  [1, 1],
  [32 * mib, 32 * mib],
  [32 * mib + 1, 32 * mib],
  [250 * mib, 32 * mib],
  [250 * mib + 1, 64 * mib],
  [1_024 * mib, 64 * mib],
  [1_024 * mib + 1, 128 * mib],
])('a file of %d bytes is sent in parts of %d', (bytes, part) => {
  expect(partBytesOf(bytes)).toBe(part);
});
