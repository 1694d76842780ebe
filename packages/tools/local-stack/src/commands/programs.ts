import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { runTool } from './run-tool.js';
import { withSystemsFolder } from './with-systems-folder.js';

/** Runs a program among the tests; what it prints goes to the terminal. @returns its exit code. */
function runProgram(file: string, args: readonly string[]): Promise<number> {
  return withSystemsFolder(async (systems) => {
    const program = join(repositoryRoot, file);
    const { code } = await runTool(program, args, { show: true, env: { PINKAS_TEST_SYSTEMS: systems } });
    return code;
  });
}

/** Measures the system; with `--json` standard output has the measurement only. */
export const bench = (args: readonly string[]): Promise<number> => runProgram('test/bench/main.ts', args);

/** Breaks a system by the faults of a seed, and checks that every invariant holds. */
export const storm = (args: readonly string[]): Promise<number> => runProgram('test/faults/main.ts', args);

/** Makes a Kubernetes, installs the chart there and tests it. */
export const cluster = (args: readonly string[]): Promise<number> => runProgram('test/cluster/main.ts', args);

/** Those of the services empty the folder of pictures, and draw documents and emails. */
const galleries = [
  'services/rendering/test/gallery/main.ts',
  'services/delivery/test/gallery/main.ts',
  'test/gallery/main.ts',
];

/** Draws every kind of document and email, and every page of the console, for review; with arguments, only the kinds whose names contain one of them. */
export async function gallery(args: readonly string[]): Promise<number> {
  for (const file of galleries) {
    const code = await runProgram(file, args);
    if (code !== 0) {
      return code;
    }
  }
  return 0;
}
