import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { reservePort } from '@pinkas/local-stack/servers';
import { type SimulatorName, simulatorProgram } from '@pinkas/simulators';

const startTimeoutMs = 60_000;

const startAttemptsMax = 3;

/** A simulator as a process of its own, so that a test can end it. */
export class Simulator {
  private constructor(
    private readonly name: SimulatorName,
    private readonly env: Readonly<Record<string, string>>,
    /** The line that it printed when it listened: its addresses. */
    readonly listening: Readonly<Record<string, string>>,
    private child: ChildProcess,
  ) {}

  /**
   * Starts one, on free ports.
   * @throws Error when it does not listen in time, or was not built.
   */
  static async start(name: SimulatorName, env: Record<string, string> = {}): Promise<Simulator> {
    for (let attempt = 1; ; attempt += 1) {
      const complete = { ...env, ...(await freePorts(name)) };
      try {
        const { listening, child } = await spawnSimulator(name, complete);
        return new Simulator(name, complete, listening, child);
      } catch (error) {
        // Another process may have bound a port first.
        if (attempt === startAttemptsMax) {
          throw error;
        }
      }
    }
  }

  /** Its address over HTTP. */
  get url(): string {
    return this.listening.url ?? '';
  }

  /** Kills it and starts it again on the same ports. */
  async restart(): Promise<void> {
    await this.kill();
    this.child = (await spawnSimulator(this.name, this.env)).child;
  }

  /** Sets how it fails, through `POST /_mode`. */
  async mode(mode: object): Promise<void> {
    const response = await fetch(`${this.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
    if (!response.ok) {
      throw new Error(await response.text());
    }
  }

  /** Gets a path that answers JSON. */
  async read<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.url}${path}`)).json()) as T;
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Kills it, as a crash would. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      return;
    }
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

/** Ports for its servers, below the range of outgoing connections, so that no client takes one while it restarts. */
async function freePorts(name: SimulatorName): Promise<Record<string, string>> {
  const ports: Record<string, string> = {};
  for (const variable of name === 'mailbox' ? ['PORT', 'SMTP_PORT'] : ['PORT']) {
    const { port, release } = await reservePort();
    await release();
    ports[variable] = String(port);
  }
  return ports;
}

async function spawnSimulator(
  name: SimulatorName,
  env: Readonly<Record<string, string>>,
): Promise<{ listening: Record<string, string>; child: ChildProcess }> {
  const child = spawn(process.execPath, [simulatorProgram(name)], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', STOP_WITH_STDIN: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const listening = JSON.parse(line) as Record<string, string>;
      if (listening.url) {
        return { listening, child };
      }
    }
    throw new Error(`simulator ${name} ended before it listened: run npm run build`);
  } finally {
    clearTimeout(timer);
  }
}
