import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, Simulator } from '@pinkas/testkit';
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

let authority: Simulator;
let out: string;
let begun: Transmission;
let bearer: string;
let data: Buffer;

beforeAll(async () => {
  authority = await Simulator.start('tax-authority');
});
afterAll(() => authority?.stop());

beforeEach(async () => {
  await control('_options', { reset: true });
  await authority.mode({ reset: true });
  out = await mkdtemp(join(tmpdir(), 'transmission-test-'));
  const folder = join(out, 'OPENFRMT');
  await mkdir(folder);
  data = randomBytes(3 * mib + 17);
  await writeFile(join(folder, 'INI.TXT'), 'A000');
  await writeFile(join(folder, 'BKMVDATA.TXT'), data);
  bearer = await login();
  const period = { business_id: 'b', from: '2026-01-01', to: '2026-12-31' };
  begun = { ...period, folder, state: 'written', id: null, files: [] };
  await storeTransmission(out, begun);
});
afterEach(() => rm(out, { recursive: true, force: true }));

async function control(path: string, body: object): Promise<void> {
  const response = await fetch(`${authority.url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(response.status).toBe(200);
}

async function login(): Promise<string> {
  const base = `${authority.url}/shaam/tsandbox/longtimetoken/oauth2`;
  const redirect_uri = 'http://127.0.0.1:9/connected';
  const query = new URLSearchParams({ response_type: 'code', client_id: 'c', scope: 'scope', redirect_uri });
  const { headers } = await fetch(`${base}/authorize?${query}`, { redirect: 'manual' });
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
  const response = await fetch(`${base}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('c:s').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, scope: 'scope' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** The calls that the allocation service makes, on the same simulator. */
const calls = {
  open: async () => {
    const { data: opened, error } = (await post(
      'UniStructFileUploadLinksApi/v1/UploadingFile/GetUrlsForUploadingFiles',
      { caseNumber: 777777715, startPeriod: '2026-01-01', endPeriod: '2026-12-31' },
    )) as { data: { uniqueId: string; files: Link[] } | null; error: { message: string } | null };
    const files = (opened?.files ?? []).map((file) => ({
      name: file.fileName,
      id: file.fileUniqueId,
      url: file.signUrl,
      headers: Object.entries(file.headers).map(([name, value]) => ({ name, value })),
      max_bytes: Number(file.headers['x-goog-content-length-range']?.split(',')[1]),
    }));
    const outcome = opened ? ('done' as const) : ('not_required' as const);
    return { outcome, reason: error?.message ?? null, id: opened?.uniqueId ?? null, files };
  },
  read: async (files: Transmission['files']) => {
    const asked = files.map(({ id }) => ({ fileUniqueId: id }));
    const statuses = (await post('FilesStatusApi/v1/Files/get-file-status', asked)) as {
      fileName: string;
      status: string;
      description: string;
    }[];
    return {
      outcome: 'done' as const,
      reason: null,
      files: statuses.map(({ fileName, status, description }) => ({
        id: fileName,
        status: (status || 'unknown').toLowerCase() as 'approved',
        description,
      })),
    };
  },
};

interface Link {
  readonly fileName: 'INI.TXT' | 'BKMVDATA.TXT';
  readonly fileUniqueId: string;
  readonly signUrl: string;
  readonly headers: Record<string, string>;
}

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${authority.url}/shaam/tsandbox/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json();
}

const fast = { pausesMs: [1, 1, 1], statusPausesMs: [1, 1], onProgress: () => undefined };

const transmit = async (options: Partial<TransmitOptions> = {}) =>
  transmitUniform(calls, out, (await readTransmissionFile(out)) ?? begun, { ...fast, ...options });

interface Received {
  readonly name: string;
  readonly sha256: string | null;
  readonly received: number;
  readonly parts: number[];
}

/** The newest files of the simulator's storage. */
async function stored(): Promise<Record<string, Received>> {
  const { files } = await authority.read<{ files: Received[] }>('/_state');
  return Object.fromEntries(files.map((file) => [file.name, file]));
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('transmitUniform', () => {
  it('both files arrive complete, in parts, and are approved', async () => {
    const shown: number[] = [];
    const done = await transmit({ partBytes: mib, onProgress: (_name, sent) => shown.push(sent) });
    expect(done).toMatchObject({ state: 'approved', id: expect.any(String) });
    expect(await readTransmissionFile(out)).toEqual(done);
    expect(await stored()).toMatchObject({
      'INI.TXT': { sha256: sha256('A000'), parts: [4] },
      'BKMVDATA.TXT': { sha256: sha256(data), parts: [mib, mib, mib, 17] },
    });
    expect(shown).toEqual([0, 4, 0, mib, 2 * mib, 3 * mib, data.length]);
  });

  it('a transmission that ended is not sent again', async () => {
    await transmit();
    const before = await stored();
    expect(await transmit()).toMatchObject({ state: 'approved' });
    expect(await stored()).toEqual(before);
  });

  it('rejected files differ from files without a decision', async () => {
    await control('_options', { transmissionVerdict: 'Uploaded' });
    expect(await transmit()).toMatchObject({ state: 'uploaded', files: [{ status: 'uploaded' }, {}] });
    await control('_options', { transmissionVerdict: 'Rejected' });
    expect(await transmit()).toMatchObject({
      state: 'rejected',
      files: [{ status: 'rejected', description: 'the file is not valid' }, {}],
    });
  });

  it('a business that need not transmit anything ends without an upload', async () => {
    await control('_options', { transmissionRequired: false });
    expect(await transmit()).toMatchObject({ state: 'not_required', files: [] });
  });

  it('a file that is longer than its link allows is not sent', async () => {
    await control('_options', { transmissionMaxBytes: 2 * mib });
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
      const { readTransmissionFile, transmitUniform } = await import(${JSON.stringify(built)});
      const out = ${JSON.stringify(out)};
      const wait = () => { throw new Error('the transmission was opened again'); };
      const onProgress = (name, sent) => {
        process.stdout.write(name + ' ' + sent + '\\n');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      };
      await transmitUniform({ open: wait, read: wait }, out, await readTransmissionFile(out), { onProgress, partBytes: ${step} });
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
      const bytes = link.name === 'INI.TXT' ? Buffer.from('A000') : data;
      const fresh = { session: null, uploaded: false, status: 'unknown', description: null } as const;
      return { ...link, bytes: bytes.length, sha256: sha256(bytes), ...fresh };
    });
    await storeTransmission(out, { ...begun, state: 'opened', id, files });
    for (let kills = 1; kills <= 3; kills += 1) {
      child = transmitSlowly();
      const exited = once(child, 'exit');
      await eventually('some parts have arrived', async () => {
        const file = (await stored())['BKMVDATA.TXT'];
        return (file?.received ?? 0) >= kills * 3 * step;
      });
      child.kill('SIGKILL');
      await exited;
    }
    const before = (await stored())['BKMVDATA.TXT']?.received ?? 0;
    expect(before).toBeLessThan(data.length);
    expect(await transmit({ partBytes: step })).toMatchObject({ state: 'approved', id });
    const { 'BKMVDATA.TXT': file } = await stored();
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
