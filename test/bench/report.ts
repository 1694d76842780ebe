/** One measured figure. */
export interface Row {
  /** Its name in the JSON object. */
  name: string;
  value: number;
  meaning: string;
}

/** The value below which a share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Two decimals are more than the noise leaves. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Prints the figures for people. */
export function printTable(rows: readonly Row[]): void {
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    process.stdout.write(`${row.name.padEnd(width)}  ${String(row.value).padStart(10)}  ${row.meaning}\n`);
  }
}
