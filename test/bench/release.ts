import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../harness/sources.js';
import { median, type Row } from './report.js';

/** The figures of a release, as `--record` stores them. */
export interface ReleaseFigures {
  release: string;
  /** How long this machine took for the fixed piece of work then. */
  reference_ms: number;
  figures: Record<string, number>;
}

const file = join(repositoryRoot, 'test/bench/release-figures.json');
/** By how much a figure may be worse before it is marked. */
const worseShare = 0.15;

/**
 * How long this machine takes for a fixed piece of work, in ms: hashing and sorting, as one thread does it. Times of two machines, or
 * of one at two hours, are compared by it.
 */
export function referenceMs(): number {
  const block = Buffer.alloc(1_048_576, 'pinkas');
  const once = () => {
    const before = performance.now();
    for (let round = 0; round < 24; round += 1) {
      createHash('sha256').update(block).digest();
    }
    const keys = Array.from({ length: 60_000 }, (_, index) => ((index * 7919) % 60_013).toString(36));
    JSON.parse(JSON.stringify(keys.sort()));
    return performance.now() - before;
  };
  return median(Array.from({ length: 9 }, once));
}

/** The figures of the last release; undefined where none are recorded. */
export function lastRelease(): ReleaseFigures | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReleaseFigures) : undefined;
}

/** Stores figures as those of the version in `package.json`; those of parts that were not measured stay. */
export function recordRelease(rows: readonly Row[], reference: number): void {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  const last = lastRelease();
  const scaled = Object.entries(last?.figures ?? {}).map(([name, value]) => [
    name,
    last ? scaledTo(reference, last.reference_ms, name, value) : value,
  ]);
  const measured = rows.map(({ name, value }) => [name, value]);
  const figures = Object.fromEntries([...scaled, ...measured].filter(([, value]) => Number.isFinite(value)));
  const recorded: ReleaseFigures = { release: version, reference_ms: Math.round(reference), figures };
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
}

/** What a release had for a figure, on a machine as fast as this one. */
function scaledTo(reference: number, thenMs: number, name: string, then: number): number {
  const slower = reference / thenMs;
  if (isRate(name)) {
    return then / slower;
  }
  return isTime(name) ? then * slower : then;
}

/** What the last release had for a figure, as text; marked where the figure is worse. Empty where there is none to compare with. */
export function comparison(
  { name, value }: Row,
  last: ReleaseFigures | undefined,
  reference: number,
): string {
  const recorded = last?.figures[name];
  if (!last || recorded === undefined) {
    return '';
  }
  const then = scaledTo(reference, last.reference_ms, name, recorded);
  return `${then.toFixed(2)}${isWorse(name, value, then) ? ' worse' : ''}`;
}

const isRate = (name: string) => /_per_s(_|$)|_per_core_second/.test(name);
const isTime = (name: string) => /_(m?s)(_|$)/.test(name);
/** Of two ways of doing the same, the first is ours: more is better. */
const isGain = (name: string) => /(to_bare|to_gotenberg|one_series)_ratio/.test(name);
/** What states how much was done, or how fast the machine is, or is a difference near zero. */
const isNotJudged = (name: string) =>
  /^(memory_documents|documents_made|reference_ms|bench_minutes)$|slope|growth/.test(name);

function isWorse(name: string, value: number, then: number): boolean {
  if (isNotJudged(name)) {
    return false;
  }
  return isRate(name) || isGain(name) ? value * (1 + worseShare) < then : value > then * (1 + worseShare);
}
