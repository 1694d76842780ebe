import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { StepError, type Steps } from '../steps.js';
import { runTool } from './run-tool.js';
import { withSystemsFolder } from './with-systems-folder.js';

/** Measures the system; with `--json` standard output has the measurement only. */
export const bench = (steps: Steps, args: readonly string[]): Promise<number> =>
  runCompiled(steps, 'bench/main.js', args);

/** Breaks a system by the faults of a seed, and checks that every invariant holds. */
export const storm = (steps: Steps, args: readonly string[]): Promise<number> =>
  runCompiled(steps, 'faults/main.js', args);

/** Makes a Kubernetes, installs the chart there and tests it. */
export const cluster = (steps: Steps, args: readonly string[]): Promise<number> =>
  runCompiled(steps, 'cluster/main.js', args);

/** Compiles the programs among the tests, and runs one. */
export async function runCompiled(steps: Steps, file: string, args: readonly string[]): Promise<number> {
  await steps.run('compiling', async () => {
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const { code, output } = await runTool(compiler, ['-p', 'test/tsconfig.json'], { show: false });
    if (code !== 0) {
      throw new StepError('the program does not compile', null, output.trimEnd().split('\n'));
    }
  });
  return withSystemsFolder(async (systems) => {
    const program = join(repositoryRoot, 'test/dist', file);
    const { code } = await runTool(program, args, { show: true, env: { PINKAS_TEST_SYSTEMS: systems } });
    return code;
  });
}
