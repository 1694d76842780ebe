import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { measureDocuments } from './documents.js';
import { measureIssuing } from './issuing.js';
import { measurePage } from './page.js';
import { measureReading } from './reading.js';
import { measureReplicas } from './replicas.js';
import { printTable, type Row } from './report.js';
import type { BenchStack } from './stack.js';
import { measureSteps } from './steps.js';

/**
 * Measures the whole system on this machine, in homes of its own, in about twenty minutes. Every comparison is a ratio of
 * figures that were measured in turns within this run, since machines are shared and noisy.
 */
const run = promisify(execFile);
const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));
const asJson = process.argv.includes('--json');
const parts = {
  reading: measureReading,
  issuing: measureIssuing,
  documents: measureDocuments,
  page: measurePage,
  steps: measureSteps,
};
/** The parts to measure; all of them where none is named. `replicas` starts two systems of its own. */
const wanted = process.argv.slice(2).filter((one) => one !== '--json');

const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part);

const progress = (text: string) => process.stderr.write(`${text}\n`);

/** A system in a home of its own, which is removed at the end. */
async function startSystem(replicas: number): Promise<BenchStack & { end(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'pinkas-bench-'));
  const command = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      [join(repositoryRoot, 'deploy/local/bootstrap.mjs'), ...args],
      {
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          PINKAS_HOME: home,
          PINKAS_REPLICAS: String(replicas),
        },
        timeout: 120_000,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    return stdout;
  };
  const end = async () => {
    await command('down');
    await rm(home, { recursive: true, force: true });
  };
  progress(`starting a system of its own, ${replicas} of each service …`);
  try {
    await command('up');
    return {
      home,
      file: JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')),
      pinkas: async (...args) => JSON.parse(await command('pinkas', ...args, '--json')),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Measures on systems that are all gone afterwards, whatever happens. */
async function onSystems(
  measure: (start: (replicas: number) => Promise<BenchStack>) => Promise<Row[]>,
): Promise<Row[]> {
  const systems: { end(): Promise<void> }[] = [];
  try {
    return await measure(async (replicas) => {
      const system = await startSystem(replicas);
      systems.push(system);
      return system;
    });
  } finally {
    for (const system of systems) await system.end();
  }
}

async function main(): Promise<void> {
  const named = Object.entries(parts).filter(([part]) => isWanted(part));
  const rows: Row[] = [];
  if (named.length > 0) {
    const measured = await onSystems(async (start) => {
      const stack = await start(1);
      const found: Row[] = [];
      for (const [, measure] of named) found.push(...(await measure(stack, progress)));
      return found;
    });
    rows.push(...measured);
  }
  if (isWanted('replicas')) rows.push(...(await onSystems((start) => measureReplicas(start, progress))));
  if (asJson) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(rows.map((row) => [row.name, row.value])))}\n`);
  } else printTable(rows);
}

await main();
