import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type BookEntry,
  type Business,
  getArtifact,
  getBookEnd,
  printReport,
  type RequestOf,
  readBook,
  recordExport,
  showBusiness,
  summarizeDocuments,
} from '@pinkas/contracts';
import { ApiError, type Database, kitTokens } from '@pinkas/service-kit';
import {
  eventually,
  exampleBusiness,
  exampleDocument,
  ServiceUnderTest,
  startServiceUnderTest,
} from '@pinkas/testkit';
import { openPromise } from 'yauzl';
import type { ConsoleConfig } from '../src/config.js';
import type { ConsoleTables } from '../src/db/console.tables.js';
import { migrations } from '../src/db/migrations.js';
import type { ExportRow } from '../src/files/export/export.repository.js';
import { ExportWorker } from '../src/files/export/export-worker.js';
import { type ExportRequest, readExportFile, requestExport } from '../src/files/export/exports.js';
import { ExportModule, exportTasks } from '../src/files/export.module.js';

/** An entry of a book. */
export function bookEntry(number: number, business: Business): BookEntry {
  return {
    document: exampleDocument({ number, business_id: business.id }),
    state: { status: 'open', paid: 0, allocation_number: '123456789', cancelled_at: null },
    allocation: { status: 'issued', number: '123456789', reason: null },
    delivery: { status: 'queued', channel: 'email', scheduled_for: null },
    artifact_sha256: 'ab'.repeat(32),
    hash: 'cd'.repeat(32),
    series_position: 1,
    source: null,
    received: 0,
    invoiced: false,
    credited: null,
  };
}

/** A page of the book has this number of documents. */
const pageDocuments = 5;

/** How much the exports of all businesses may take. */
const exportsMaxGib = 1;

/** Exports of the console, with a book that the test answers for. */
export class ExportsUnderTest extends ServiceUnderTest<ConsoleTables, ConsoleConfig> {
  business: Business = exampleBusiness({ tax_id: '777777723' });
  readonly book: BookEntry[] = Array.from({ length: 12 }, (_, index) => bookEntry(index + 1, this.business));
  /** The database as the service has it: without a scope. */
  readonly own: Database<ConsoleTables> = this.service.app.get(kitTokens.database);
  readonly #folders: string[] = [];
  /** What the trail of issuing was given. */
  readonly recorded: RequestOf<typeof recordExport>[] = [];
  /** The documents without a stored PDF. */
  readonly withoutPdf = new Set<string>();
  /** Called before each page of the book; a test waits or throws in it. */
  readonly beforePage: { run: () => Promise<void> | void } = { run: () => {} };

  request(change: Partial<ExportRequest> = {}): Promise<string> {
    const request: ExportRequest = {
      businessId: this.business.id,
      personId: '00000000-0000-4000-8000-000000000001',
      format: 'uniform',
      from: '2026-01-01',
      to: '2026-12-31',
      ...change,
    };
    return requestExport(this.own, request, this.clock.now, exportsMaxGib * 1024 ** 3);
  }

  row(id: string): Promise<ExportRow> {
    return this.database.db
      .selectFrom('export_job')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  }

  /** Waits until an export has ended. */
  ended(id: string): Promise<ExportRow> {
    return eventually('the export has ended', async () => {
      const row = await this.row(id);
      return row.ended_at !== null && row;
    });
  }

