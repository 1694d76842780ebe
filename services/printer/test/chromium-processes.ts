import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the Chromium browsers (not of their helpers) that this very process started. */
export function chromiumChildren(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        return (
          Number(parent) === process.pid &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--headless')
        );
      } catch {
        // It ended while we looked.
        return false;
      }
    });
}
