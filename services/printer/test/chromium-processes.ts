import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readUsage } from '../src/process-usage.js';

interface Found {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes of Chromium that this very process started, by what they are. */
export function chromiumProcesses() {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => found(Number(name)));
  const below = new Set([process.pid]);
  // A parent is older than its children, but numbers start again.
  for (let size = 0; size !== below.size; ) {
    size = below.size;
    for (const { pid, parent } of all) {
      if (below.has(parent)) {
        below.add(pid);
      }
    }
  }
  const mine = all.filter(({ pid }) => below.has(pid) && pid !== process.pid);
  const renderers = mine.filter(({ command }) => command.includes('--type=renderer')).map(({ pid }) => pid);
  return {
    // Debian's program is a shell script that waits for the browser.
    browsers: mine
      .filter(({ command }) => command.includes('--headless') && !/^\/bin\/sh|--type=/.test(command))
      .map(({ pid }) => pid),
    renderers,
    /** The one that used most processor time in a moment from now: it prints. */
    busiestRenderer: async () => {
      const ticks = () => new Map(renderers.map((pid) => [pid, readUsage(pid)?.cpuTicks ?? 0]));
      const before = ticks();
      await delay(100);
      const used = [...ticks()].map(([pid, after]) => [pid, after - (before.get(pid) ?? 0)] as const);
      const [busiest] = used.sort((a, b) => b[1] - a[1]);
      if (!busiest) {
        throw new Error('Chromium has no page');
      }
      return busiest[0];
    },
  };
}

function found(pid: number): Found[] {
  try {
    const parent = /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return [{ pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
  } catch {
    // It ended.
    return [];
  }
}
