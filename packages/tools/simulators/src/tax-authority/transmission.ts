import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, answer } from './answer.js';
import type { Options } from './options.js';

/** A file of the uniform structure that is uploaded, or will be. */
interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly maxBytes: number;
  /** Null until the upload has begun. */
  session: string | null;
  /** Null until the first part has named it. */
  total: number | null;
  received: number;
  readonly hash: ReturnType<typeof createHash>;
  sha256: string | null;
  /** The lengths of its parts, for proofs. */
  readonly parts: number[];
}

const step = 256 * 1024;

/** The transmission of the uniform structure: links, the storage that they lead to, and what becomes of the files ([A] MS, IF). */
export class Transmission {
  readonly #files = new Map<string, UploadedFile>();

  /** GetUrlsForUploadingFiles. */
  links(body: Readonly<Record<string, unknown>>, origin: string, options: Options): Answer {
    const form = options.transmissionDate === 'YYYY-MM-DD' ? /^\d{4}-\d{2}-\d{2}$/ : /^\d{2}-\d{2}-\d{4}$/;
    const dates = [body.startPeriod, body.endPeriod];
    if (!dates.every((date) => typeof date === 'string' && form.test(date))) {
      return failed(1, `the dates must be ${options.transmissionDate}`, '[C] transmissionDate');
    }
    if (!options.transmissionRequired) {
      return failed(2, 'There is no requirement for a uniform structure file', '[B] IF');
    }
    const files = ['INI.TXT', 'BKMVDATA.TXT'].map((name) =>
      this.#newFile(name, options.transmissionMaxBytes),
    );
    const data = {
      uniqueId: randomUUID(),
      files: files.map(({ id, name, maxBytes }) => ({
        fileName: name,
        signUrl: `${origin}/_storage/${id}`,
        fileUniqueId: id,
        headers: { 'x-goog-content-length-range': `0,${maxBytes}`, 'x-goog-resumable': 'start' },
      })),
    };
    return answer(200, { success: true, data, error: null }, '[A] MS, IF');
  }

  /** get-file-status; the names of members are guesses. */
  status(body: unknown, options: Options): Answer {
    const asked = Array.isArray(body) ? (body as Readonly<Record<string, unknown>>[]) : [];
    const key = options.fileStatusKey;
    if (asked.length === 0 || !asked.every((item) => typeof item?.[key] === 'string')) {
      return failed(1, `send a list of objects with ${key}`, '[C] fileStatusKey');
    }
    const statuses = asked.map((item) => {
      const file = this.#files.get(String(item[key]));
      const isDone = file?.sha256 !== null && file !== undefined;
      return {
        fileName: String(item[key]),
        status: isDone ? options.transmissionVerdict : '',
        description: isDone && options.transmissionVerdict === 'Rejected' ? 'the file is not valid' : '',
        uploadedDate: null,
        updatedDate: null,
        isFound: isDone,
        errorCode: null,
        errorMessage: null,
      };
    });
    return answer(200, statuses, '[C] member names');
  }

  /** The storage, which speaks the protocol of resumable uploads: 201 and Location, 308 between, 200 at the end. */
  async store(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    origin: string,
  ): Promise<void> {
    const [, id, session] = /^\/_storage\/([\w-]+)(?:\/([\w-]+))?$/.exec(path) ?? [];
    const file = this.#files.get(id ?? '');
    if (!file || (session !== undefined && session !== file.session)) {
      return end(response, 404);
    }
    if (request.method === 'POST' && session === undefined) {
      if (request.headers['x-goog-resumable'] !== 'start') {
        return end(response, 403);
      }
      this.#begin(file);
      return end(response, 201, { location: `${origin}/_storage/${file.id}/${file.session}` });
    }
    return session !== undefined && request.method === 'PUT'
      ? put(file, request, response)
      : end(response, 405);
  }

  /** For tests. */
  shown(): object[] {
    return [...this.#files.values()].map(({ hash: _hash, session: _session, ...file }) => file);
  }

  #newFile(name: string, maxBytes: number): UploadedFile {
    const file = {
      ...{ id: randomUUID(), name, maxBytes, session: null, total: null, received: 0 },
      ...{ hash: createHash('sha256'), sha256: null, parts: [] },
    };
    this.#files.set(file.id, file);
    return file;
  }

  #begin(file: UploadedFile): void {
    const { id, name, maxBytes } = file;
    const fresh = { total: null, received: 0, hash: createHash('sha256'), sha256: null, parts: [] };
    this.#files.set(id, Object.assign(file, { id, name, maxBytes, session: randomUUID(), ...fresh }));
  }
}

function failed(errorCode: number, message: string, source: string): Answer {
  return answer(200, { success: false, data: null, error: { errorCode, message } }, source);
}

/** One part, or the question how much is there. What arrived of a part that is cut is kept in steps of 256 KB. */
async function put(file: UploadedFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, from, to, total] =
    /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? [];
  if (total === undefined || (from !== undefined && Number(from) !== file.received)) {
    request.resume();
    return end(response, 400);
  }
  if (Number(total) > file.maxBytes) {
    request.resume();
    return end(response, 400);
  }
  file.total = Number(total);
  if (from !== undefined && file.sha256 === null) {
    const isWhole = Number(to) + 1 === file.total;
    if (!isWhole && (Number(to) + 1 - Number(from)) % step !== 0) {
      request.resume();
      return end(response, 400);
    }
    await receive(file, request);
  }
  if (file.received === file.total) {
    file.sha256 ??= file.hash.digest('hex');
    return end(response, 200);
  }
  const range: Record<string, string> = file.received === 0 ? {} : { range: `bytes=0-${file.received - 1}` };
  return end(response, 308, range);
}

async function receive(file: UploadedFile, request: IncomingMessage): Promise<void> {
  let kept = Buffer.alloc(0);
  let part = 0;
  const take = (bytes: Buffer) => {
    file.hash.update(bytes);
    file.received += bytes.length;
    part += bytes.length;
  };
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      kept = Buffer.concat([kept, chunk]);
      const whole = kept.length - (kept.length % step);
      take(kept.subarray(0, whole));
      kept = kept.subarray(whole);
    }
    take(kept);
  } finally {
    file.parts.push(part);
  }
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-length': 0, ...headers }).end();
}
