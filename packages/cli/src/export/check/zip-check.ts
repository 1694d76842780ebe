import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { openPromise } from 'yauzl';
import type { Findings } from './findings.js';

export const zipFile = 'BKMVDATA.zip';

/** Checks that a zip has one file, and that its bytes have a hash (hex). */
export async function checkZip(
  path: string,
  name: string,
  sha256: string,
  findings: Findings,
): Promise<void> {
  const add = (reason: string) => findings.add(zipFile, null, null, reason, '2.2 d');
  try {
    const zip = await openPromise(path, { validateEntrySizes: true });
    try {
      const names: string[] = [];
      for await (const entry of zip.eachEntry()) {
        names.push(entry.fileName);
        if (entry.fileName === name) {
          const found = await hashOf(await zip.openReadStreamPromise(entry));
          if (found !== sha256) {
            add(`its ${name} is not the one beside it`);
          }
        }
      }
      if (names.length !== 1 || names[0] !== name) {
        add(`has ${names.join(', ') || 'no file'} instead of ${name} alone`);
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    add(`cannot be read: ${(error as Error).message}`);
  }
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}
