import { mkdirSync, statSync } from 'node:fs';
import { type RunningChild, type StopSignal, startChild } from './child-process.js';
import { lastLines } from './log-file.js';
import { isPortFree, PortBusyError, reservePort } from './reserve-port.js';
import { waitUntil } from './wait-until.js';

/** The options of every server. */
export interface ServerOptions {
  /** The server's own folder; created when missing, reused when it has data. */
  dataDir: string;
  /** The server's output is appended to it. */
  logFile: string;
  /** The port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** Milliseconds until the server must answer. Default 30,000. */
  readyWithinMs?: number;
}

/** A running server that answers. */
export interface RunningServer extends RunningChild {
  /** The URL for clients. */
  url: string;
  port: number;
}

/** A server ended, or did not answer in time, when it was started. */
export class StartFailedError extends Error {
  override readonly name = 'StartFailedError';

  /**
   * @param server - the name of the server, such as 'postgres'.
   * @param reason - how the start failed.
   * @param logLines - the last lines of the server's log.
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

/** The program of a server, and how to run it. */
interface ServerProgram {
  name: string;
  file: string;
  args(port: number): readonly string[];
  env: NodeJS.ProcessEnv;
  stopSignal: StopSignal;
  parentDeathSignal: StopSignal;
  runAs?: { uid: number; gid: number; passesClosedFolders: boolean };
  /** Whether the started process answers on the port, and not another one that bound it first. */
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
 * Starts a server on the requested port, or on a free one.
 *
 * Another process may bind a free port before the server does; then the server is started on another port.
 *
 * @throws PortBusyError when the requested port is in use.
 * @throws StartFailedError with the last lines of the server's log.
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
