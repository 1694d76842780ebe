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

/** A figure with two decimals; more would be noise. */
export function figure(name: string, value: number, meaning: string): Row {
  return { name, value: Math.round(value * 100) / 100, meaning };
}

/** Prints the figures for people. */
export function printTable(rows: readonly Row[]): void {
  const width = Math.max(...rows.map((row) => row.name.length));
  for (const row of rows) {
    process.stdout.write(`${row.name.padEnd(width)}  ${String(row.value).padStart(10)}  ${row.meaning}\n`);
  }
}
