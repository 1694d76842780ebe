import {
  type ChildExit,
  identifyProcess,
  lastLines,
  type ProcessIdentity,
  type RunningChild,
} from '@pinkas/local-servers';
import { restartDelayMs, wellAfterMs } from './backoff.js';
import { type Layer, layers, type Part, type ProcessPart, type TaskPart } from './part.js';

/** Where a part stands. */
export type PartStatus = 'waiting' | 'starting' | 'ready' | 'resting' | 'done' | 'stopped';

/** One part as the supervisor sees it. */
export interface PartState {
  name: string;
  layer: Layer;
  status: PartStatus;
  /** The process, while there is one. */
  process: ProcessIdentity | null;
  log: string;
  healthUrl: string | null;
  /** How often it was started again. */
  restarts: number;
}

/** Why the system did not come up. */
export interface Failure {
  part: string;
  reason: string;
  logFile: string;
  lines: readonly string[];
}

/** A part that keeps the system from getting ready. */
export class PartFailedError extends Error {
  override readonly name = 'PartFailedError';

  /**
   * @param part - its name.
   * @param logFile - where more can be read.
   * @param lines - the last lines of that file.
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

  /** As it is recorded for other processes. */
  get failure(): Failure {
    const { part, reason, logFile, lines } = this;
    return { part, reason, logFile, lines };
  }
}

/** What the supervisor tells while it works. */
export interface SupervisorListener {
  /** Some part's state changed. */
  changed(): void;
  /** Something that a person may want to know, one line. */
  said(line: string): void;
}

/** Before it was ever ready, a part that dies this often will not come up by trying again. */
const earlyDeathsMax = 4;
/** A healthy process answers a probe long before this. */
const probeTimeoutMs = 5_000;

interface Kept {
  part: Part;
  state: PartState;
  child: RunningChild | null;
  /** Deaths in a row. */
  deaths: number;
  /** Settles at the first 'ready' or 'done'. */
  readyOnce: Deferred;
  /** Ends the rest between two starts early. */
  wake: () => void;
  /** The loop of this part; settles when it has stopped. */
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
    // Whoever waits for it sees the rejection; nobody has to.
    this.promise.catch(() => undefined);
  }
}

/** Keeps a list of parts running: starts each after what it needs, starts again what dies, stops all in order. */
export class Supervisor {
  readonly #kept = new Map<string, Kept>();
  readonly #listener: SupervisorListener;
  readonly #stopped = new Deferred();
  readonly #failed = new Deferred();
  readonly #tasks = new AbortController();
  #stopping = false;

