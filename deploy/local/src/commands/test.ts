import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { openHome } from '../home.js';
import { StepError, type Steps } from '../steps.js';
import { stopHome } from './down.js';
import { runTool } from './run-tool.js';

/** The part of Jest's JSON result that we read. */
interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  /** Files that could not even be loaded. */
  numRuntimeErrorTestSuites: number;
}

const tool = (path: string) => join(repositoryRoot, 'node_modules', path);

/** Runs a quiet check; what it found is shown when it fails. Returns its exit code. */
async function check(steps: Steps, name: string, entry: string, args: readonly string[]): Promise<number> {
  let code = 0;
  try {
    await steps.run(name, async () => {
      const result = await runTool(tool(entry), args, { show: false, env: { FORCE_COLOR: '0' } });
      code = result.code;
      if (code !== 0) {
        throw new StepError(`${name} ended with code ${code}`, null, result.output.trimEnd().split('\n'));
      }
    });
  } catch (error) {
    if (!(error instanceof StepError)) {
      throw error;
    }
  }
  return code;
}

function readResult(file: string): JestResult | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestResult) : null;
}

/** Stops the systems that tests have started and not stopped, because the run was ended in the middle. */
async function stopSystems(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    await stopHome(openHome(join(folder, name)), () => {});
  }
}

/** Checks style and types, then runs every test; the exit code is that of the first failure. */
export async function test(steps: Steps, args: readonly string[]): Promise<number> {
  const codes = [
    await check(steps, 'style', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
    await check(steps, 'types', 'typescript/bin/tsc', ['-p', 'tsconfig.json']),
  ];

  const folder = mkdtempSync(join(tmpdir(), 'pinkas-test-run-'));
  const systems = join(folder, 'systems');
  mkdirSync(systems);
  try {
    const resultFile = join(folder, 'jest.json');
    steps.note('tests');
    const jest = await runTool(tool('jest/bin/jest.js'), ['--json', `--outputFile=${resultFile}`, ...args], {
      show: true,
      // A JSON result sends the report to standard error; the rest is Node's notice about module mocks.
      env: {
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        PINKAS_TEST_SYSTEMS: systems,
      },
    });
    codes.push(jest.code);
    const result = readResult(resultFile);
    const passed = result?.numPassedTests ?? 0;
    const failed = (result?.numFailedTests ?? 1) + (result?.numRuntimeErrorTestSuites ?? 0);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  } finally {
    await stopSystems(systems);
    rmSync(folder, { recursive: true, force: true });
  }
  return codes.find((code) => code !== 0) ?? 0;
}
