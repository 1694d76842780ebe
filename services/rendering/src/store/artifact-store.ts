import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Check, timeLimitsMs } from '@pinkas/contracts';
import {
  ApiError,
  type BackgroundTask,
  type Histogram,
  InjectConfig,
  InjectLogger,
  inSpan,
  type Logger,
  Metrics,
  remainingMs,
  SpanKind,
} from '@pinkas/service-kit';
import { timeoutSignal } from '@pinkas/service-kit/concurrency';
import { Diagnosis, failure, ok } from '@pinkas/service-kit/diagnosis';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from '../circuit-breaker.js';
import type { RenderingConfig, StoreAddress } from '../config.js';
import { BodyError } from './body-error.js';
import type { ListedObject, S3Bucket } from './s3-bucket.js';

const circuitRules: CircuitRules = { failuresMax: 5, pauseMs: 1_000, pauseMaxMs: 10_000 };
/** How often a file is read whose bytes do not arrive, or are others. */
const readsMax = 2;
/** A request that had less time than this proves nothing when it runs out. */
const healthyMs = 1_000;
const checkMs = 1_000;
/** Files of the check are below it: behind every day, so that none is taken for a PDF without a row. */
const checkFolder = 'readiness';
const checkBytes = Buffer.from('What issuing needs of an object store.');

type StoreOperation = 'put' | 'get' | 'remove' | 'list';
/** Rights apart: a store may be read that refuses to be written. */
type Side = 'write' | 'read';
const sideOf = { put: 'write', remove: 'write', get: 'read', list: 'read' } as const;

/**
 * The object store, where one is configured. Each request has a bound, and none is made for some seconds after several failed in a row:
 * what will fail locks no series and holds no connection to the database.
 */
@Injectable()
export class ArtifactStore implements BackgroundTask {
  #bucket: Promise<S3Bucket> | undefined;
  readonly #circuits: Record<Side, CircuitState> = { write: closedCircuit, read: closedCircuit };
  readonly #probed = new Set<Side>();
  #hasAnswered = false;
  readonly #durations: Histogram<'operation' | 'outcome'>;

