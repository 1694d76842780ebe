const timeUnits = [
  ['days', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** The size of a number of bytes, for people. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** The length of a time, for people. */
export function secondsText(seconds: number): string {
  const [unit, of] = timeUnits.find(([, of]) => seconds >= of * 2) ?? (['s', 1] as const);
  return `${Math.round(seconds / of)} ${unit}`;
}

const dayMs = 86_400_000;

/** A day and how far it is from now: `2027-03-01, in 94 days`. */
export function daysText(until: Date, now: Date): string {
  const days = Math.floor((until.getTime() - now.getTime()) / dayMs);
  const day = until.toISOString().slice(0, 10);
  return days < 0 ? `${day}, ${-days} days ago` : `${day}, in ${days} days`;
}
