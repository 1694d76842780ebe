import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { measureDocuments } from './documents.js';
import { measureFairness } from './fairness.js';
import { measureFaults } from './faults.js';
import { measureHostile } from './hostile.js';
import { measureIssuing } from './issuing.js';
import { measurePage } from './page.js';
import { measureReading } from './reading.js';
import { measureReplicas } from './replicas.js';
import { printTable, type Row } from './report.js';
import { measureSeries } from './series.js';
import type { BenchStack } from './stack.js';
import { measureSteps } from './steps.js';
import { measureStorm } from './storm.js';

/**
 * Measures the whole system on this machine, in homes of its own, in about twenty minutes. Every comparison is a ratio of
 * figures that were measured in turns within this run, since machines are shared and noisy.
 */
const run = promisify(execFile);
const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));
const parts = {
  reading: measureReading,
  issuing: measureIssuing,
  series: measureSeries,
  documents: measureDocuments,
  page: measurePage,
  steps: measureSteps,
  hostile: (stack: BenchStack, show: typeof progress) => measureHostile(stack, show, hostileRequests),
  fairness: measureFairness,
  faults: measureFaults,
};
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, requests: { type: 'string' } },
});
const asJson = values.json;
/** `--requests`: how many the part `hostile` sends. */
const hostileRequests = values.requests === undefined ? undefined : Number(values.requests);

/** Where none is named, all parts are measured. `replicas` and `storm` start systems of their own. */
const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part);

const progress = (text: string) => process.stderr.write(`${text}\n`);

/** A system in a home of its own, which is removed at the end. */
async function startSystem(replicas: number): Promise<BenchStack & { end(): Promise<void> }> {
  const home = await mkdtemp(join(process.env.PINKAS_TEST_SYSTEMS ?? tmpdir(), 'pinkas-bench-'));
  const command = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      [join(repositoryRoot, 'packages/local-stack/bootstrap.mjs'), ...args],
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
    for (const system of systems) {
      await system.end();
    }
  }
}

/** A part that fails is reported, and does not lose the figures of the others. */
async function measurePart(part: string, measure: () => Promise<Row[]>): Promise<Row[]> {
  try {
    return await measure();
  } catch (error) {
    process.exitCode = 1;
    progress(`part ${part} failed: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

async function main(): Promise<void> {
  if (hostileRequests !== undefined && !(Number.isInteger(hostileRequests) && hostileRequests > 0)) {
    throw new Error('--requests must be a whole number above zero');
  }
  const named = Object.entries(parts).filter(([part]) => isWanted(part));
  const rows: Row[] = [];
  if (named.length > 0) {
    const measured = await onSystems(async (start) => {
      const stack = await start(1);
      const found: Row[] = [];
      for (const [part, measure] of named) {
        found.push(...(await measurePart(part, () => measure(stack, progress))));
      }
      return found;
    });
    rows.push(...measured);
  }
  if (isWanted('replicas')) {
    rows.push(
      ...(await measurePart('replicas', () => onSystems((start) => measureReplicas(start, progress)))),
    );
  }
  if (isWanted('storm')) {
    rows.push(...(await measurePart('storm', () => measureStorm(progress))));
  }
  if (asJson) {
    process.stdout.write(`${JSON.stringify(Object.fromEntries(rows.map((row) => [row.name, row.value])))}\n`);
  } else {
    printTable(rows);
  }
}

await main();