  constructor(
    @InjectConfig() private readonly config: RenderingConfig,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
    diagnosis: Diagnosis,
  ) {
    this.#durations = metrics.histogram(
      'pinkas_artifact_store_duration_seconds',
      'Duration of the requests to the object store, repetitions included, by operation and outcome.',
      ['operation', 'outcome'],
    );
    metrics.gauge(
      'pinkas_artifact_store_circuit_open',
      '1 while nothing is requested of the object store because it failed several times in a row, else 0.',
      async () => Number(this.#isOpen('write') || this.#isOpen('read')),
    );
    diagnosis.add('store', async () => (this.isConfigured ? [await this.#diagnose()] : []));
  }

  /** Whether there is one. */
  get isConfigured(): boolean {
    return this.config.artifactStore !== null;
  }

  /** Whether new files go there, and files that no row names are deleted. */
  get isWritten(): boolean {
    return this.config.artifactStore?.readOnly === false;
  }

  start(): void {}

  /** Requests in flight still need it, and idle connections keep no process alive. */
  async stop(): Promise<void> {}

  /** Until it has done once what issuing needs it is asked each time: a wrong address or right shows before the first document. */
  async ready(): Promise<string | null> {
    const write = !this.#hasAnswered || this.#isOpen('write');
    const read = !this.#hasAnswered || this.#isOpen('read');
    if (!this.isConfigured || !(write || read)) {
      return null;
    }
    return this.#check({ write, read }).then(
      () => null,
      (error: Error) => ((error.cause as Error | undefined) ?? error).message,
    );
  }

  /** Puts, gets and removes a file of its own where new files go there, and lists. @throws ApiError `engine_error`. */
  async #check({ write, read }: Readonly<Record<Side, boolean>>): Promise<void> {
    if (write && this.isWritten) {
      const key = `${checkFolder}/${randomUUID()}`;
      await this.#request('put', checkMs, async (bucket, signal) => {
        await bucket.put(key, checkBytes, createHash('sha256').update(checkBytes).digest(), signal);
        const bytes = await bucket.get(key, checkBytes.length, signal);
        if (!bytes?.equals(checkBytes)) {
          throw new Error('it does not return what it has stored');
        }
        await bucket.remove(key, signal);
      });
    }
    if (read) {
      await this.#request('list', checkMs, (bucket, signal) => bucket.list('', signal, 1));
    }
    this.#hasAnswered = true;
  }

  async #diagnose(): Promise<Check> {
    const { bucket, prefix } = this.config.artifactStore ?? { bucket: '', prefix: '' };
    const subject = `object store ${bucket}/${prefix}`;
    return this.#check({ write: true, read: true }).then(
      () => ok('store', subject, this.isWritten ? 'stores, reads, lists and deletes' : 'lists (readonly)'),
      (error: Error) =>
        failure(
          'store',
          subject,
          ((error.cause as Error | undefined) ?? error).message,
          'Correct the address, the rights or the store: docs/runbooks/object-store.md',
        ),
    );
  }

  #isOpen(side: Side): boolean {
    return this.#circuits[side].kind === 'open';
  }

  /** Stores a file. @throws ApiError `engine_error`. */
  async put(key: string, bytes: Buffer, sha256: Buffer): Promise<void> {
    await this.#request('put', timeLimitsMs.objectStore, (bucket, signal) =>
      bucket.put(key, bytes, sha256, signal),
    );
  }

  /**
   * Reads a file, once more where its bytes do not arrive or do not have the hash.
   * @returns null where it is not there; else what was read, which may be something else.
   * @throws ApiError `engine_error`.
   */
  async get(key: string, file: { size_bytes: number; sha256: Buffer }): Promise<Buffer | null> {
    return this.#request('get', timeLimitsMs.objectStore, async (bucket, signal) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const bytes = await bucket.get(key, file.size_bytes, signal);
          if (bytes === null || attempt === readsMax || hasHash(bytes, file.sha256)) {
            return bytes;
          }
        } catch (error) {
          if (!(error instanceof BodyError) || attempt === readsMax || signal.aborted) {
            throw error;
          }
        }
      }
    });
  }

  /** @throws ApiError `engine_error`. */
  async remove(key: string): Promise<void> {
    await this.#request('remove', timeLimitsMs.objectStore, (bucket, signal) => bucket.remove(key, signal));
  }

  /** The next thousand files behind a key. @throws ApiError `engine_error`. */
  async list(after: string): Promise<ListedObject[]> {
    return this.#request('list', timeLimitsMs.objectStore, (bucket, signal) => bucket.list(after, signal));
  }

  async #request<T>(
    operation: StoreOperation,
    limitMs: number,
    work: (bucket: S3Bucket, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const address = this.config.artifactStore;
    if (address === null) {
      const cause = new Error('ARTIFACT_STORE is not set, and the file is in an object store');
      throw new ApiError('engine_error', { cause });
    }
    const side = sideOf[operation];
    const isProbe = this.#enter(side);
    const timeoutMs = Math.max(1, remainingMs(limitMs));
    const signal = timeoutSignal(timeoutMs);
    const started = performance.now();
    const observe = (outcome: string) =>
      this.#durations.observe({ operation, outcome }, (performance.now() - started) / 1_000);
    try {
      const result = await inSpan(`object store ${operation}`, { kind: SpanKind.CLIENT }, async () =>
        work(await this.#open(address), signal),
      );
      observe('ok');
      this.#close(side);
      return result;
    } catch (error) {
      observe('failed');
      // The SDK adds all of its answer to an error, which is not for the log.
      const { name, message } = error as Error;
      const reason = signal.aborted ? `no answer within ${timeoutMs} ms` : `${name}: ${message}`;
      const cause = new Error(`the object store failed at ${operation}: ${reason}`);
      if (!signal.aborted || timeoutMs >= Math.min(healthyMs, limitMs)) {
        this.#recordFailure(side, cause, isProbe);
      }
      throw new ApiError('engine_error', { cause });
    } finally {
      if (isProbe) {
        this.#probed.delete(side);
      }
    }
  }

  #open(address: StoreAddress): Promise<S3Bucket> {
    this.#bucket ??= import('./s3-bucket.js').then(
      ({ S3Bucket }) => new S3Bucket(address),
      (error: unknown) => {
        // The next request imports it again.
        this.#bucket = undefined;
        throw error;
      },
    );
    return this.#bucket;
  }

  /** @returns whether it is the one request that finds out whether an open circuit can be closed. */
  #enter(side: Side): boolean {
    const circuit = this.#circuits[side];
    if (circuit.kind === 'closed') {
      return false;
    }
    if (this.#probed.has(side) || Date.now() < circuit.probeAtMs) {
      const cause = new Error('the object store failed several times in a row: its circuit is open');
      throw new ApiError('engine_error', { cause });
    }
    this.#probed.add(side);
    return true;
  }

  #recordFailure(side: Side, error: Error, isProbe: boolean): void {
    const before = this.#circuits[side];
    this.#circuits[side] = (isProbe ? afterFailedProbe : afterFailure)(before, circuitRules, Date.now());
    if (this.#isOpen(side) && before.kind === 'closed') {
      this.logger.error({ err: error }, 'object store circuit opened');
    } else {
      this.logger.warn({ err: error }, 'object store request failed');
    }
  }

  #close(side: Side): void {
    if (this.#isOpen(side)) {
      this.logger.info({ side }, 'object store circuit closed');
    }
    this.#circuits[side] = closedCircuit;
  }
}

const hasHash = (bytes: Buffer, sha256: Buffer) => createHash('sha256').update(bytes).digest().equals(sha256);
