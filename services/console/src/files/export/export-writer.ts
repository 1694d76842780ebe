import { open } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { type Call, recordExport, showBusiness } from '@pinkas/contracts';
import { testBook } from '@pinkas/domain';
import { describeSoftware, newPrimaryId, type SingleFile, writeSingleFile } from '@pinkas/exports';
import {
  type Clock,
  continuedContext,
  type Database,
  databaseNow,
  InjectClock,
  InjectConfig,
  InjectLogger,
  type Logger,
  RpcClient,
  withContext,
} from '@pinkas/service-kit';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { countDocuments, countSelected } from './count-documents.js';
import { type ClaimedExport, finish, markRecorded, setTotal } from './export.repository.js';
import { deleteChunks, insertChunk } from './export-chunk.repository.js';
import { ClaimLostError, ExportsFullError, NotAllowedError } from './export-errors.js';
import { chunkBytes, gib, missingPdfsMax, packageRetentionMs, retentionMs } from './export-policy.js';
import { sendSelected } from './send-selected.js';
import { writeReport } from './write-report.js';

/** The longest wait for a reply. */
const callTimeoutMs = 30_000;

/** Where an attempt writes, and what ends it. */
interface ExportAttempt {
  /** An empty folder, which the caller removes. */
  readonly folder: string;
  /** Its reason is what the attempt fails with. */
  readonly signal: AbortSignal;
  /** Called with the number of documents that were read. */
  readonly onDocuments: (count: number) => void;
}

/** One attempt: records the export in the trail, writes its file into a folder, then stores it in chunks. */
@Injectable()
export class ExportWriter {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig()
    private readonly config: Pick<
      ConsoleConfig,
      'accountingSoftwareNumber' | 'softwareVendorTaxId' | 'softwareVendorName' | 'exportsMaxGib'
    >,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** @param db in the scope of the business. */
  async write(db: Database<ConsoleTables>, job: ClaimedExport, attempt: ExportAttempt): Promise<void> {
    if (job.format === 'email' && !(await mayIssue(db, job))) {
      throw new NotAllowedError();
    }
    const call = this.#callOf(attempt.signal);
    // Before anything is read: an export that is not in the trail must not exist.
    await this.#record(db, job, call);
    await setTotal(db, job, await this.#total(job, call));
    const file = await this.#file(job, call, attempt);
    const sizeBytes = await this.#store(db, job, file, attempt.signal);
    const now = await databaseNow(db, this.clock);
    const { name, mediaType, documents, missingPdfs, vatDetail = null, runReport = null } = file;
    const stored = {
      ...{ name, mediaType, sizeBytes, documents },
      missingPdfCount: missingPdfs.length,
      missingPdfs: missingPdfs.slice(0, missingPdfsMax),
      vatDetail,
      runReport,
    };
    const keptMs = job.package_month === null ? retentionMs : packageRetentionMs;
    if (!(await finish(db, job, stored, now, new Date(now.getTime() + keptMs)))) {
      throw new ClaimLostError();
    }
  }

  /** Calls with a time limit of their own, each; at the signal they end at once. */
  #callOf(signal: AbortSignal): Call {
    return async (contract, request) => {
      signal.throwIfAborted();
      const reply = withContext(continuedContext(callTimeoutMs), () => this.rpc.call(contract, request));
      return unlessAborted(reply, signal);
    };
  }

  async #record(db: Database<ConsoleTables>, job: ClaimedExport, call: Call): Promise<void> {
    if (job.recorded_at !== null) {
      return;
    }
    const { business_id, person_id, format, selection, first_date: from, last_date: to } = job;
    // Each message is in the trail of delivery.
    if (format !== 'email') {
      const filter = selection ? { filter: JSON.stringify(selection).slice(0, 1_000) } : {};
      await call(recordExport, { business_id, person_id, format, from, to, ...filter });
    }
    await markRecorded(db, job, await databaseNow(db, this.clock));
  }

  /** Progress is shown without a total where it cannot be counted. */
  async #total(job: ClaimedExport, call: Call): Promise<number | null> {
    const { business_id, book_id, selection, first_date, last_date } = job;
    try {
      if (selection) {
        return await countSelected(call, book_id ?? business_id, selection);
      }
      return await countDocuments(call, { businessId: business_id, from: first_date, to: last_date });
    } catch (error) {
      this.logger.warn({ business_id, err: error }, 'export total unknown');
      return null;
    }
  }

  async #file(
    job: ClaimedExport,
    call: Call,
    { folder, signal, onDocuments }: ExportAttempt,
  ): Promise<SingleFile> {
    const { business_id, book_id, format, selection, charset, first_date: from, last_date: to } = job;
    if (format === 'email') {
      return sendSelected(call, job, folder, onDocuments);
    }
    const {
      business: live,
      view_url_base: viewUrlBase,
      pdf_url_base: pdfUrlBase,
    } = await call(showBusiness, { business_id });
    const { accountingSoftwareNumber, softwareVendorTaxId, softwareVendorName } = this.config;
    const business = book_id === null ? live : testBook(live);
    const settings = {
      registration: String(accountingSoftwareNumber),
      vendorTaxId: softwareVendorTaxId,
      vendorName: softwareVendorName,
    };
    if (format === 'report') {
      return writeReport(call, business, { from, months: job.package_months, folder, now: this.clock.now() });
    }
    const request = {
      ...{ business, format, from, to, signal },
      selection: selection ?? undefined,
      urls: { viewUrlBase, pdfUrlBase },
      charset: charset ?? 'iso-8859-8',
      drive: job.drive,
      out: folder,
      software: describeSoftware(settings, business),
      startedAt: this.clock.now(),
      primaryId: newPrimaryId(),
    };
    return writeSingleFile(call, request, onDocuments);
  }

  /** @returns the number of bytes. */
  async #store(
    db: Database<ConsoleTables>,
    job: ClaimedExport,
    { path }: SingleFile,
    signal: AbortSignal,
  ): Promise<number> {
    await deleteChunks(db, job);
    const maxBytes = this.config.exportsMaxGib * gib;
    const handle = await open(path);
    try {
      const buffer = Buffer.allocUnsafe(chunkBytes);
      let stored = 0;
      for (let position = 0; ; position += 1) {
        signal.throwIfAborted();
        const { bytesRead } = await handle.read(buffer, 0, chunkBytes, stored);
        if (bytesRead === 0) {
          return stored;
        }
        const outcome = await insertChunk(db, job, position, buffer.subarray(0, bytesRead), maxBytes);
        if (outcome !== 'stored') {
          throw outcome === 'full' ? new ExportsFullError() : new ClaimLostError();
        }
        stored += bytesRead;
      }
    } finally {
      await handle.close();
    }
  }
}

/** Awaits a reply, at most until the signal. @throws the reason of the signal. */
async function unlessAborted<T>(reply: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([reply, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    // It is awaited no longer, and its failure must not end the process.
    reply.catch(() => {});
  }
}

/** Whether the person who confirmed it may still send documents of the business: it may have waited for hours. */
async function mayIssue(
  db: Database<ConsoleTables>,
  { business_id, person_id }: ClaimedExport,
): Promise<boolean> {
  const membership = await db
    .selectFrom('membership')
    .select('role')
    .where('business_id', '=', business_id)
    .where('person_id', '=', person_id)
    .executeTakeFirst();
  return membership !== undefined && membership.role !== 'bookkeeper';
}
