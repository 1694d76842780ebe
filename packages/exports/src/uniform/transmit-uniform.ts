import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { openTransmission, ReplyOf, readTransmission } from '@pinkas/contracts';
import { sha256Of } from '../checksums.js';
import { UploadGoneError, type UploadOptions, upload } from './resumable-upload.js';

/** The file that records a transmission, next to the folders of its files. */
const transmissionFile = 'TRANSMISSION.json';

type Opened = ReplyOf<typeof openTransmission>;
type FileStatus = ReplyOf<typeof readTransmission>['files'][number];

/** One file, and how far it is. */
interface TransmittedFile {
  readonly name: Opened['files'][number]['name'];
  readonly id: string;
  readonly url: string;
  readonly headers: Opened['files'][number]['headers'];
  readonly bytes: number;
  readonly sha256: string;
  readonly session: string | null;
  readonly uploaded: boolean;
  readonly status: FileStatus['status'];
  readonly description: string | null;
}

/** A transmission, as its file remembers it. */
export interface Transmission {
  readonly business_id: string;
  readonly from: string;
  readonly to: string;
  /** The folder of the uniform structure, which must not change until it is transmitted. */
  readonly folder: string;
  /** `uploaded`: the authority has not decided yet. */
  readonly state: 'written' | 'opened' | 'uploaded' | 'approved' | 'rejected' | 'not_required';
  /** The authority's id. */
  readonly id: string | null;
  readonly files: readonly TransmittedFile[];
}

/** What allocation does at the authority. */
export interface TransmissionCalls {
  /** @param taxId that of the files. */
  open(taxId: string): Promise<Opened>;
  read(files: readonly TransmittedFile[]): Promise<ReplyOf<typeof readTransmission>>;
}

/** Why a transmission cannot go on; null: for the reason that the authority gave in its own words. */
export type TransmissionProblem = NonNullable<Opened['problem']> | 'off' | 'too_large' | 'changed';

/** A transmission that cannot go on until a person has done something. */
export class TransmissionError extends Error {
  override readonly name = 'TransmissionError';

  constructor(
    message: string,
    readonly problem: TransmissionProblem | null,
  ) {
    super(message);
  }
}

export interface TransmitOptions extends Pick<UploadOptions, 'partBytes' | 'pausesMs' | 'signal'> {
  /** Stores how far the transmission is, before anything else is done. */
  store(transmission: Transmission): Promise<void>;
  onProgress(file: string, sentBytes: number, bytes: number): void;
  /** The pauses between questions about the state; after them the transmission stays `uploaded`. */
  readonly statusPausesMs?: readonly number[];
}

const pollPausesMs = [5_000, 10_000, 20_000, 30_000, 60_000, 60_000, 60_000, 60_000] as const;
/** Links and sessions expire: so often they are requested again within one run. */
const openingsMax = 2;

