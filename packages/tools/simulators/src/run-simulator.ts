import type { Listen, RunningSimulator } from './http.js';
import type { SimulatorName } from './simulator-programs.js';

/** Reads HOST and PORT from the environment. Throws when PORT is no port number. */
export function listenFrom(environment: NodeJS.ProcessEnv, portName = 'PORT'): Listen {
  const port = Number(environment[portName] ?? '0');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`${portName} is not a port number: ${environment[portName]}`);
  }
  return { host: environment.HOST || '127.0.0.1', port };
}

/** Reads a whole number above zero from the environment; a missing one is `fallback`. */
export function positiveFrom(environment: NodeJS.ProcessEnv, name: string, fallback: number): number {
  const value = Number(environment[name] || fallback);
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`${name} is not a whole number above zero: ${environment[name]}`);
  }
  return value;
}

/** Reads a variable that has no default. */
export function requiredFrom(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) {
    throw new Error(`${name} is missing`);
  }
  return value;
}

/**
 * Starts a simulator as this process, and writes its addresses to standard output as one line of JSON.
 * SIGTERM and SIGINT stop it; a second signal ends the process immediately. With STOP_WITH_STDIN=1 the end of standard input stops
 * it as well, so that it does not outlive a test run that is killed.
 */
export async function runSimulator(
  name: SimulatorName,
  start: (environment: NodeJS.ProcessEnv) => Promise<RunningSimulator>,
): Promise<void> {
  const running = await start(process.env);
  process.stdout.write(
    `${JSON.stringify({ level: 'info', name, ...running, msg: 'simulator listening' })}\n`,
  );
  let stopping = false;
  const stop = () => {
    if (stopping) {
      process.exit(1);
    }
    stopping = true;
    running.close().then(
      () => process.exit(0),
      (cause: unknown) => {
        console.error(cause);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.env.STOP_WITH_STDIN === '1') {
    process.stdin.once('end', stop).resume();
  }
}
