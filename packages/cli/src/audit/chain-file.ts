import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type ReplyOf, readSeries } from '@pinkas/contracts';
import { type DocumentType, documentTypes } from '@pinkas/domain';
import { pagesOf } from '@pinkas/exports/verify';
import type { Call } from '../builder/command.js';
import { UsageError } from '../builder/usage-error.js';

const pageMax = 100;

/** A document in a file of `writeChains`: what its hash is of, and the hash. */
export interface ChainLine {
  readonly facts: string;
  readonly hash: string;
}

/** Writes every document of a book with what its hash is of, one on each line, in the order of the chains. */
export async function writeChains(
  call: Call,
  businessId: string,
  file: string,
  onDocuments: (count: number) => void,
): Promise<number> {
  // What was kept is replaced by a complete file only.
  const partial = `${file}.partial`;
  const failed = (error: Error) => unusable(file, 'written', error);
  const handle = await open(partial, 'w').catch(failed);
  try {
    let written = 0;
    try {
      for (const type of documentTypes) {
        written += await writeSeries(call, { business_id: businessId, type }, handle, (count) =>
          onDocuments(written + count),
        );
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file).catch(failed);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writeSeries(
  call: Call,
  series: { readonly business_id: string; readonly type: DocumentType },
  handle: FileHandle,
  onDocuments: (count: number) => void,
): Promise<number> {
  let written = 0;
  const pages: AsyncIterable<ReplyOf<typeof readSeries>> = pagesOf(call, readSeries, {
    ...series,
    after: null,
    limit: pageMax,
  });
  for await (const { records } of pages) {
    await handle.writeFile(records.map(({ facts, hash }) => `${JSON.stringify({ facts, hash })}\n`).join(''));
    written += records.length;
    onDocuments(written);
  }
  return written;
}

/** The lines of a file of `writeChains`. @throws UsageError for anything else. */
export async function* readChains(file: string): AsyncGenerator<ChainLine> {
  const handle = await open(file).catch((error: Error) => unusable(file, 'read', error));
  try {
    for await (const line of handle.readLines()) {
      if (line !== '') {
        yield lineOf(line, file);
      }
    }
  } finally {
    await handle.close();
  }
}

function lineOf(line: string, file: string): ChainLine {
  try {
    const { facts, hash } = JSON.parse(line) as ChainLine;
    if (typeof facts === 'string' && typeof hash === 'string') {
      return { facts, hash };
    }
  } catch {
    // The message is the same.
  }
  throw new UsageError(`${file} is no file of pinkas audit chains`);
}

function unusable(file: string, what: string, { message }: Error): never {
  throw new UsageError(`${file} cannot be ${what}: ${message}`);
}
