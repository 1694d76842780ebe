/** One measured figure. */
export interface Row {
  /** Its name in the JSON object. */
  name: string;
  value: number;
  meaning: string;
}

/** Says what is being measured, beside the figures. */
export const progress = (text: string) => process.stderr.write(`${text}\n`);

/** The value below which a share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (samples: readonly number[]) => percentile(samples, 0.5);

/** A figure with two decimals, where more would be noise. */
export function figure(name: string, value: number, meaning: string, decimals = 2): Row {
  return { name, value: Math.round(value * 10 ** decimals) / 10 ** decimals, meaning };
}

/** A table of figures: the value and the meaning by name. */
export const figures = (table: Readonly<Record<string, readonly [value: number, meaning: string]>>) =>
  Object.entries(table).map(([name, [value, meaning]]) => figure(name, value, meaning));

/** The median and the 99th percentile. @param name with `*` in place of `p50` and `p99`. */
export function latencies(name: string, samplesMs: readonly number[], meaning: string): Row[] {
  return [
    figure(name.replace('*', 'p50'), median(samplesMs), `${meaning}, median`),
    figure(name.replace('*', 'p99'), percentile(samplesMs, 0.99), '99th percentile'),
  ];
}

/** Prints the figures: one line of JSON, or a table for people. @param comparison what is next to a figure in the table. */
export function print(
  rows: readonly Row[],
  asJson: boolean,
  comparison: (row: Row) => string = () => '',
): void {
  if (asJson) {
    process.stdout.write(
      `${JSON.stringify(Object.fromEntries(rows.map(({ name, value }) => [name, value])))}\n`,
    );
    return;
  }
  const lines = rows.map((row) => [row.name, String(row.value), comparison(row), row.meaning] as const);
  const width = (column: 0 | 1 | 2) => Math.max(...lines.map((line) => line[column].length));
  const between = lines.every(([, , other]) => other === '')
    ? () => ''
    : (other: string) => `  ${other.padEnd(width(2))}`;
  for (const [name, value, other, meaning] of lines) {
    const figures = `${name.padEnd(width(0))}  ${value.padStart(width(1))}${between(other)}`;
    process.stdout.write(`${figures}  ${meaning}\n`);
  }
}
