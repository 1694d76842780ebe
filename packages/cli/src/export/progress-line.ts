import type { Progress } from '../builder/command.js';

const width = 24;
const intervalMs = 100;

/**
 * Shows how many documents are done, as a bar where their number is known.
 * @param total an estimate; the bar is full at the end only.
 */
export function documentProgress(progress: Progress, what: string, total: number | null) {
  const startedMs = performance.now();
  let shownMs = Number.NEGATIVE_INFINITY;
  return (done: number): void => {
    const nowMs = performance.now();
    if (nowMs - shownMs < intervalMs) {
      return;
    }
    shownMs = nowMs;
    const perSecond = Math.round(done / Math.max(0.001, (nowMs - startedMs) / 1_000));
    const share = total === null || total === 0 ? null : Math.min(1, done / total);
    const bar =
      share === null
        ? ''
        : `[${'#'.repeat(Math.floor(share * width)).padEnd(width, '.')}] ${Math.floor(share * 100)} % `;
    progress.show(`${bar}${done.toLocaleString('en-US')} documents ${what}, ${perSecond} a second`);
  };
}
