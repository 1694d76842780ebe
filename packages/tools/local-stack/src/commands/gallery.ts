import { join } from 'node:path';
import { repositoryRoot } from '../config.js';
import { StepError, type Steps } from '../steps.js';
import { runCompiled } from './bench.js';
import { runTool } from './run-tool.js';

/** The first empties the folder of pictures. */
const services = ['rendering', 'delivery'] as const;

/** Draws every kind of document and email, and every page of the console, for review; with arguments, only the kinds whose names contain one of them. */
export async function gallery(steps: Steps, args: readonly string[]): Promise<number> {
  await steps.run('gallery', async () => {
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    for (const service of services) {
      const project = `services/${service}/tsconfig.gallery.json`;
      const { code, output } = await runTool(compiler, ['-p', project], { show: false });
      if (code !== 0) {
        throw new StepError('the gallery does not compile', null, output.trimEnd().split('\n'));
      }
    }
  });
  for (const service of services) {
    const program = `services/${service}/dist/gallery/test/gallery/main.js`;
    const { code } = await runTool(join(repositoryRoot, program), args, { show: true });
    if (code !== 0) {
      return code;
    }
  }
  return runCompiled(steps, 'gallery/main.js', args);
}
