import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names the end of an export: a document of the book is in it if its position is not behind this one. */
export const bookEndFile = 'book-end.json';

/** Writes up to which position of the book an export is. */
export async function writeBookEnd(folder: string, position: number): Promise<void> {
  await writeFile(join(folder, bookEndFile), `${JSON.stringify({ position })}\n`);
}

/** @returns null where there is no such file, or one with something else. */
export async function readBookEnd(folder: string): Promise<number | null> {
  try {
    const { position } = JSON.parse(await readFile(join(folder, bookEndFile), 'utf8')) as {
      position: unknown;
    };
    return Number.isSafeInteger(position) && Number(position) >= 0 ? Number(position) : null;
  } catch {
    return null;
  }
}
