import { figuresOf, runStorm } from '../faults/storm/storm.js';
import { StormSystem } from '../faults/storm/storm-system.js';
import { figure, type Row } from './report.js';

const seed = 20260615;
const minutes = 3;
const longestFaultMs = 10_000;

/** What a storm of three minutes finds, and how soon the system heals after PostgreSQL was cut off. */
export async function measureStorm(progress: (text: string) => void): Promise<Row[]> {
  progress(`a storm of ${minutes} minutes, seed ${seed} …`);
  const system = await StormSystem.start();
  try {
    const report = await runStorm(system, {
      seed,
      forMs: minutes * 60_000,
      longestFaultMs,
      pauseMs: 500,
      stepsPerBook: 5,
      progress,
    });
    for (const finding of report.broken?.findings ?? []) {
      progress(`  ${finding}`);
    }
    const { storm_minutes, storm_faults, storm_broken_invariants, cut_postgres_heal_s } = figuresOf(report);
    return [
      figure('storm_minutes', storm_minutes, 'how long the storm lasted, checks included'),
      figure('storm_faults', storm_faults, 'faults that were applied'),
      figure('storm_broken_invariants', storm_broken_invariants, 'what the checks after each step found'),
      figure(
        'cut_postgres_heal_s',
        cut_postgres_heal_s,
        'from the end of a network that swallows what goes to PostgreSQL until every request is served',
      ),
    ];
  } finally {
    await system.stop();
  }
}
