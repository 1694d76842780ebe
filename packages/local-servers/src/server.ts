import { mkdirSync, statSync } from 'node:fs';
import { type RunningChild, type StopSignal, startChild } from './child.js';
import { lastLines } from './log-file.js';
import { isPortFree, PortBusyError, reservePort } from './ports.js';
import { waitUntil } from './wait.js';

/** What every server is started with. */
export interface ServerOptions {
  /** The server's own folder; made when missing, opened again when it holds data. */
  dataDir: string;
  /** Receives what the server prints, appended. */
  logFile: string;
  /** The port on 127.0.0.1. Without it a free one is taken. */
  port?: number;
  /** Milliseconds until the server must answer. Default 30,000. */
  readyWithinMs?: number;
}

/** A server of ours that answers. */
export interface RunningServer extends RunningChild {
  /** How clients reach it. */
  url: string;
  port: number;
}

/** A server ended, or kept silent, instead of getting ready. */
export class StartFailedError extends Error {
  override readonly name = 'StartFailedError';

  /**
   * @param server - its name, such as 'postgres'.
   * @param reason - what happened.
   * @param logLines - the last lines of its log, the best explanation there is.
   */
  constructor(
    readonly server: string,
    reason: string,
    readonly logLines: readonly string[],
    options?: ErrorOptions,
  ) {
    super([`${server} ${reason}`, ...logLines].join('\n'), options);
  }
}

/** How one kind of server is run. */
export interface ServerProgram {
  name: string;
  file: string;
  args(port: number): readonly string[];
  env: NodeJS.ProcessEnv;
  stopSignal: StopSignal;
  parentDeathSignal: StopSignal;
  runAs?: { uid: number; gid: number; passesClosedFolders: boolean };
  /** Whether the very process that we started answers on the port: a stranger who took it first must not count. */
  answers(port: number, pid: number): boolean | Promise<boolean>;
  url(port: number): string;
}

const stopGraceMs = 15_000;
const attemptsMax = 5;

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

async function startOnPort(
  program: ServerProgram,
  options: ServerOptions,
  port: number,
): Promise<RunningServer> {
  const logStart = sizeOf(options.logFile);
  const child = await startChild({
    file: program.file,
    args: program.args(port),
    env: program.env,
    logFile: options.logFile,
    stopSignal: program.stopSignal,
    stopGraceMs,
    parentDeathSignal: program.parentDeathSignal,
    ...(program.runAs === undefined ? {} : { runAs: program.runAs }),
  });
  const hasEnded = () => child.process.exitCode !== null || child.process.signalCode !== null;
  try {
    await waitUntil(async () => hasEnded() || (await program.answers(port, child.pid)), {
      what: `${program.name} answers on port ${port}`,
      timeoutMs: options.readyWithinMs ?? 30_000,
    });
  } catch (error) {
    child.kill();
    await child.exited;
    throw new StartFailedError(program.name, 'did not get ready', lastLines(options.logFile, 15, logStart), {
      cause: error,
    });
  }
  if (hasEnded()) {
    const { code, signal } = await child.exited;
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    throw new StartFailedError(program.name, how, lastLines(options.logFile, 15, logStart));
  }
  return { ...child, port, url: program.url(port) };
}

/**
 * Starts a server on the port that was asked for, or on a free one.
 *
 * Between the moment that a port is found free and the moment that the server binds it, somebody else may take it;
 * then another one is tried.
 *
 * @throws PortBusyError when the port that was asked for is taken.
 * @throws StartFailedError with the end of the server's log.
 */
export async function startServer(program: ServerProgram, options: ServerOptions): Promise<RunningServer> {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  if (options.port !== undefined) {
    if (!(await isPortFree(options.port))) {
      throw new PortBusyError(options.port);
    }
    return startOnPort(program, options, options.port);
  }
  for (let attempt = 1; ; attempt++) {
    const reserved = await reservePort();
    await reserved.release();
    try {
      return await startOnPort(program, options, reserved.port);
    } catch (error) {
      if (attempt >= attemptsMax || (await isPortFree(reserved.port))) {
        throw error;
      }
    }
  }
}
