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
 * Measures the whole system on this machine, in a home of its own, in under ten minutes. Every comparison is a ratio of
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
/**
 * The parts to measure; all of these where none is named. `replicas` is measured where it is named only, on two systems of its
 * own, in about as long as all others together.
 */
const wanted = process.argv.slice(2).filter((one) => one !== '--json');

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

async function main(): Promise<void> {
  const systems: (BenchStack & { end(): Promise<void> })[] = [];
  const start = async (replicas: number) => {
    const system = await startSystem(replicas);
    systems.push(system);
    return system;
  };
  try {
    const rows: Row[] = [];
    const named = Object.entries(parts).filter(([part]) => wanted.length === 0 || wanted.includes(part));
    if (named.length > 0) {
      const stack = await start(1);
      for (const [, measure] of named) rows.push(...(await measure(stack, progress)));
    }
    if (wanted.includes('replicas')) rows.push(...(await measureReplicas(start, progress)));
    if (asJson) {
      process.stdout.write(
        `${JSON.stringify(Object.fromEntries(rows.map((row) => [row.name, row.value])))}\n`,
      );
    } else printTable(rows);
  } finally {
    for (const system of systems) await system.end();
  }
}

await main();
