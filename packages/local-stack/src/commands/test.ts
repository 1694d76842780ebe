import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { StepError, type Steps } from '../steps.js';
import { runTool } from './run-tool.js';
import { withSystemsFolder } from './with-systems-folder.js';

/** The fields of Jest's JSON result that are read here. */
interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  /** Files that could not be loaded. */
  numRuntimeErrorTestSuites: number;
}

const tool = (path: string) => join(repositoryRoot, 'node_modules', path);

/** Runs a task of turbo, which caches its result, and shows its output when it fails. Returns the exit code. */
async function check(steps: Steps, name: string, task: string): Promise<number> {
  let code = 0;
  try {
    await steps.run(name, async () => {
      const result = await runTool(
        tool('turbo/bin/turbo'),
        ['run', task, '--log-prefix=none', '--output-logs=errors-only'],
        { show: false, env: { FORCE_COLOR: '0', TURBO_TELEMETRY_DISABLED: '1' } },
      );
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

/** Checks style and types, then runs the tests without `*.system.spec.ts`; the exit code is that of the first failure. */
export async function test(steps: Steps, args: readonly string[]): Promise<number> {
  const codes = [await check(steps, 'style', 'check:style'), await check(steps, 'types', 'check:types')];
  // Arguments may name test files, which then run whatever their size.
  codes.push(await runJest(steps, args, args.length === 0 ? { PINKAS_TEST_SIZE: 'normal' } : {}));
  return codes.find((code) => code !== 0) ?? 0;
}

/** Runs `*.system.spec.ts`: what breaks, freezes, restarts or packs the system. */
export function testSystem(steps: Steps, args: readonly string[]): Promise<number> {
  return runJest(steps, args, { PINKAS_TEST_SIZE: 'system' });
}

/** Runs Jest and prints how many tests passed and failed; returns its exit code. */
async function runJest(steps: Steps, args: readonly string[], env: Record<string, string>): Promise<number> {
  let code = 1;
  await withSystemsFolder(async (folder, systems) => {
    const resultFile = join(folder, 'jest.json');
    steps.note('tests');
    const jest = await runTool(tool('jest/bin/jest.js'), ['--json', `--outputFile=${resultFile}`, ...args], {
      show: true,
      // With a JSON result Jest reports on standard error, where Node's notice about module mocks would only distract.
      env: {
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        PINKAS_TEST_SYSTEMS: systems,
        ...env,
      },
    });
    code = jest.code;
    const result = readResult(resultFile);
    const passed = result?.numPassedTests ?? 0;
    const failed = (result?.numFailedTests ?? 1) + (result?.numRuntimeErrorTestSuites ?? 0);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  });
  return code;
}
