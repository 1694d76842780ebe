import { appendFileSync } from 'node:fs';
import { type Addresses, addressesOf, portNamesOf, preferredPorts } from './addresses.js';
import type { StackConfig } from './config.js';
import { ensureDemo, readDemo } from './demo.js';
import { type Home, openHome, writeJson } from './home.js';
import { localParts } from './local-parts.js';
import { rotateLog } from './log-rotation.js';
import type { PartsContext } from './part.js';
import { Ports } from './ports.js';
import { frontPorts } from './replicas.js';
import { acquireHome, endLeftovers, identifySelf, type RunState } from './run-state.js';
import { ensureSecrets } from './secrets.js';
import { PortBusyError } from './servers/index.js';
import { writeStackFile } from './stack-file.js';
import { PartFailedError, type PartState, Supervisor } from './supervisor.js';

const rotationIntervalMs = 60_000;

/** A local system that this process runs. */
export interface Stack {
  home: Home;
  addresses: Addresses;
  /** The current state of every part. */
  states(): PartState[];
  /** Settles when all parts are ready; rejects when a part fails. */
  ready: Promise<void>;
  /** Ends every backoff delay, and kills the processes that do not answer, so that they are restarted. */
  repair(): Promise<void>;
  /** Stops all parts in order and releases the home. Can be called again. */
  stop(): Promise<void>;
  /** Kills every process. */
  kill(): void;
}

async function choosePorts(config: StackConfig, home: Home): Promise<Ports> {
  try {
    return await Ports.choose(home, portNamesOf(config.replicas), {
      preferred: preferredPorts,
      fixed: config.port === null ? {} : { [frontPorts.gateway]: config.port },
    });
  } catch (error) {
    throw error instanceof PortBusyError
      ? new Error(`PINKAS_PORT=${error.port} cannot be used: ${error.message}`, { cause: error })
      : error;
  }
}

/**
 * Starts the local system of one home in this process.
 *
 * @param onReport - receives lines for the operator, such as that a part is restarted.
 * @returns at once, while the parts start; wait for `ready`.
 * @throws HomeInUseError when another process runs this home; Error when `PINKAS_PORT` is in use.
 */
export async function startStack(config: StackConfig, onReport: (line: string) => void): Promise<Stack> {
  const home = openHome(config.home);
  const releaseHome = acquireHome(home);
  try {
    const log = home.logFile('supervisor');
    const report = (line: string) => {
      appendFileSync(log, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 });
      onReport(line);
    };
    rotateLog(log);
    const leftovers = await endLeftovers(home);
    if (leftovers.length > 0) {
      report(`ended the processes of an earlier run: ${leftovers.join(', ')}`);
    }
    const secrets = await ensureSecrets(home);
    const ports = await choosePorts(config, home);
    const addresses = addressesOf(config, ports, secrets);
    return new LocalStack({ config, home, ports, secrets, addresses, report, releaseHome });
  } catch (error) {
    releaseHome();
    throw error;
  }
}

interface LocalStackOptions extends Omit<PartsContext, 'makeDemo'> {
  report(line: string): void;
  releaseHome(): void;
}

/** Starts the parts when it is made, and records their states in `run.json` and `stack.json`. */
class LocalStack implements Stack {
  readonly home: Home;
  readonly addresses: Addresses;
  readonly ready: Promise<void>;
  readonly #options: LocalStackOptions;
  readonly #supervisor: Supervisor;
  readonly #state: RunState;
  readonly #rotation: NodeJS.Timeout;
  #stopping: Promise<void> | null = null;

  constructor(options: LocalStackOptions) {
    this.#options = options;
    this.home = options.home;
    this.addresses = options.addresses;
    this.#state = {
      supervisor: identifySelf(),
      phase: 'starting',
      failure: null,
      repairs: 0,
      parts: [],
    };
    this.#supervisor = new Supervisor(
      localParts({ ...options, makeDemo: (signal) => this.#makeDemo(signal) }),
      { changed: () => this.#writeState(), report: options.report },
    );
    this.#writeState();
    this.ready = this.#start();
    this.ready.catch(() => undefined);
    this.#rotation = setInterval(() => this.#rotateLogs(), rotationIntervalMs);
    this.#rotation.unref();
  }

  states(): PartState[] {
    return this.#supervisor.states();
  }

  async repair(): Promise<void> {
    await this.#supervisor.repair();
    this.#state.repairs += 1;
    this.#writeState();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopOnce();
    return this.#stopping;
  }

  kill(): void {
    this.#supervisor.kill();
  }

  async #start(): Promise<void> {
    try {
      await this.#supervisor.start();
    } catch (error) {
      this.#recordFailure(error);
      throw error;
    }
    this.#setPhase('ready');
    this.#options.report('ready');
  }

  #recordFailure(error: unknown): void {
    if (this.#state.phase !== 'starting') {
      return;
    }
    this.#state.failure = error instanceof PartFailedError ? error.failure : null;
    this.#options.report(`failed: ${error instanceof Error ? error.message : String(error)}`);
    this.#setPhase('failed');
  }

  async #makeDemo(signal: AbortSignal): Promise<void> {
    // The operator's command finds the system through this file.
    this.#writeStackFile();
    await ensureDemo(this.#options.config, this.home, signal);
  }

  async #stopOnce(): Promise<void> {
    clearInterval(this.#rotation);
    const hasFailed = this.#state.phase === 'failed';
    if (!hasFailed) {
      this.#setPhase('stopping');
    }
    await this.#supervisor.stop();
    await this.#options.ports.releaseAll();
    this.#setPhase(hasFailed ? 'failed' : 'stopped');
    this.#options.report('stopped');
    this.#options.releaseHome();
  }

  #rotateLogs(): void {
    for (const { log, members } of this.#supervisor.states()) {
      for (const file of [log, ...members.map((member) => member.log)]) {
        rotateLog(file);
      }
    }
  }

  #setPhase(phase: RunState['phase']): void {
    this.#state.phase = phase;
    this.#writeState();
  }

  #writeState(): void {
    this.#state.parts = this.#supervisor.states();
    // First: who waits for a phase reads this file next.
    if (this.#state.phase !== 'starting') {
      this.#writeStackFile();
    }
    writeJson(this.home.runStateFile, this.#state);
  }

  #writeStackFile(): void {
    writeStackFile(this.home, this.addresses, readDemo(this.home), this.#supervisor.states());
  }
}
