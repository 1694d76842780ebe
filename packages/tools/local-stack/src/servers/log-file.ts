import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The lines that explain a failure are within this many bytes of the end. */
const tailBytesMax = 64 * 1024;

/**
 * The last non-blank lines of a log file.
 *
 * @param fromBytes - the offset of the first line that counts: an earlier run wrote the lines before it.
 * @returns at most `count` lines; none when the file does not exist.
 */
export function lastLines(file: string, count: number, fromBytes = 0): string[] {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const size = fstatSync(descriptor).size;
    const start = Math.min(Math.max(fromBytes, size - tailBytesMax), size);
    const bytes = Buffer.alloc(size - start);
    const read = readSync(descriptor, bytes, 0, bytes.length, start);
    const lines = bytes.toString('utf8', 0, read).split('\n');
    return lines.filter((line) => line.trim() !== '').slice(-count);
  } finally {
    closeSync(descriptor);
  }
}
