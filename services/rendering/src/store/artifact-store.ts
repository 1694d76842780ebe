import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { timeLimitsMs } from '@pinkas/contracts';
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

type StoreOperation = 'put' | 'get' | 'remove' | 'list';

/**
 * The object store, where one is configured. Each request has a bound, and none is made for some seconds after several failed in a row:
 * what will fail locks no series and holds no connection to the database.
 */
@Injectable()
export class ArtifactStore implements BackgroundTask {
  #bucket: Promise<S3Bucket> | undefined;
  #circuit: CircuitState = closedCircuit;
  #isProbed = false;
  #hasAnswered = false;
  readonly #durations: Histogram<'operation' | 'outcome'>;

  constructor(
    @InjectConfig() private readonly config: RenderingConfig,
    @InjectLogger() private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.#durations = metrics.histogram(
      'pinkas_artifact_store_duration_seconds',
      'Duration of the requests to the object store, repetitions included, by operation and outcome.',
      ['operation', 'outcome'],
    );
    metrics.gauge(
      'pinkas_artifact_store_circuit_open',
      '1 while nothing is requested of the object store because it failed several times in a row, else 0.',
      async () => Number(this.#circuit.kind === 'open'),
    );
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

  /** Until it has answered once it is asked each time: a wrong address or right shows before the first document. */
  async ready(): Promise<string | null> {
    if (!this.isConfigured || (this.#hasAnswered && this.#circuit.kind === 'closed')) {
      return null;
    }
    return this.#request('list', checkMs, (bucket, signal) => bucket.list('', signal, 1)).then(
      () => null,
      (error: Error) => ((error.cause as Error | undefined) ?? error).message,
    );
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
    const isProbe = this.#enter();
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
      this.#close();
      return result;
    } catch (error) {
      observe('failed');
      // The SDK adds all of its answer to an error, which is not for the log.
      const { name, message } = error as Error;
      const reason = signal.aborted ? `no answer within ${timeoutMs} ms` : `${name}: ${message}`;
      const cause = new Error(`the object store failed at ${operation}: ${reason}`);
      if (!signal.aborted || timeoutMs >= Math.min(healthyMs, limitMs)) {
        this.#recordFailure(cause, isProbe);
      }
      throw new ApiError('engine_error', { cause });
    } finally {
      if (isProbe) {
        this.#isProbed = false;
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
  #enter(): boolean {
    if (this.#circuit.kind === 'closed') {
      return false;
    }
    if (this.#isProbed || Date.now() < this.#circuit.probeAtMs) {
      const cause = new Error('the object store failed several times in a row: its circuit is open');
      throw new ApiError('engine_error', { cause });
    }
    this.#isProbed = true;
    return true;
  }

  #recordFailure(error: Error, isProbe: boolean): void {
    const before = this.#circuit;
    this.#circuit = (isProbe ? afterFailedProbe : afterFailure)(before, circuitRules, Date.now());
    if (this.#circuit.kind === 'open' && before.kind === 'closed') {
      this.logger.error({ err: error }, 'object store circuit opened');
    } else {
      this.logger.warn({ err: error }, 'object store request failed');
    }
  }

  #close(): void {
    if (this.#circuit.kind === 'open') {
      this.logger.info('object store circuit closed');
    }
    this.#circuit = closedCircuit;
    this.#hasAnswered = true;
  }
}

const hasHash = (bytes: Buffer, sha256: Buffer) => createHash('sha256').update(bytes).digest().equals(sha256);