  /** The file of a finished export. */
  async bytes(id: string): Promise<Buffer> {
    const file = await readExportFile(this.own, this.business.id, id);
    if (!file) {
      throw new Error('the export has no file');
    }
    const chunks: Buffer[] = [];
    for await (const chunk of file.chunks) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The files of a zip, in a folder that is deleted at the end. */
  async unzip(bytes: Buffer): ReturnType<typeof unzipped> {
    const zip = await unzipped(bytes);
    this.#folders.push(zip.folder);
    return zip;
  }

  chunksOf(id: string) {
    return this.database.db
      .selectFrom('export_chunk')
      .select(['position', 'bytes'])
      .where('export_id', '=', id)
      .orderBy('position')
      .execute();
  }

  /** Holds every page of the book until it is called. */
  holdBook(): () => void {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.beforePage.run = () => held;
    return release;
  }

  /** Waits until an export runs. */
  running(id: string) {
    return eventually('the export runs', async () => (await this.row(id)).state === 'running');
  }

  /** After a test: its exports have ended. */
  async settle(): Promise<void> {
    this.beforePage.run = () => {};
    this.withoutPdf.clear();
    await eventually('no export is unfinished', async () => {
      const states = await this.database.db.selectFrom('export_job').select('state').execute();
      return states.every(({ state }) => state !== 'queued' && state !== 'running');
    });
    this.recorded.length = 0;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  /** Moves the clock, and lets the worker look. */
  advanceClock(ms: number): void {
    aheadMs += ms;
    this.service.app.get(ExportWorker, { strict: false }).trigger();
  }
}

/** How far the clock of the exports is ahead of that of the machine. */
let aheadMs = 0;

export async function startExports(): Promise<ExportsUnderTest> {
  aheadMs = 0;
  const exports = await startServiceUnderTest(ExportsUnderTest, {
    service: { name: 'console', module: ExportModule, backgroundTasks: exportTasks },
    clock: {
      get now() {
        return new Date(Date.now() + aheadMs);
      },
    },
    migrations,
    config: {
      accountingSoftwareNumber: 99_999_999,
      softwareVendorTaxId: '',
      softwareVendorName: '',
      exportsMaxGib,
    } as unknown as ConsoleConfig,
  });
  answerForBusiness(exports);
  answerForBook(exports);
  return exports;
}

/** Answers for the gateway. */
function answerForBusiness(made: ExportsUnderTest): void {
  made.network.answer(showBusiness, ({ business_id }) => {
    if (business_id !== made.business.id) {
      throw new ApiError('not_found');
    }
    return {
      business: made.business,
      settings_version: '0'.repeat(64),
      view_url_base: 'https://api.example.com/d',
      pdf_url_base: 'https://api.example.com/pdf',
      api_enabled: true,
    };
  });
}

/** Answers for issuing and rendering. */
export function answerForBook({
  network,
  book,
  recorded,
  beforePage,
  withoutPdf,
}: Pick<ExportsUnderTest, 'network' | 'book' | 'recorded' | 'beforePage' | 'withoutPdf'>): void {
  network.answer(recordExport, (request) => {
    recorded.push(request);
    return {};
  });
  network.answer(summarizeDocuments, ({ from, to }) => {
    const documents = book.filter(({ document: { date } }) => from <= date && date <= to).length;
    const sums = { cancelled: 0, net: 0, vat: 0, total: 0 };
    return { types: documents === 0 ? [] : [{ type: 'tax_invoice' as const, documents, ...sums }] };
  });
  network.answer(getBookEnd, () => ({ position: book.length, next_issued_at: null }));
  network.answer(readBook, async ({ after, from = '', to = '' }) => {
    await beforePage.run();
    const matching = book.filter(({ document: { date } }) => from <= date && date <= to);
    const first = after ? matching.findIndex(({ document }) => document.id === after.id) + 1 : 0;
    const entries = matching.slice(first, first + pageDocuments);
    const last = entries.at(-1)?.document;
    const isEnd = first + pageDocuments >= matching.length;
    return {
      entries,
      next_after: isEnd || !last ? null : { type: last.type, number: last.number, id: last.id },
    };
  });
  network.answer(printReport, () => ({ pdf: Buffer.from('%PDF-1.7').toString('base64') }));
  network.answer(getArtifact, ({ document_id }) => {
    const entry = book.find(({ document }) => document.id === document_id);
    if (!entry || withoutPdf.has(document_id)) {
      throw new ApiError('not_found');
    }
    return {
      revision: 1,
      sha256: entry.artifact_sha256,
      pdf: pdfOf(document_id).toString('base64'),
      cancelled: false,
      allocation_number: null,
    };
  });
}

/** The PDF of a document: large enough for an export of several chunks, and no smaller when it is deflated. */
export const pdfOf = (documentId: string): Buffer =>
  createHash('shake256', { outputLength: 200_000 }).update(documentId).digest();

/** Unpacks a zip into a new folder, which the caller removes. @returns the folder, and the files with their bytes. */
export async function unzipped(bytes: Buffer): Promise<{ folder: string; names: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'pinkas-unzipped-'));
  const path = join(folder, '..', `${folder.split('/').at(-1)}.zip`);
  await writeFile(path, bytes);
  const zip = await openPromise(path, { validateEntrySizes: true });
  const names: string[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      names.push(entry.fileName);
      const target = join(folder, entry.fileName);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
    }
  } finally {
    zip.close();
    await rm(path);
  }
  return { folder, names };
}
