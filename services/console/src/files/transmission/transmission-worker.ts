import { Injectable } from '@nestjs/common';
import { openTransmission, readTransmission } from '@pinkas/contracts';
import {
  type Transmission,
  type TransmissionCalls,
  TransmissionError,
  transmitUniform,
  UploadFailedError,
  UploadGoneError,
} from '@pinkas/exports';
import {
  acrossTenants,
  appendTrail,
  type BackgroundTask,
  type Clock,
  continuedContext,
  type Database,
  databaseNow,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  RpcClient,
  Tracing,
  withContext,
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { TransmissionFailure } from '../../db/export.tables.js';
import { attempted, type Claimed } from '../export/claimed-attempt.js';
import { type ExportRow, findExport } from '../export/export.repository.js';
import { ClaimLostError, ExportStoppedError, errorText } from '../export/export-errors.js';
import {
  claimMs,
  decisionMaxMs,
  decisionPauseMaxMs,
  decisionPauseMs,
  transmissionPausesMs,
} from '../export/export-policy.js';
import {
  type ClaimedTransmission,
  claimDueTransmissions,
  endTransmission,
  extendTransmissionClaim,
  nextDueTransmission,
  postponeTransmission,
  storeProgress,
} from './transmission.repository.js';
import { readUniformFiles } from './uniform-files.js';

/** The longest wait for a reply. */
const callTimeoutMs = 30_000;

/** The file of the export was deleted before it was transmitted. */
class FileDeletedError extends Error {
  override readonly name = 'FileDeletedError';
}

type Ended = Parameters<typeof endTransmission>[3];

/**
 * Transmits files of the uniform structure to the tax authority, one at a time in a process, and asks what it decided. What has
 * arrived there is in SQL: after a process has died another continues behind it.
 */
@Injectable()
export class TransmissionWorker implements BackgroundTask {
  readonly #worker: JobWorker<ClaimedTransmission>;
  readonly #stopping = new AbortController();

  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    tracing: Tracing,
  ) {
    const all = acrossTenants(db);
    this.#worker = new JobWorker({
      name: 'transmission-worker',
      concurrency: 1,
      claimMs,
      logger,
      tracing,
      nextDue: () => nextDueTransmission(all, clock),
      claim: (limit, now, until) => claimDueTransmissions(all, limit, now, until),
      run: (job) => this.#run(job),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** Looks for due transmissions now. */
  trigger(): void {
    this.#worker.trigger();
  }

  /** Ends the transmission that runs, and leaves it due. */
  async stop(): Promise<void> {
    this.#stopping.abort(new ExportStoppedError());
    await this.#worker.stop();
  }

  /** Never rejects: what could not be stored is attempted again when the claim expires. */
  async #run(job: ClaimedTransmission): Promise<void> {
    const db = forTenant(this.db, job.business_id);
    try {
      const made = await findExport(db, job.business_id, job.export_id);
      if (!made) {
        throw new Error('the export of a transmission is missing');
      }
      await this.#attempt(db, job, made).catch((error: unknown) => this.#fail(db, job, made, error));
    } catch (error) {
      this.logger.warn({ ...fieldsOf(job), err: error }, 'transmission outcome not stored');
    }
  }

  /** @throws the reason of whatever ended it. */
  async #attempt(db: Database<ConsoleTables>, job: ClaimedTransmission, made: ExportRow): Promise<void> {
    const sent = new Map<string, number>();
    const extend = async () => {
      const now = await databaseNow(db, this.clock);
      return extendTransmissionClaim(db, job, new Date(now.getTime() + claimMs), sumOf(sent));
    };
    const claimed: Claimed = {
      ...{ name: 'transmission', fields: fieldsOf(job), logger: this.logger },
      ...{ stopping: this.#stopping.signal, extend },
    };
    const done = await attempted(claimed, async ({ folder, signal }) => {
      const begun = await this.#begun(job, made, folder);
      for (const { name, bytes, uploaded } of begun.files) {
        sent.set(name, uploaded ? bytes : 0);
      }
      const calls = this.#callsOf(job, made);
      return transmitUniform(calls, begun, {
        signal,
        // The job is due again instead.
        statusPausesMs: [],
        onProgress: (name, bytes) => sent.set(name, bytes),
        store: async (current) => {
          signal.throwIfAborted();
          if (!(await storeProgress(db, job, current, await databaseNow(db, this.clock)))) {
            throw new ClaimLostError();
          }
        },
      });
    });
    await extend();
    await this.#settle(db, job, made, done);
  }

  /** What an earlier attempt has left, and the files that are still to be sent. */
  async #begun(job: ClaimedTransmission, made: ExportRow, folder: string): Promise<Transmission> {
    const { business_id, export_id, progress } = job;
    const begun = progress ?? {
      ...{ business_id, from: made.first_date, to: made.last_date },
      ...{ state: 'written' as const, id: null, files: [] },
    };
    if (begun.state === 'written' || begun.state === 'opened') {
      const key = { businessId: business_id, exportId: export_id };
      if ((await readUniformFiles(this.db, key, folder)) === null) {
        throw new FileDeletedError('the file of the export is not kept any more');
      }
    }
    return { ...begun, folder };
  }

  #callsOf(job: ClaimedTransmission, made: ExportRow): TransmissionCalls {
    const { business_id, person_id } = job;
    const call: RpcClient['call'] = (contract, request) =>
      withContext(continuedContext(callTimeoutMs), () => this.rpc.call(contract, request));
    const period = { from: made.first_date, to: made.last_date };
    return {
      open: (taxId) => call(openTransmission, { business_id, person_id, tax_id: taxId, ...period }),
      read: (files) =>
        call(readTransmission, { business_id, files: files.map(({ id, name }) => ({ id, name })) }),
    };
  }

  /** Stores what became of an attempt that has succeeded. */
  async #settle(
    db: Database<ConsoleTables>,
    job: ClaimedTransmission,
    made: ExportRow,
    { state, files }: Transmission,
  ): Promise<void> {
    const now = await databaseNow(db, this.clock);
    if (state === 'approved' || state === 'not_required') {
      await this.#end(db, job, made, { state, failure: null, error: null });
      return;
    }
    if (state === 'rejected') {
      const reasons = files.flatMap(({ description }) => description ?? []).join('; ');
      await this.#end(db, job, made, { state, failure: null, error: reasons || null });
      return;
    }
    const passedMs = now.getTime() - (job.uploaded_at ?? now).getTime();
    if (passedMs > decisionMaxMs) {
      await this.#end(db, job, made, { state: 'undecided', failure: null, error: null });
      return;
    }
    const pauseMs = Math.min(decisionPauseMaxMs, Math.max(decisionPauseMs, passedMs / 2));
    const dueAt = new Date(now.getTime() + pauseMs);
    await postponeTransmission(db, job, dueAt, { attempts: 0, error: null });
  }

  /** Stores what becomes of a transmission whose attempt has failed. */
  async #fail(
    db: Database<ConsoleTables>,
    job: ClaimedTransmission,
    made: ExportRow,
    error: unknown,
  ): Promise<void> {
    const fields = fieldsOf(job);
    if (error instanceof ClaimLostError) {
      this.logger.warn(fields, 'transmission claim lost');
      return;
    }
    const now = await databaseNow(db, this.clock);
    if (error instanceof ExportStoppedError) {
      await postponeTransmission(db, job, now, { attempts: job.attempts - 1, error: job.error });
      this.logger.info(fields, 'transmission interrupted');
      return;
    }
    const { failure, text } = failureOf(error);
    const pauseMs = isPassing(failure) ? transmissionPausesMs[job.attempts - 1] : undefined;
    if (pauseMs === undefined) {
      await this.#end(db, job, made, { state: 'failed', failure, error: text });
      return;
    }
    const dueAt = new Date(now.getTime() + pauseMs);
    await postponeTransmission(db, job, dueAt, { attempts: job.attempts, error: text });
    this.logger.warn({ ...fields, failure, err: error }, 'transmission attempt failed');
  }

  /** Ends a transmission, and records the outcome in the trail. */
  async #end(
    db: Database<ConsoleTables>,
    job: ClaimedTransmission,
    made: ExportRow,
    outcome: Ended,
  ): Promise<void> {
    const now = await databaseNow(db, this.clock);
    await db.transaction().execute(async (trx) => {
      if (!(await endTransmission(trx, job, now, outcome))) {
        throw new ClaimLostError();
      }
      await appendTrail(trx, {
        business_id: job.business_id,
        action: 'transmission.end',
        subject: job.export_id,
        actor: 'service:console',
        before: null,
        after: {
          from: made.first_date,
          to: made.last_date,
          outcome: outcome.state,
          reason: outcome.error,
        },
      });
    });
    const { state, failure } = outcome;
    this.logger.info({ ...fieldsOf(job), state, failure }, 'transmission ended');
  }
}

const fieldsOf = ({ business_id, export_id, attempts }: ClaimedTransmission) => ({
  ...{ business_id, export_id, attempt: attempts },
});

const sumOf = (sent: ReadonlyMap<string, number>): number =>
  [...sent.values()].reduce((sum, bytes) => sum + bytes, 0);

/** Whether another attempt may succeed without a person. */
const isPassing = (failure: TransmissionFailure): boolean =>
  failure === 'unavailable' || failure === 'refused';

function failureOf(error: unknown): { readonly failure: TransmissionFailure; readonly text: string } {
  if (error instanceof TransmissionError) {
    return { failure: error.problem ?? 'refused', text: error.message };
  }
  if (error instanceof FileDeletedError) {
    return { failure: 'deleted', text: error.message };
  }
  const isUpload = error instanceof UploadFailedError || error instanceof UploadGoneError;
  return { failure: 'unavailable', text: isUpload ? error.message : errorText(error) };
}
