import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';

/** At most two files of this size are stored for each part. */
const logBytesMax = 20 * 1024 * 1024;

/**
 * Copies a large log to `<file>.1` and truncates it.
 *
 * The writer keeps its file open and appends, so the file cannot be renamed. Lines written between the copy and the
 * truncation are lost, which is acceptable for a local system.
 */
export function rotateLog(file: string, bytesMax = logBytesMax): void {
  if (existsSync(file) && statSync(file).size > bytesMax) {
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  }
}
