import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { readHeads, type SignedHeads, serviceNames, signedHeadsPageMax } from '@pinkas/contracts';
import { documentTypes } from '@pinkas/domain';
import type { Call } from '../builder/command.js';
import { UsageError } from '../builder/usage-error.js';

/** The pages of all statements, the oldest first; each call begins at the first one, and a page fits into one message. */
export type SignedHeadsPages = () => AsyncIterable<readonly SignedHeads[]>;

/** How many characters of a file make a page. */
const pageLength = 400 * 1024;

/** The content of a statement. */
export interface ParsedHeads {
  readonly n: number;
  readonly at: string;
  readonly previous: string | null;
  readonly heads: readonly StatedHead[];
}

/** The end of a chain as a statement has it. */
export interface StatedHead {
  readonly service: string;
  readonly business_id: string;
  readonly type: string | null;
  readonly n: number;
  readonly hash: string;
}

/** The statements that the system has stored. */
export const storedHeads = (call: Call): SignedHeadsPages =>
  async function* () {
    for (let after = 0; ; ) {
      const { signed } = await call(readHeads, { after });
      const last = signed.at(-1);
      if (!last) {
        return;
      }
      yield signed.map(({ n: _, ...statement }) => statement);
      after = last.n;
    }
  };

/** Writes all stored statements to a file, one on each line. */
export async function writeHeads(call: Call, file: string): Promise<number> {
  // What was kept is replaced by a complete file only.
  const partial = `${file}.partial`;
  const failed = (error: Error) => unusable(file, 'written', error);
  const handle = await open(partial, 'w').catch(failed);
  try {
    const written = await writeLines(call, handle, failed).finally(() => handle.close());
    await rename(partial, file).catch(failed);
    return written;
  } finally {
    await rm(partial, { force: true });
  }
}

async function writeLines(call: Call, handle: FileHandle, failed: (error: Error) => never): Promise<number> {
  let written = 0;
  for await (const page of storedHeads(call)()) {
    const lines = page.map((signed) => `${JSON.stringify(signed)}\n`).join('');
    await handle.writeFile(lines).catch(failed);
    written += page.length;
  }
  await handle.sync().catch(failed);
  return written;
}

/** The statements of a file of `writeHeads`, which is read line by line. @throws UsageError for anything else. */
export const headsOfFile = (file: string): SignedHeadsPages =>
  async function* () {
    const handle = await open(file).catch((error: Error) => unusable(file, 'read', error));
    try {
      let page: SignedHeads[] = [];
      let length = 0;
      for await (const line of handle.readLines()) {
        if (page.length === signedHeadsPageMax || length + line.length > pageLength) {
          yield page;
          [page, length] = [[], 0];
        }
        if (line !== '') {
          page.push(signedOf(line, file));
          length += line.length;
        }
      }
      yield page;
    } finally {
      await handle.close();
    }
  };

/** @throws UsageError for another form than this release writes. */
export function parseSignedHeads({ statement }: SignedHeads): ParsedHeads {
  const parsed = JSON.parse(statement) as ParsedHeads;
  const isKnown = parsed.heads.every(
    ({ service, type }) =>
      (serviceNames as readonly string[]).includes(service) &&
      (type === null || (documentTypes as readonly string[]).includes(type)),
  );
  if (!isKnown || !Number.isInteger(parsed.n)) {
    throw new UsageError('a statement has another form than this release writes');
  }
  return parsed;
}

function signedOf(line: string, file: string): SignedHeads {
  try {
    const signed = JSON.parse(line) as SignedHeads;
    parseSignedHeads(signed);
    return signed;
  } catch {
    throw new UsageError(`${file} is no file of pinkas audit heads`);
  }
}

function unusable(file: string, what: string, { message }: Error): never {
  throw new UsageError(`${file} cannot be ${what}: ${message}`);
}
