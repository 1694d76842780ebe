import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { repositoryRoot } from '../config.js';
import { StepError, type Steps } from '../steps.js';
import { endedBySignal, runTool } from './run-tool.js';
import { withSystemsFolder } from './with-systems-folder.js';

/** The fields of Jest's JSON result that are read here. */
interface JestResult {
  numPassedTests: number;
  numFailedTests: number;
  numTotalTestSuites: number;
  /** Files that could not be loaded. */
  numRuntimeErrorTestSuites: number;
}

const tool = (path: string) => join(repositoryRoot, 'node_modules', path);

/** Runs a task of turbo, which caches its result, and shows its output when it fails. Returns the exit code. */
async function runCheck(steps: Steps, name: string, task: string): Promise<number> {
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

const notChecked = 'npm run check (style, types)';
const systemTests =
  'npm run test:system (browsers, faults, replicas, restores, packaging, generated clients)';

/** Checks style and types of all workspaces; the exit code is that of the first failure. */
export async function check(steps: Steps): Promise<number> {
  const codes = [
    await runCheck(steps, 'style', 'check:style'),
    await runCheck(steps, 'types', 'check:types'),
  ];
  return codes.find((code) => code !== 0) ?? 0;
}

/** Runs the tests without `*.system.spec.ts`. Arguments may name test files, which then run whatever their size. */
export function test(steps: Steps, args: readonly string[]): Promise<number> {
  const isFull = args.length === 0;
  return runJest(steps, args, {
    notRun: isFull ? [notChecked, systemTests] : [],
    parts: [{ report: 'test', env: isFull ? { PINKAS_TEST_SIZE: 'normal' } : {} }],
  });
}

/**
 * Runs `*.system.spec.ts`: what breaks, freezes, restarts or packs the system. Then `*.alone.system.spec.ts`, which expect that no
 * request is refused: while others start and stop systems of their own, one may wait for a core until its deadline.
 */
export function testSystem(steps: Steps, args: readonly string[]): Promise<number> {
  return runJest(steps, ['--passWithNoTests', ...args], {
    notRun: args.length === 0 ? [notChecked, 'npm test'] : [],
    parts: [
      { report: 'test-system', env: { PINKAS_TEST_SIZE: 'system' } },
      { report: 'test-system-alone', env: { PINKAS_TEST_SIZE: 'alone' } },
    ],
  });
}

const busyLoops = 4;
/** A loop that ends with its parent, and in any case after two hours. */
const busyLoop = `const end = performance.now() + 7_200_000, parent = process.ppid;
while (performance.now() < end && process.ppid === parent);`;

/** `test` while other programs of normal priority want every core: four loops, which end with it. */
export async function testLoaded(steps: Steps, args: readonly string[]): Promise<number> {
  const loops = Array.from({ length: busyLoops }, () =>
    spawn(process.execPath, ['-e', busyLoop], { stdio: 'ignore' }),
  );
  try {
    return await test(steps, args);
  } finally {
    for (const loop of loops) {
      loop.kill('SIGKILL');
    }
  }
}

interface JestRun {
  /** What belongs to a complete check and is not part of this run; none where only some tests run. */
  notRun: readonly string[];
  /** One after the other, each with the name of its report's file. */
  parts: readonly { report: string; env: Record<string, string> }[];
}

/** Runs Jest and prints what ran, and how many tests passed and failed; returns its exit code. */
async function runJest(steps: Steps, args: readonly string[], run: JestRun): Promise<number> {
  const begun = performance.now();
  const total = { code: 0, files: 0, passed: 0, failed: 0 };
  const files = run.parts.map(({ report }) => join(repositoryRoot, '.pinkas/reports', `${report}.json`));
  steps.note('tests');
  for (const [index, { env }] of run.parts.entries()) {
    const { code, result } = await runPart(args, files[index] ?? '', env);
    total.code ||= code;
    total.files += result?.numTotalTestSuites ?? 0;
    total.passed += result?.numPassedTests ?? 0;
    total.failed += (result?.numFailedTests ?? 1) + (result?.numRuntimeErrorTestSuites ?? 0);
    if (code === endedBySignal) {
      break;
    }
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  const lines = [
    '',
    `  ${total.files} files in ${seconds} s; report: ${files.map((file) => relative(repositoryRoot, file)).join(', ')}`,
    ...run.notRun.map((command) => `  not run: ${command}`),
    `${total.passed} passed, ${total.failed} failed`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return total.code;
}

async function runPart(args: readonly string[], resultFile: string, env: Record<string, string>) {
  mkdirSync(dirname(resultFile), { recursive: true, mode: 0o711 });
  rmSync(resultFile, { force: true });
  let code = 1;
  await withSystemsFolder(async (systems) => {
    const reporter = join(repositoryRoot, 'packages/tools/testkit/jest/progress-reporter.mjs');
    const jest = await runTool(
      tool('jest/bin/jest.js'),
      // Not last: Jest would take the path of a test after it for another reporter.
      [`--reporters=${reporter}`, '--json', `--outputFile=${resultFile}`, ...args],
      {
        show: true,
        env: {
          PINKAS_TEST_SYSTEMS: systems,
          ...env,
        },
      },
    );
    code = jest.code;
  });
  return { code, result: readResult(resultFile) };
}
