import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandOptions, refuseOptions } from '../harness/command-options.js';
import { measureAgainstGotenberg } from './against-gotenberg.js';
import { measureConsole } from './console.js';
import { measureCost } from './cost.js';
import { measureDocuments } from './documents.js';
import { measureExporting } from './exporting.js';
import { measureFairness } from './fairness.js';
import { measureFaults } from './faults.js';
import { measureHostile } from './hostile.js';
import { measureIssuing } from './issuing.js';
import { measureMemory } from './memory.js';
import { measureOpenLoop } from './open-loop.js';
import { measurePage } from './page.js';
import { measureReading } from './reading.js';
import { measureReplicas } from './replicas.js';
import { printTable, type Row } from './report.js';
import { measureSeries } from './series.js';
import type { BenchStack } from './stack.js';
import { measureSteps } from './steps.js';
import { measureStorm } from './storm.js';

/**
 * Measures the whole system on this machine, in homes of its own, in less than an hour and a half. Every comparison is a ratio of
 * figures that were measured in turns within this run, since machines are shared and noisy.
 */
const run = promisify(execFile);
const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));
const parts = {
  reading: (stack: BenchStack, show: typeof progress) =>
    measureReading(stack, show, { documents: numberOf('documents'), customers: numberOf('customers') }),
  export: (stack: BenchStack, show: typeof progress) => measureExporting(stack, show, numberOf('documents')),
  issuing: measureIssuing,
  series: measureSeries,
  cost: measureCost,
  'open-loop': measureOpenLoop,
  documents: measureDocuments,
  page: measurePage,
  console: measureConsole,
  steps: measureSteps,
  hostile: (stack: BenchStack, show: typeof progress) => measureHostile(stack, show, numberOf('requests')),
  fairness: measureFairness,
  faults: measureFaults,
  memory: (stack: BenchStack, show: typeof progress) => measureMemory(stack, show, numberOf('documents')),
};
const partNames = [...Object.keys(parts), 'replicas', 'gotenberg', 'storm'];
const usage = `npm run bench -- [PART …] [--requests N] [--documents N] [--json]
  measures the whole system on this machine, or the parts named
    PART           ${partNames.join(', ')}
    --requests N   how many the part hostile sends
    --documents N  how many the part memory issues, and the parts reading and export read
    --customers N  how many the part reading searches, as many as documents by default
    --json         the figures as one line of JSON`;
const { values, positionals: wanted } = commandOptions(usage, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    /** How many the part `hostile` sends. */
    requests: { type: 'string' },
    /** How many the part `memory` issues, and the parts `reading` and `export` read. */
    documents: { type: 'string' },
    /** How many the part `reading` searches. */
    customers: { type: 'string' },
  },
});
const unknown = wanted.filter((part) => !partNames.includes(part));
if (unknown.length > 0) {
  refuseOptions(usage, `There is no part ${unknown.join(', ')}`);
}
const asJson = values.json;
/** Starting a system takes long where others use the machine. */
const commandTimeoutMs = 240_000;

/** The whole number of an option; undefined where it is not given. */
function numberOf(option: 'requests' | 'documents' | 'customers'): number | undefined {
  const text = values[option];
  if (text !== undefined && !/^[1-9]\d*$/.test(text)) {
    refuseOptions(usage, `--${option} must be a whole number above zero`);
  }
  return text === undefined ? undefined : Number(text);
}

/** Where none is named, all parts are measured. `replicas`, `gotenberg` and `storm` start systems of their own. */
const isWanted = (part: string) => wanted.length === 0 || wanted.includes(part);

const progress = (text: string) => process.stderr.write(`${text}\n`);

/** A system in a home of its own, which is removed at the end. */
async function startSystem(
  replicas: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<BenchStack & { end(): Promise<void> }> {
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
          ...environment,
        },
        timeout: commandTimeoutMs,
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
async function onSystems(measure: (start: typeof startSystem) => Promise<Row[]>): Promise<Row[]> {
  const systems: { end(): Promise<void> }[] = [];
  try {
    return await measure(async (...options) => {
      const system = await startSystem(...options);
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
  numberOf('requests');
  numberOf('documents');
  numberOf('customers');
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
  if (isWanted('gotenberg')) {
    rows.push(
      ...(await measurePart('gotenberg', () =>
        onSystems((start) => measureAgainstGotenberg(start, progress, process.env.GOTENBERG_URL)),
      )),
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