  /** @param restMs - how long to wait before a part is started again, by its deaths in a row. */
  constructor(
    parts: readonly Part[],
    listener: SupervisorListener,
    private readonly restMs: (deaths: number) => number = restartDelayMs,
  ) {
    this.#listener = listener;
    for (const part of parts) {
      this.#kept.set(part.name, {
        part,
        state: {
          name: part.name,
          layer: part.layer,
          status: 'waiting',
          process: null,
          log: part.logFile,
          healthUrl: part.kind === 'process' ? part.healthUrl : null,
          restarts: 0,
        },
        child: null,
        deaths: 0,
        readyOnce: new Deferred(),
        wake: () => undefined,
        loop: Promise.resolve(),
      });
    }
    for (const part of parts) {
      const unknown = part.needs.filter((name) => !this.#kept.has(name));
      if (unknown.length > 0) {
        throw new Error(`${part.name} needs unknown parts: ${unknown.join(', ')}`);
      }
    }
  }

  /** Every part as it stands now. */
  states(): PartState[] {
    return [...this.#kept.values()].map(({ state }) => ({ ...state }));
  }

  /**
   * Starts everything.
   *
   * @returns when all parts are ready.
   * @throws PartFailedError when one cannot get ready; the others still run then and must be stopped.
   */
  async start(): Promise<void> {
    for (const kept of this.#kept.values()) {
      kept.loop = this.#keep(kept).catch((error: unknown) => this.#failed.reject(error));
    }
    const allReady = Promise.all([...this.#kept.values()].map(({ readyOnce }) => readyOnce.promise));
    await Promise.race([allReady, this.#failed.promise, this.#stopped.promise]);
    if (this.#stopping) {
      throw new Error('stopped before everything was ready');
    }
  }

  /** Starts at once what rests after a death, and replaces what no longer answers at all. */
  async repair(): Promise<void> {
    await Promise.all(
      [...this.#kept.values()].map(async (kept) => {
        const { part, state } = kept;
        if (part.kind !== 'process' || part.isReady === undefined || state.status !== 'ready') {
          kept.wake();
          return;
        }
        try {
          await within(part.isReady(), probeTimeoutMs);
        } catch {
          this.#listener.said(`${part.name} does not answer and is replaced`);
          kept.child?.kill();
        }
      }),
    );
  }

  /** Whether every part is ready or done. */
  isReady(): boolean {
    return [...this.#kept.values()].every(({ state }) => state.status === 'ready' || state.status === 'done');
  }

  /** Stops everything, kind after kind; each part within its own grace. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopped.resolve();
    this.#tasks.abort();
    for (const layer of [...layers].reverse()) {
      const members = [...this.#kept.values()].filter(({ part }) => part.layer === layer);
      await Promise.all(
        members.map(async (kept) => {
          kept.wake();
          await kept.child?.stop();
          await kept.loop;
          this.#set(kept, 'stopped', null);
        }),
      );
    }
  }

  /** Kills every process, in no order. */
  kill(): void {
    this.#stopping = true;
    this.#stopped.resolve();
    this.#tasks.abort();
    for (const { child } of this.#kept.values()) {
      child?.kill();
    }
  }

  async #keep(kept: Kept): Promise<void> {
    const needs = kept.part.needs.map((name) => this.#kept.get(name)?.readyOnce.promise);
    await Promise.race([Promise.all(needs), this.#stopped.promise]);
    if (this.#stopping) {
      return;
    }
    if (kept.part.kind === 'task') {
      await this.#runTask(kept, kept.part);
    } else {
      await this.#keepProcess(kept, kept.part);
    }
  }

  async #runTask(kept: Kept, part: TaskPart): Promise<void> {
    this.#set(kept, 'starting', null);
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
    this.#set(kept, 'done', null);
    kept.readyOnce.resolve();
  }

  async #keepProcess(kept: Kept, part: ProcessPart): Promise<void> {
    let wasReady = false;
    while (!this.#stopping) {
      const startedAt = performance.now();
      const reason = await this.#live(kept, part, () => {
        wasReady = true;
        kept.readyOnce.resolve();
      });
      kept.child = null;
      if (this.#stopping) {
        return;
      }
      kept.deaths = performance.now() - startedAt >= wellAfterMs ? 1 : kept.deaths + 1;
      if (!wasReady && kept.deaths >= earlyDeathsMax) {
        this.#set(kept, 'resting', null);
        throw new PartFailedError(part.name, reason, part.logFile, lastLines(part.logFile, 15));
      }
      kept.state.restarts += 1;
      const delayMs = this.restMs(kept.deaths);
      this.#listener.said(
        `${part.name} ${reason}; starting it again ${delayMs === 0 ? 'at once' : `in ${delayMs / 1000} s`}`,
      );
      if (delayMs > 0) {
        this.#set(kept, 'resting', null);
        await this.#rest(kept, delayMs);
      }
    }
  }

  /** One life of a process, from start to end; returns how it ended. */
  async #live(kept: Kept, part: ProcessPart, onReady: () => void): Promise<string> {
    this.#set(kept, 'starting', null);
    let child: RunningChild;
    try {
      child = await part.start();
    } catch (error) {
      return `did not start: ${reasonOf(error)}`;
    }
    kept.child = child;
    this.#set(kept, 'starting', identifyProcess(child.pid));
    if (this.#stopping) {
      await child.stop();
      return 'was stopped';
    }
    const end: { exit: ChildExit | null } = { exit: null };
    const exited = child.exited.then((exit) => {
      end.exit = exit;
    });
    const deadline = performance.now() + part.readyWithinMs;
    let ready = part.isReady === undefined;
    while (!ready && end.exit === null && !this.#stopping) {
      if (performance.now() >= deadline) {
        child.kill();
        await exited;
        return `was not ready within ${part.readyWithinMs / 1000} s`;
      }
      ready = await within(part.isReady?.() ?? Promise.resolve(true), probeTimeoutMs).catch(() => false);
      if (!ready) {
        await Promise.race([exited, this.#rest(kept, 50)]);
      }
    }
    if (ready && end.exit === null) {
      this.#set(kept, 'ready', kept.state.process);
      onReady();
    }
    await exited;
    return howItEnded(end.exit);
  }

  #rest(kept: Kept, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      kept.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #set(kept: Kept, status: PartStatus, process: ProcessIdentity | null): void {
    kept.state.status = status;
    kept.state.process = process;
    this.#listener.changed();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function howItEnded(exit: ChildExit | null): string {
  return exit?.signal ? `was ended by ${exit.signal}` : `ended with code ${exit?.code}`;
}

async function within<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
