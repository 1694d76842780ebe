import { withTimeout } from '@pinkas/service-kit/concurrency';
import { restartDelayMs, stableAfterMs } from './backoff.js';
import { type Layer, layers, type Part, type PartMember, type ProcessPart, type TaskPart } from './part.js';
import { identifyProcess, lastLines, type ProcessIdentity, type RunningChild } from './servers/index.js';

/** The status of a part; `backoff` is the delay before a restart. */
type PartStatus = 'waiting' | 'starting' | 'ready' | 'backoff' | 'done' | 'stopped';

/** One part as the supervisor sees it. */
export interface PartState {
  name: string;
  layer: Layer;
  status: PartStatus;
  /** The process, while there is one. */
  process: ProcessIdentity | null;
  log: string;
  healthUrl: string | null;
  /** The services in the process; none where it is one itself. */
  members: readonly PartMember[];
  /** The number of restarts. */
  restarts: number;
}

/** Why the system did not start. */
export interface Failure {
  part: string;
  reason: string;
  logFile: string;
  lines: readonly string[];
}

/** A part failed, so that the system cannot become ready. */
export class PartFailedError extends Error {
  override readonly name = 'PartFailedError';

  /**
   * @param part - the name of the part.
   * @param logFile - the log of the part.
   * @param lines - the last lines of that log.
   */
  constructor(
    readonly part: string,
    readonly reason: string,
    readonly logFile: string,
    readonly lines: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`${part} ${reason}`, options);
  }

  /** The failure as `run.json` records it. */
  get failure(): Failure {
    const { part, reason, logFile, lines } = this;
    return { part, reason, logFile, lines };
  }
}

/** Receives what the supervisor reports. */
interface SupervisorListener {
  /** The state of a part changed. */
  changed(): void;
  /** A line for the operator, such as that a part is restarted. */
  report(line: string): void;
}

/** A part that was never ready and crashes this often fails the start. */
const earlyCrashesMax = 4;
/** A healthy process answers a probe long before this. */
const probeTimeoutMs = 5_000;
const probeIntervalMs = 100;

interface Entry {
  part: Part;
  state: PartState;
  child: RunningChild | null;
  /** Crashes in a row. */
  crashes: number;
  /** Whether the part was ready at least once. */
  wasReady: boolean;
  /** Settles at the first 'ready' or 'done'. */
  readyOnce: Deferred;
  /** Ends the current delay. */
  wake: () => void;
  /** The loop of this part; settles when the part has stopped. */
  loop: Promise<void>;
}

class Deferred {
  readonly promise: Promise<void>;
  resolve!: () => void;
  reject!: (reason: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A rejection that no code waits for must not end the process.
    this.promise.catch(() => undefined);
  }
}

/** Runs a list of parts: starts each part after its dependencies, restarts what crashes, stops all parts in order. */
export class Supervisor {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #listener: SupervisorListener;
  readonly #stopped = new Deferred();
  readonly #failed = new Deferred();
  readonly #tasks = new AbortController();
  #stopping = false;

