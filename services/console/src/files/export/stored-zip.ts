import { Readable } from 'node:stream';
import { type Database, forTenant } from '@pinkas/service-kit';
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import type { ConsoleTables } from '../../db/console.tables.js';
import { findExport } from './export.repository.js';
import { readChunk } from './export-chunk.repository.js';
import { chunkBytes } from './export-policy.js';

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

/**
 * Opens the file of an export, which is a zip.
 * @param db of the service, without a scope.
 * @returns null: it is not kept any more.
 */
export async function openStoredZip(
  db: Database<ConsoleTables>,
  businessId: string,
  exportId: string,
): Promise<ZipFile | null> {
  const scoped = forTenant(db, businessId);
  const row = await findExport(scoped, businessId, exportId);
  if (row?.state !== 'done' || row.size_bytes === null) {
    return null;
  }
  // Small files follow one another in a chunk.
  let latest: { readonly position: number; readonly bytes: Promise<Buffer | undefined> } | undefined;
  const reader = new ChunkReader((position) => {
    if (latest?.position !== position) {
      latest = { position, bytes: readChunk(scoped, businessId, exportId, position) };
    }
    return latest.bytes;
  });
  // It has no file to close.
  const options = { validateEntrySizes: true, autoClose: false };
  return fromRandomAccessReaderPromise(reader, row.size_bytes, options);
}
