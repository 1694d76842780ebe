import { createReadStream } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { finished } from 'node:stream/promises';

const mib = 1024 * 1024;
/** How long nothing may move on a connection. */
const idleMs = 60_000;
/** A part that fails is sent again after these pauses, from what has arrived. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/** The session of an upload is over, or its link: the files have to be opened again. */
export class UploadGoneError extends Error {
  override readonly name = 'UploadGoneError';
}

/** The storage refuses the upload, or does not answer. */
export class UploadFailedError extends Error {
  override readonly name = 'UploadFailedError';
}

/** A file that is uploaded, and how far its upload is. */
export interface Upload {
  readonly path: string;
  readonly bytes: number;
  readonly url: string;
  /** To be sent with the request that begins the upload. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** The address of the session; null until it was begun. */
  readonly session: string | null;
}

/**
 * The size of a part, by the authority's clarification of 26.8.2026: up to 32 MB whole, up to 250 MB in 32 MB, up to 1 GB in 64 MB,
 * above in 128 MB.
 */
export function partBytesOf(bytes: number): number {
  if (bytes <= 32 * mib) {
    return Math.max(bytes, 1);
  }
  if (bytes <= 250 * mib) {
    return 32 * mib;
  }
  return bytes <= 1_024 * mib ? 64 * mib : 128 * mib;
}

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The session was begun: it must be remembered before the first part is sent. */
  onSession(session: string): Promise<void>;
  onProgress(sentBytes: number): void;
  readonly partBytes?: number | undefined;
  readonly pausesMs?: readonly number[] | undefined;
}

/**
 * Uploads a file by the protocol of resumable uploads: 201 with the session's address, 308 after a part, 200 or 201 at the end. It
 * goes on behind what has arrived, also in another process.
 * @throws UploadGoneError, UploadFailedError
 */
export async function upload(file: Upload, options: UploadOptions): Promise<void> {
  const pauses = options.pausesMs ?? pausesMs;
  const isResumed = file.session !== null;
  const session = file.session ?? (await begin(file, options));
  const partBytes = options.partBytes ?? partBytesOf(file.bytes);
  let sent = isResumed
    ? await repeated(() => arrived(session, file, options.signal), pauses, options.signal)
    : 0;
  while (sent !== 'done') {
    const from: number = sent;
    options.onProgress(from);
    let isFirst = true;
    sent = await repeated(
      async () => {
        // After a failure what has arrived of the part decides where it goes on.
        const at = isFirst ? from : await arrived(session, file, options.signal);
        isFirst = false;
        return at === 'done' ? at : putPart(session, file, at, partBytes, options.signal);
      },
      pauses,
      options.signal,
    );
  }
  options.onProgress(file.bytes);
}

async function begin(file: Upload, options: UploadOptions): Promise<string> {
  const given = Object.fromEntries(file.headers.map(({ name, value }) => [name, value]));
  const headers = { ...given, 'content-length': '0' };
  const { status, location } = await repeated(
    () => call(file.url, { method: 'POST', headers }, null, options.signal),
    options.pausesMs ?? pausesMs,
    options.signal,
  );
  if (status !== 201 || location === null) {
    // A link that has expired is refused; so is one that was never good, which opening it again will show.
    throw status >= 400 && status < 500
      ? new UploadGoneError(`the link of the upload is refused with HTTP status ${status}`)
      : new UploadFailedError(`the upload was not begun: HTTP status ${status}`);
  }
  await options.onSession(location);
  return location;
}

/** How much of the file has arrived. */
async function arrived(
  session: string,
  file: Upload,
  signal: AbortSignal | undefined,
): Promise<number | 'done'> {
  const headers = { 'content-length': '0', 'content-range': `bytes */${file.bytes}` };
  return positionOf(await call(session, { method: 'PUT', headers }, null, signal));
}

async function putPart(
  session: string,
  file: Upload,
  from: number,
  partBytes: number,
  signal: AbortSignal | undefined,
): Promise<number | 'done'> {
  const to = Math.min(file.bytes, from + partBytes);
  const headers = {
    'content-length': String(to - from),
    'content-range': file.bytes === 0 ? 'bytes */0' : `bytes ${from}-${to - 1}/${file.bytes}`,
  };
  const body = to > from ? { path: file.path, start: from, end: to - 1 } : null;
  const position = positionOf(await call(session, { method: 'PUT', headers }, body, signal));
  if (position !== 'done' && position <= from) {
    throw new UploadFailedError('the storage has taken nothing of a part');
  }
  return position;
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly range: string | null;
}

function positionOf({ status, range }: Answer): number | 'done' {
  if (status === 200 || status === 201) {
    return 'done';
  }
  if (status === 308) {
    const last = /^bytes=0-(\d+)$/.exec(range ?? '')?.[1];
    return last === undefined ? 0 : Number(last) + 1;
  }
  if (status === 404 || status === 410) {
    throw new UploadGoneError(`the session of the upload is over: HTTP status ${status}`);
  }
  throw status >= 500 || status === 429 || status === 408
    ? new Error(`HTTP status ${status}`)
    : new UploadFailedError(`the storage refuses the file with HTTP status ${status}`);
}

async function call(
  url: string,
  options: RequestOptions,
  body: { readonly path: string; readonly start: number; readonly end: number } | null,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const start = url.startsWith('https:') ? requestHttps : requestHttp;
  const request = start(url, { ...options, ...(signal && { signal }), timeout: idleMs });
  request.on('timeout', () => request.destroy(new Error(`nothing moved for ${idleMs} ms`)));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  if (body === null) {
    request.end();
  } else {
    const stream = createReadStream(body.path, { start: body.start, end: body.end });
    stream.once('error', (error) => request.destroy(error));
    stream.pipe(request);
  }
  const response = await answered;
  response.resume();
  await finished(response);
  const { location = null, range = null } = response.headers;
  return { status: response.statusCode ?? 0, location, range };
}

/** Repeats what fails and may pass. @throws the last error, as an UploadFailedError. */
async function repeated<T>(
  attempt: () => Promise<T>,
  pauses: readonly number[],
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let n = 0; ; n += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof UploadGoneError || error instanceof UploadFailedError) {
        throw error;
      }
      const pauseMs = pauses[n];
      if (pauseMs === undefined) {
        const { message } = error as Error;
        throw new UploadFailedError(`the storage does not take the file: ${message}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
