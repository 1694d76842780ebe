import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { StepError, type Steps } from '../steps.js';
import { runTool } from './run-tool.js';

/** Measures the system; with `--json` the measurement is all that stands on standard output. */
export async function bench(steps: Steps, args: readonly string[]): Promise<number> {
  await steps.run('benchmark', async () => {
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const { code, output } = await runTool(compiler, ['-p', 'test/tsconfig.json'], { show: false });
    if (code !== 0) {
      throw new StepError('the benchmark does not compile', null, output.trimEnd().split('\n'));
    }
  });
  const { code } = await runTool(join(repositoryRoot, 'test/dist/bench/main.js'), args, { show: true });
  return code;
}