  /** @param backoffMs - the delay before a restart, by the number of crashes in a row. */
  constructor(
    parts: readonly Part[],
    listener: SupervisorListener,
    private readonly backoffMs: (crashes: number) => number = restartDelayMs,
  ) {
    this.#listener = listener;
    this.#entries = new Map(parts.map((part) => [part.name, newEntry(part)]));
    for (const part of parts) {
      const unknown = part.needs.filter((name) => !this.#entries.has(name));
      if (unknown.length > 0) {
        throw new Error(`${part.name} needs unknown parts: ${unknown.join(', ')}`);
      }
    }
  }

  /** The current state of every part. */
  states(): PartState[] {
    return [...this.#entries.values()].map(({ state }) => ({ ...state }));
  }

  /**
   * Starts all parts.
   *
   * @returns when all parts are ready.
   * @throws PartFailedError when a part fails; the other parts still run then and must be stopped.
   */
  async start(): Promise<void> {
    for (const entry of this.#entries.values()) {
      entry.loop = this.#superviseEntry(entry).catch((error: unknown) => this.#failed.reject(error));
    }
    const allReady = Promise.all([...this.#entries.values()].map(({ readyOnce }) => readyOnce.promise));
    await Promise.race([allReady, this.#failed.promise, this.#stopped.promise]);
    if (this.#stopping) {
      throw new Error('stopped before everything was ready');
    }
  }

  /** Ends every backoff delay, and kills the processes that do not answer, so that they are restarted. */
  async repair(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => this.#repairEntry(entry)));
  }

  /** Whether every part is ready or done. */
  isReady(): boolean {
    return [...this.#entries.values()].every(
      ({ state }) => state.status === 'ready' || state.status === 'done',
    );
  }

  /** Stops all parts, layer by layer; each part within its grace period. */
  async stop(): Promise<void> {
    this.#beginStop();
    for (const layer of [...layers].reverse()) {
      const members = [...this.#entries.values()].filter(({ part }) => part.layer === layer);
      await Promise.all(members.map((entry) => this.#stopEntry(entry)));
    }
  }

  /** Kills every process, in no order. */
  kill(): void {
    this.#beginStop();
    for (const { child } of this.#entries.values()) {
      child?.kill();
    }
  }

  #beginStop(): void {
    this.#stopping = true;
    this.#stopped.resolve();
    this.#tasks.abort();
  }

  async #stopEntry(entry: Entry): Promise<void> {
    entry.wake();
    await entry.child?.stop();
    await entry.loop;
    this.#set(entry, 'stopped', null);
  }

  async #repairEntry(entry: Entry): Promise<void> {
    const { part, state } = entry;
    if (part.kind !== 'process' || part.isReady === undefined || state.status !== 'ready') {
      entry.wake();
      return;
    }
    try {
      await probe(part);
    } catch {
      this.#listener.report(`${part.name} does not answer and is replaced`);
      entry.child?.kill();
    }
  }

  async #superviseEntry(entry: Entry): Promise<void> {
    const needs = entry.part.needs.map((name) => this.#entries.get(name)?.readyOnce.promise);
    await Promise.race([Promise.all(needs), this.#stopped.promise]);
    if (this.#stopping) {
      return;
    }
    if (entry.part.kind === 'task') {
      await this.#runTask(entry, entry.part);
    } else {
      await this.#superviseProcess(entry, entry.part);
    }
  }

  async #runTask(entry: Entry, part: TaskPart): Promise<void> {
    this.#set(entry, 'starting', null);
    try {
      await part.run(this.#tasks.signal);
    } catch (error) {
      if (!this.#stopping) {
        throw error instanceof PartFailedError
          ? error
          : new PartFailedError(part.name, reasonOf(error), part.logFile, [], { cause: error });
      }
      return;
    }
    this.#set(entry, 'done', null);
    entry.readyOnce.resolve();
  }

  async #superviseProcess(entry: Entry, part: ProcessPart): Promise<void> {
    while (!this.#stopping) {
      const startedAt = performance.now();
      const reason = await this.#runOnce(entry, part);
      entry.child = null;
      if (this.#stopping) {
        return;
      }
      entry.crashes = performance.now() - startedAt >= stableAfterMs ? 1 : entry.crashes + 1;
      if (!entry.wasReady && entry.crashes >= earlyCrashesMax) {
        this.#set(entry, 'backoff', null);
        throw new PartFailedError(part.name, reason, part.logFile, lastLines(part.logFile, 15));
      }
      await this.#backOff(entry, reason);
    }
  }

  async #backOff(entry: Entry, reason: string): Promise<void> {
    entry.state.restarts += 1;
    const delayMs = this.backoffMs(entry.crashes);
    const when = delayMs === 0 ? 'now' : `in ${delayMs / 1000} s`;
    this.#listener.report(`${entry.part.name} ${reason}; it is restarted ${when}`);
    if (delayMs > 0) {
      this.#set(entry, 'backoff', null);
      await this.#delay(entry, delayMs);
    }
  }

  /** Runs the process from its start to its end; returns how it ended. */
  async #runOnce(entry: Entry, part: ProcessPart): Promise<string> {
    this.#set(entry, 'starting', null);
    let child: RunningChild;
    try {
      child = await part.start();
    } catch (error) {
      return `did not start: ${reasonOf(error)}`;
    }
    entry.child = child;
    this.#set(entry, 'starting', identifyProcess(child.pid));
    if (this.#stopping) {
      await child.stop();
      return 'was stopped';
    }
    const outcome = await this.#waitUntilReady(entry, part, child);
    if (outcome === 'timeout') {
      child.kill();
      await child.exited;
      return `was not ready within ${part.readyWithinMs / 1000} s`;
    }
    if (outcome === 'ready') {
      this.#set(entry, 'ready', entry.state.process);
      entry.wasReady = true;
      entry.readyOnce.resolve();
    }
    const { code, signal } = await child.exited;
    return signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  }

  /** Probes the process until it is ready, ends or is stopped, or its time is over. */
  async #waitUntilReady(
    entry: Entry,
    part: ProcessPart,
    child: RunningChild,
  ): Promise<'ready' | 'ended' | 'timeout'> {
    const deadline = performance.now() + part.readyWithinMs;
    while (!this.#stopping && !hasExited(child)) {
      // It may have become ready while this process got no processor time.
      const isLate = performance.now() >= deadline;
      const ready = await probe(part).catch(() => false);
      if (ready) {
        return hasExited(child) ? 'ended' : 'ready';
      }
      if (isLate) {
        return 'timeout';
      }
      await Promise.race([child.exited, this.#delay(entry, probeIntervalMs)]);
    }
    return 'ended';
  }

  #delay(entry: Entry, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      entry.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #set(entry: Entry, status: PartStatus, process: ProcessIdentity | null): void {
    entry.state.status = status;
    entry.state.process = process;
    this.#listener.changed();
  }
}

function newEntry(part: Part): Entry {
  return {
    part,
    state: {
      name: part.name,
      layer: part.layer,
      status: 'waiting',
      process: null,
      log: part.logFile,
      healthUrl: part.kind === 'process' ? part.healthUrl : null,
      members: (part.kind === 'process' && part.members) || [],
      restarts: 0,
    },
    child: null,
    crashes: 0,
    wasReady: false,
    readyOnce: new Deferred(),
    wake: () => undefined,
    loop: Promise.resolve(),
  };
}

/** Whether the part is ready. Rejects when it does not answer in time; a part without a probe is always ready. */
function probe(part: ProcessPart): Promise<boolean> {
  return withTimeout(part.isReady?.() ?? Promise.resolve(true), probeTimeoutMs, () => {
    throw new Error(`no answer within ${probeTimeoutMs} ms`);
  });
}

function hasExited({ process }: RunningChild): boolean {
  return process.exitCode !== null || process.signalCode !== null;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
