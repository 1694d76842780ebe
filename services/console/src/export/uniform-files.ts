import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { transmittedFileNames } from '@pinkas/contracts';
import { type Database, forTenant } from '@pinkas/service-kit';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ConsoleTables } from '../db/console.tables.js';
import { findExport } from './export.repository.js';
import { readChunk } from './export-chunk.repository.js';
import { chunkBytes } from './export-policy.js';

/** A file of the uniform structure. */
export interface UniformFile {
  readonly name: (typeof transmittedFileNames)[number];
  readonly bytes: number;
}

/** The zip of an export as it is stored: only the chunks are read that are asked for. */
class ChunkReader extends RandomAccessReader {
  constructor(private readonly chunk: (position: number) => Promise<Buffer | undefined>) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const read = this.chunk;
    async function* bytes(): AsyncGenerator<Buffer> {
      for (let at = start; at < end; ) {
        const offset = at % chunkBytes;
        const chunk = await read(Math.floor(at / chunkBytes));
        const part = chunk?.subarray(offset, offset + end - at);
        if (!part || part.length === 0) {
          throw new Error('the file of the export is not kept any more');
        }
        at += part.length;
        yield part;
      }
    }
    return Readable.from(bytes(), { objectMode: false });
  }

  override close(done: (error: Error | null) => void): void {
    done(null);
  }
}

/** Opens the file of an export; null: it is not kept any more. */
async function openZip(
  db: Database<ConsoleTables>,
  businessId: string,
  exportId: string,
): Promise<ZipFile | null> {
  const scoped = forTenant(db, businessId);
  const row = await findExport(scoped, businessId, exportId);
  if (row?.state !== 'done' || row.size_bytes === null) {
    return null;
  }
  const reader = new ChunkReader((position) => readChunk(scoped, businessId, exportId, position));
  return fromRandomAccessReaderPromise(reader, row.size_bytes, { validateEntrySizes: true });
}

function nameOf({ fileName }: Entry): UniformFile['name'] | undefined {
  const last = fileName.split('/').at(-1);
  return transmittedFileNames.find((name) => name === last);
}

/**
 * The files of the uniform structure in an export, with their sizes.
 * @param db of the service, without a scope.
 * @param folder where they are written, unless they are only listed.
 * @returns null: the export is not kept any more.
 */
export async function readUniformFiles(
  db: Database<ConsoleTables>,
  { businessId, exportId }: { readonly businessId: string; readonly exportId: string },
  folder?: string,
): Promise<UniformFile[] | null> {
  const zip = await openZip(db, businessId, exportId);
  if (!zip) {
    return null;
  }
  const files: UniformFile[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      if (name === undefined) {
        continue;
      }
      if (folder !== undefined) {
        await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(join(folder, name)));
      }
      files.push({ name, bytes: entry.uncompressedSize });
    }
  } finally {
    zip.close();
  }
  return files;
}
