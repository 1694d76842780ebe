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
/** The parts to measure; all of them where none is named. */
const wanted = process.argv.slice(2).filter((one) => one !== '--json');

async function main(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'pinkas-bench-'));
  const command = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      [join(repositoryRoot, 'deploy/local/bootstrap.mjs'), ...args],
      {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, PINKAS_HOME: home },
        timeout: 120_000,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    return stdout;
  };
  const progress = (text: string) => process.stderr.write(`${text}\n`);
  try {
    progress('starting a system of its own …');
    await command('up');
    const stack: BenchStack = {
      home,
      file: JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')),
      pinkas: async (...args) => JSON.parse(await command('pinkas', ...args, '--json')),
    };
    const rows: Row[] = [];
    for (const [part, measure] of Object.entries(parts)) {
      if (wanted.length === 0 || wanted.includes(part)) rows.push(...(await measure(stack, progress)));
    }
    if (asJson) {
      process.stdout.write(
        `${JSON.stringify(Object.fromEntries(rows.map((row) => [row.name, row.value])))}\n`,
      );
    } else printTable(rows);
  } finally {
    await command('down');
    await rm(home, { recursive: true, force: true });
  }
}

await main();
