import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 30_000;

/** One of the local stack's stand-ins as a process of its own, so that it can die. */
export class StandIn {
  private constructor(
    /** Its address over HTTP. */
    readonly url: string,
    /** What it printed of itself when it listened: its addresses. */
    readonly listening: Readonly<Record<string, string>>,
    private readonly child: ChildProcess,
  ) {}

  /**
   * Starts one on free ports, unless `env` names them.
   * @throws when it does not listen in time; the local stack has to be built.
   */
  static async start(
    name: 'gotenberg' | 'tax-authority' | 'mailbox' | 'whatsapp',
    env: Record<string, string> = {},
  ): Promise<StandIn> {
    const program = fileURLToPath(
      new URL(`../../../deploy/local/dist/stand-ins/${name}.js`, import.meta.url),
    );
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), startTimeoutMs);
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const listening = JSON.parse(line) as Record<string, string>;
        if (listening.url) return new StandIn(listening.url, listening, child);
      }
      throw new Error(`The stand-in ${name} ended before it listened; is the local stack built?`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sets how it fails; see the stand-in's own page. */
  async mode(mode: object): Promise<void> {
    const response = await fetch(`${this.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Reads one of its JSON pages. */
  async read<T>(path: string): Promise<T> {
    return (await (await fetch(`${this.url}${path}`)).json()) as T;
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Ends it at once, as a crash would. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}
