import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { transmittedFileNames } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { openStoredZip } from '../export/stored-zip.js';

/** A file of the uniform structure. */
export interface UniformFile {
  readonly name: (typeof transmittedFileNames)[number];
  readonly bytes: number;
}

function nameOf({ fileName }: { readonly fileName: string }): UniformFile['name'] | undefined {
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
  const zip = await openStoredZip(db, businessId, exportId);
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
