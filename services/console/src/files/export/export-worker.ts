import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ExportRefusedError } from '@pinkas/exports';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  databaseNow,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  Tracing,
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { ExportFailure } from '../../db/export.tables.js';
import { attempted, type Claimed, folderPrefix, removeFolder } from './claimed-attempt.js';
import {
  type ClaimedExport,
  claimDue,
  extendClaim,
  fail,
  failAbandoned,
  nextDueExport,
  postpone,
} from './export.repository.js';
import {
  ClaimLostError,
  ExportStoppedError,
  ExportsFullError,
  ExportTimeoutError,
  ExportTooLargeError,
  errorText,
  NotAllowedError,
} from './export-errors.js';
import { ExportMetrics } from './export-metrics.js';
import { attemptMaxMs, attemptsMax, claimMs, folderMaxBytes, pausesMs } from './export-policy.js';
import { ExportWriter } from './export-writer.js';

/** No attempt takes as long: the folder is of a process that died. */
const folderAgeMaxMs = 24 * 60 * 60 * 1_000;

/**
 * Makes the exports that people request, one at a time in a process. A claim is extended while the attempt runs; that of a process
 * that died expires, and another attempt begins from the start.
 */
@Injectable()
export class ExportWorker implements BackgroundTask {
  readonly #worker: JobWorker<ClaimedExport>;
  readonly #stopping = new AbortController();

  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly writer: ExportWriter,
    private readonly metrics: ExportMetrics,
    tracing: Tracing,
  ) {
    const all = acrossTenants(db);
    this.#worker = new JobWorker({
      name: 'export-worker',
      concurrency: 1,
      claimMs,
      logger,
      tracing,
      nextDue: () => nextDueExport(all, clock),
      claim: async (limit, now, until) => {
        await this.#failAbandoned(all, now);
        return claimDue(all, limit, now, until);
      },
      run: (job) => this.#run(job),
    });
  }

  async start(): Promise<void> {
    await this.#removeOldFolders();
    this.#worker.start();
  }

  /** Looks for due exports now. */
  trigger(): void {
    this.#worker.trigger();
  }

  /** Ends the export that runs, and leaves it due. */
  async stop(): Promise<void> {
    this.#stopping.abort(new ExportStoppedError());
    await this.#worker.stop();
  }

  async #failAbandoned(all: Database<ConsoleTables>, now: Date): Promise<void> {
    const failed = await failAbandoned(all, now, 'unavailable', 'the process of the last attempt died');
    this.metrics.countAttempt('failed', failed.length);
    for (const { business_id, id } of failed) {
      this.logger.error({ business_id, export_id: id }, 'export abandoned');
    }
  }

  /** Never rejects: what could not be stored is attempted again when the claim expires. */
  async #run(job: ClaimedExport): Promise<void> {
    const db = forTenant(this.db, job.business_id);
    const fields = { business_id: job.business_id, export_id: job.id, attempt: job.attempts };
    try {
      await this.#attempt(db, job);
      this.metrics.countAttempt('done');
      this.logger.info({ ...fields, format: job.format }, 'export done');
    } catch (error) {
      await this.#end(db, job, error).catch((cause: unknown) =>
        this.logger.warn({ ...fields, err: cause }, 'export outcome not stored'),
      );
    }
  }

  /** @throws the reason of whatever ended it. */
  async #attempt(db: Database<ConsoleTables>, job: ClaimedExport): Promise<void> {
    let documents = 0;
    let timeout: NodeJS.Timeout | undefined;
    const claimed: Claimed = {
      ...{ name: 'export', fields: { business_id: job.business_id, export_id: job.id }, logger: this.logger },
      stopping: this.#stopping.signal,
      extend: async ({ folder, end }) => {
        if ((await sizeOf(folder)) > folderMaxBytes) {
          end(new ExportTooLargeError(folderMaxBytes));
        }
        const now = await databaseNow(db, this.clock);
        return extendClaim(db, job, new Date(now.getTime() + claimMs), documents);
      },
    };
    await attempted(claimed, async ({ folder, signal, end }) => {
      timeout = setTimeout(() => end(new ExportTimeoutError(attemptMaxMs)), attemptMaxMs);
      const onDocuments = (count: number) => {
        documents = count;
      };
      await this.writer.write(db, job, { folder, signal, onDocuments });
    }).finally(() => clearTimeout(timeout));
  }

  /** Stores what becomes of an export whose attempt has failed. */
  async #end(db: Database<ConsoleTables>, job: ClaimedExport, error: unknown): Promise<void> {
    const fields = { business_id: job.business_id, export_id: job.id, attempt: job.attempts };
    if (error instanceof ClaimLostError) {
      this.logger.warn(fields, 'export claim lost');
      return;
    }
    const now = await databaseNow(db, this.clock);
    if (error instanceof ExportStoppedError) {
      await postpone(db, job, now, { counts: false, error: null });
      this.logger.info(fields, 'export interrupted');
      return;
    }
    const text = errorText(error);
    const failure = failureOf(error, job.attempts);
    this.metrics.countAttempt(failure === null ? 'pending' : 'failed');
    if (failure === null) {
      const pauseMs = pausesMs[job.attempts - 1] ?? 0;
      await postpone(db, job, new Date(now.getTime() + pauseMs), { counts: true, error: text });
      this.logger.warn({ ...fields, err: error }, 'export attempt failed');
      return;
    }
    await fail(db, job, now, failure, text);
    // What the person can change wakes no one.
    this.logger[failure === 'unavailable' || failure === 'full' ? 'error' : 'info'](
      { ...fields, failure, err: error },
      'export failed',
    );
  }

  async #removeOldFolders(): Promise<void> {
    const oldest = Date.now() - folderAgeMaxMs;
    const names = await readdir(tmpdir()).catch((): string[] => []);
    for (const name of names.filter((found) => found.startsWith(folderPrefix))) {
      const path = join(tmpdir(), name);
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < oldest) {
        await removeFolder(path, this.logger);
      }
    }
  }
}

/** Why the export ends; null: it is attempted again. */
function failureOf(error: unknown, attempts: number): ExportFailure | null {
  if (error instanceof ExportRefusedError && error.reason === 'no_tax_id') {
    return 'no_tax_id';
  }
  if (error instanceof ExportTooLargeError) {
    return 'too_large';
  }
  if (error instanceof ExportsFullError) {
    return 'full';
  }
  if (error instanceof NotAllowedError) {
    return 'not_allowed';
  }
  return attempts < attemptsMax ? null : 'unavailable';
}

/** The bytes of all files below a folder; those that vanish do not count. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
