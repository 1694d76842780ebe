import { documentedTimeLimits, timeLimitsMs } from '../time-limits.js';

const begin = '<!-- time limits: written by `npm run generate` -->';
const end = '<!-- end of time limits -->';

/** A text with the table of time limits between its markers. */
export function withTimeLimitsTable(text: string): string {
  const [before, rest = ''] = text.split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) {
    throw new Error('the markers of the time limits are missing');
  }
  return `${before}${begin}\n${table()}\n${end}${after}`;
}

function table(): string {
  const rows = documentedTimeLimits.map(
    ({ what, limits }) =>
      `| ${what} | ${limits.map((limit) => `${timeLimitsMs[limit] / 1_000} s`).join(' / ')} |`,
  );
  return ['| what | limit |', '| --- | --- |', ...rows].join('\n');
}
