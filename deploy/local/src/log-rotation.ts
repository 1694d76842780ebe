import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';

/** Two such files per part are kept at the most. */
const logBytesMax = 20 * 1024 * 1024;

/**
 * Moves a log that has grown large to `<file>.1` and empties it.
 *
 * The writer keeps its file open and appends, so the file is copied and cut rather than renamed; what is written in
 * between is lost, which a log of a local system can bear.
 */
export function rotateLog(file: string, bytesMax = logBytesMax): void {
  if (existsSync(file) && statSync(file).size > bytesMax) {
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  }
}
