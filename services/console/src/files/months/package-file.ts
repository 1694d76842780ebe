import { Readable } from 'node:stream';
import { type ZippedSource, zipStream } from '@pinkas/exports';
import type { Database } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { readExportFile } from '../export/exports.js';
import { openStoredZip } from '../export/stored-zip.js';

/** A file of the accountant's package, and the folder that it has in the zip of all. */
interface PackagePart {
  readonly exportId: string;
  readonly folder: string;
}

/**
 * All files of a package as one zip, which is made while it is sent: what is in the zip of a file is in the folder of that file.
 * @param db of the service, without a scope.
 * @returns null where one of them is not kept any more.
 */
export async function packageFile(
  db: Database<ConsoleTables>,
  businessId: string,
  parts: readonly PackagePart[],
  mtime: Date,
): Promise<AsyncIterable<Buffer> | null> {
  const sources: ZippedSource[] = [];
  for (const { exportId, folder } of parts) {
    const file = await readExportFile(db, businessId, exportId);
    const zip = file?.mediaType === 'application/zip' && (await openStoredZip(db, businessId, exportId));
    if (!file || zip === null) {
      return null;
    }
    if (!zip) {
      const open = async () => Readable.from(file.chunks);
      sources.push({ name: `${folder}/${file.name}`, size: file.sizeBytes, open });
      continue;
    }
    for await (const entry of zip.eachEntry()) {
      sources.push({
        name: `${folder}/${entry.fileName}`,
        size: entry.uncompressedSize,
        open: () => zip.openReadStreamPromise(entry),
      });
    }
  }
  return zipStream(sources, mtime);
}
