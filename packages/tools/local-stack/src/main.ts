import { BadEnvironmentError } from './config.js';
import { StepError, type Steps } from './steps.js';

/** The commands of the local stack. Each loads only what it needs. */
const commands: Record<string, (steps: Steps, args: readonly string[]) => Promise<number>> = {
  start: async (steps, args) => (await import('./commands/start.js')).start(steps, args),
  up: async (steps, args) => (await import('./commands/up.js')).up(steps, args),
  down: async (steps) => (await import('./commands/down.js')).down(steps),
  check: async (steps) => (await import('./commands/test.js')).check(steps),
  test: async (steps, args) => (await import('./commands/test.js')).test(steps, args),
  'test:loaded': async (steps, args) => (await import('./commands/test.js')).testLoaded(steps, args),
  'test:system': async (steps, args) => (await import('./commands/test.js')).testSystem(steps, args),
  gallery: async (_, args) => (await import('./commands/programs.js')).gallery(args),
  bench: async (_, args) => (await import('./commands/programs.js')).bench(args),
  storm: async (_, args) => (await import('./commands/programs.js')).storm(args),
  cluster: async (_, args) => (await import('./commands/programs.js')).cluster(args),
  hostile: async (_, args) => (await import('./commands/programs.js')).bench(['hostile', ...args]),
};

/**
 * Runs one command.
 *
 * @returns the exit code.
 * @throws StepError, which is shown already when a step threw it.
 */
export async function main(command: string, args: readonly string[], steps: Steps): Promise<number> {
  const run = commands[command];
  if (run === undefined) {
    throw new StepError(
      `there is no command '${command}'; the commands are ${Object.keys(commands).join(', ')}`,
    );
  }
  try {
    return await run(steps, args);
  } catch (error) {
    throw error instanceof BadEnvironmentError ? new StepError(error.message) : error;
  }
}
