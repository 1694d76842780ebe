import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The sums of the files beside it, as `sha256sum --check` reads them. */
export const sumsFile = 'SHA256SUMS';

/** The SHA-256 of a file, hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

/** Writes the sums of some files of a folder. */
export async function writeSums(folder: string, sums: ReadonlyMap<string, string>): Promise<void> {
  const text = [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join('');
  const path = join(folder, sumsFile);
  await writeFile(`${path}.partial`, text);
  await rename(`${path}.partial`, path);
}

/** The sums of a folder by the name of the file; null where it has none. */
export async function readSums(folder: string): Promise<Map<string, string> | null> {
  const text = await readFile(join(folder, sumsFile), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (text === null) {
    return null;
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line): [string, string] => [line.slice(66), line.slice(0, 64)]));
}