/** Reads a transmission that was begun; null where there is none. @throws Error where its file is no transmission. */
export async function readTransmissionFile(out: string): Promise<Transmission | null> {
  try {
    return JSON.parse(await readFile(join(out, transmissionFile), 'utf8')) as Transmission;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

/** Stores how far a transmission is, so that a process that is killed at any time leaves the state before or after. */
export async function storeTransmission(out: string, transmission: Transmission): Promise<void> {
  const path = join(out, transmissionFile);
  const handle = await open(`${path}.partial`, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(transmission, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.partial`, path);
}

/**
 * Transmits the files of a folder, from wherever an earlier run has stopped, and asks what became of them.
 * @throws TransmissionError, UploadFailedError
 */
export async function transmitUniform(
  calls: TransmissionCalls,
  begun: Transmission,
  options: TransmitOptions,
): Promise<Transmission> {
  let current = begun;
  for (let openings = 0; current.state === 'written' || current.state === 'opened'; ) {
    if (current.state === 'written') {
      openings += 1;
      current = await opened(calls, current);
      await options.store(current);
      continue;
    }
    try {
      current = await uploaded(current, options);
    } catch (error) {
      if (!(error instanceof UploadGoneError) || openings >= openingsMax) {
        throw error;
      }
      current = { ...current, state: 'written', files: [] };
      await options.store(current);
    }
  }
  return current.state === 'uploaded' ? decided(calls, current, options) : current;
}

/** The business of the files: its number may have been corrected since. It is field 1003 of the first record of INI.TXT. */
const taxIdIn = async (folder: string) => (await readFile(join(folder, 'INI.TXT'), 'latin1')).slice(24, 33);

async function opened(calls: TransmissionCalls, transmission: Transmission): Promise<Transmission> {
  const reply = await calls.open(await taxIdIn(transmission.folder));
  if (reply.outcome === 'not_required') {
    return { ...transmission, state: 'not_required' };
  }
  if (reply.outcome !== 'done') {
    throw errorOf(reply, 'The tax authority gave no addresses for the files.');
  }
  const files: TransmittedFile[] = [];
  for (const { name, id, url, headers, max_bytes: maxBytes } of reply.files) {
    const path = join(transmission.folder, name);
    const { size: bytes } = await stat(path);
    if (maxBytes !== null && bytes > maxBytes) {
      throw new TransmissionError(
        `${name} has ${bytes} bytes, and the tax authority takes at most ${maxBytes}: transmit a shorter period.`,
        'too_large',
      );
    }
    const begun = { session: null, uploaded: false, status: 'unknown', description: null } as const;
    files.push({ name, id, url, headers, bytes, sha256: await sha256Of(path), ...begun });
  }
  return { ...transmission, state: 'opened', id: reply.id, files };
}

/** The error of a reply that did not do what was asked. */
const errorOf = (
  { outcome, reason, problem }: Pick<Opened, 'outcome' | 'reason' | 'problem'>,
  otherwise: string,
): TransmissionError =>
  new TransmissionError(reason ?? otherwise, outcome === 'off' ? 'off' : (problem ?? null));

async function uploaded(begun: Transmission, options: TransmitOptions): Promise<Transmission> {
  let current = begun;
  const store = async (id: string, change: Partial<TransmittedFile>) => {
    const files = current.files.map((file) => (file.id === id ? { ...file, ...change } : file));
    current = { ...current, files };
    await options.store(current);
  };
  for (const file of begun.files.filter((item) => !item.uploaded)) {
    const path = join(begun.folder, file.name);
    if ((await sha256Of(path)) !== file.sha256) {
      throw new TransmissionError(
        `${path} has changed since its transmission began: delete ${transmissionFile}.`,
        'changed',
      );
    }
    await upload(
      { ...file, path },
      {
        ...options,
        onSession: (session) => store(file.id, { session }),
        onProgress: (sent) => options.onProgress(file.name, sent, file.bytes),
      },
    );
    await store(file.id, { uploaded: true });
  }
  const done: Transmission = { ...current, state: 'uploaded' };
  await options.store(done);
  return done;
}

/** Asks until every file is approved or one is rejected, for as long as the pauses last. */
async function decided(
  calls: TransmissionCalls,
  begun: Transmission,
  { statusPausesMs = pollPausesMs, signal, store }: TransmitOptions,
): Promise<Transmission> {
  let current = begun;
  for (const pauseMs of [0, ...statusPausesMs]) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    signal?.throwIfAborted();
    const reply = await calls.read(current.files);
    if (reply.outcome !== 'done') {
      throw errorOf(reply, 'The tax authority did not say what became of the files.');
    }
    const files = current.files.map((file) => {
      const { status, description } = reply.files.find(({ id }) => id === file.id) ?? file;
      return { ...file, status, description };
    });
    current = { ...current, files, state: stateOf(files) };
    await store(current);
    if (current.state !== 'uploaded') {
      break;
    }
  }
  return current;
}

function stateOf(files: readonly TransmittedFile[]): Transmission['state'] {
  if (files.some(({ status }) => status === 'rejected')) {
    return 'rejected';
  }
  return files.every(({ status }) => status === 'approved') ? 'approved' : 'uploaded';
}
