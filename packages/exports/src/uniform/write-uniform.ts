import { randomInt } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BookEntry, type Business, type Call, getBookEnd, printReport } from '@pinkas/contracts';
import { dayInIsrael, normaliseTaxId, registryOf, timeInIsrael } from '@pinkas/domain';
import {
  type UniformCharset,
  type UniformDocument,
  UniformFiles,
  type UniformRun,
  type UniformSoftware,
} from '@pinkas/domain/uniform';
import { bookPages } from '../book-pages.js';
import { sha256Of, sumsFile, writeSums } from '../checksums.js';
import { ExportRefusedError } from '../export-refused-error.js';
import { zipFiles } from '../zip-files.js';
import { bookEndFile, writeBookEnd } from './book-end.js';
import { type PrintedReport, uniformReports } from './report-html.js';
import { type RunReport, runReport } from './run-report.js';

/** What an export is of, and where it goes. */
export interface UniformExport {
  readonly business: Business;
  readonly from: string;
  readonly to: string;
  readonly charset: UniformCharset;
  /** The folder that gets `OPENFRMT`. */
  readonly out: string;
  /** The letter of the drive that the files are for, where one was chosen. */
  readonly drive?: string | null;
  readonly software: UniformSoftware;
  readonly startedAt: Date;
  /** 15 random digits. */
  readonly primaryId: string;
  /** Ends the export between two calls. */
  readonly signal?: AbortSignal;
}

/** The files of an export. */
export interface WrittenUniform {
  readonly folder: string;
  readonly run: UniformRun;
  readonly files: UniformFiles;
  readonly report: RunReport;
  /** The names of the reports, of the end in the book, and of the sums. */
  readonly reports: readonly string[];
}

/** The random digits of a run. */
export const newPrimaryId = (): string =>
  `${randomInt(1, 10)}${String(randomInt(0, 10 ** 7)).padStart(7, '0')}${String(randomInt(0, 10 ** 7)).padStart(7, '0')}`;

const minuteMs = 60_000;
const bufferBytes = 1024 * 1024;
/** Where another run has the minute, the next one is taken, up to this number of minutes. */
const minutesMax = 60;

/**
 * Writes BKMVDATA.TXT and its zip, the reports, the end in the book, the sums and INI.TXT into a new folder of the run. INI.TXT is last: a folder without
 * it is incomplete. Where anything fails, the folder is removed.
 * @param onDocuments called with the number of documents that were read.
 */
export async function writeUniform(
  call: Call,
  request: UniformExport,
  onDocuments: (count: number) => void,
): Promise<WrittenUniform> {
  const { run, folder } = await openRun(request);
  try {
    const files = new UniformFiles(run);
    const { position } = await call(getBookEnd, { business_id: request.business.id, after: null });
    await writeBookEnd(folder, position);
    await writeData(join(folder, 'BKMVDATA.TXT'), files, documentsOf(call, request, position, onDocuments));
    const data = { path: join(folder, 'BKMVDATA.TXT'), name: 'BKMVDATA.TXT' };
    await zipFiles(join(folder, 'BKMVDATA.zip'), [data], request.startedAt, request.signal);
    const ini = join(folder, 'INI.TXT');
    // Encoded before the reports, which count its fields as well.
    await writeFile(`${ini}.partial`, Buffer.concat(files.ini()));
    const report = runReport(run, files);
    const reports = await writeReports(call, { business: request.business, folder }, uniformReports(report));
    const sums = new Map([['INI.TXT', await sha256Of(`${ini}.partial`)]]);
    for (const name of ['BKMVDATA.TXT', 'BKMVDATA.zip', bookEndFile, ...reports]) {
      sums.set(name, await sha256Of(join(folder, name)));
    }
    await writeSums(folder, sums);
    await rename(`${ini}.partial`, ini);
    return { folder, run, files, report, reports: [...reports, bookEndFile, sumsFile] };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Writes each report as HTML and as PDF. @returns the names of the files. */
async function writeReports(
  call: Call,
  { business, folder }: { readonly business: Pick<Business, 'id'>; readonly folder: string },
  reports: readonly PrintedReport[],
): Promise<string[]> {
  const names: string[] = [];
  for (const { name, title, html } of reports) {
    await writeFile(join(folder, `${name}.html`), html);
    const { pdf } = await call(printReport, { business_id: business.id, title, html });
    await writeFile(join(folder, `${name}.pdf`), Buffer.from(pdf, 'base64'));
    names.push(`${name}.html`, `${name}.pdf`);
  }
  return names;
}

/** Describes the run, and makes its folder. */
async function openRun(request: UniformExport): Promise<{ run: UniformRun; folder: string }> {
  const { business, startedAt } = request;
  if (business.tax_id === null) {
    throw new ExportRefusedError('no_tax_id', `${business.name} has no tax id, which every record names`);
  }
  const taxId = normaliseTaxId(business.tax_id);
  const parts = await makeFolder(request.out, taxId, startedAt);
  const run = {
    business: {
      taxId,
      isCompany: registryOf(taxId) === 'company',
      name: business.name,
      address: business.address,
      city: business.city,
    },
    software: request.software,
    from: request.from,
    to: request.to,
    began: { day: dayInIsrael(startedAt), time: minuteOf(startedAt) },
    primaryId: request.primaryId,
    // As the authority writes it: from the root of a drive, with backslashes.
    path: [...(request.drive ? [`${request.drive}:`] : []), ...parts].join('\\'),
    charset: request.charset,
  };
  return { run, folder: join(request.out, ...parts) };
}

const minuteOf = (instant: Date): string => timeInIsrael(instant).replace(':', '');

/** Makes `OPENFRMT/<first 8 digits>.<YY>/<MMDDhhmm>`, and returns its parts. */
async function makeFolder(out: string, taxId: string, startedAt: Date): Promise<string[]> {
  for (let minute = 0; minute < minutesMax; minute += 1) {
    const instant = new Date(startedAt.getTime() + minute * minuteMs);
    const [year = '', month = '', day = ''] = dayInIsrael(instant).split('-');
    const parent = ['OPENFRMT', `${taxId.slice(0, 8)}.${year.slice(2)}`];
    const name = `${month}${day}${minuteOf(instant)}`;
    await mkdir(join(out, ...parent), { recursive: true });
    try {
      await mkdir(join(out, ...parent, name));
      return [...parent, name];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw error;
      }
    }
  }
  throw new ExportRefusedError('folder_taken', `${out} has an export of every minute of this hour`);
}

async function* documentsOf(
  call: Call,
  { business, from, to }: UniformExport,
  until: number,
  onDocuments: (count: number) => void,
): AsyncGenerator<UniformDocument> {
  let read = 0;
  for await (const { entries } of bookPages(call, { businessId: business.id, from, to, until })) {
    yield* entries.map(toUniform);
    read += entries.length;
    onDocuments(read);
  }
}

function toUniform({ document, state }: BookEntry): UniformDocument {
  const producedAt = new Date(document.issued_at);
  return {
    ...document,
    produced: { day: dayInIsrael(producedAt), time: minuteOf(producedAt) },
    cancelled: state.status === 'cancelled',
  };
}

async function writeData(
  path: string,
  files: UniformFiles,
  documents: AsyncIterable<UniformDocument>,
): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    const writer = new BufferedWriter(handle);
    await writer.write(files.open());
    for await (const document of documents) {
      for (const record of files.add(document)) {
        await writer.write(record);
      }
    }
    await writer.write(files.close());
    await writer.flush();
  } finally {
    await handle.close();
  }
}

/** Writes a megabyte at a time. */
class BufferedWriter {
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  #length = 0;

  constructor(private readonly handle: FileHandle) {}

  /** @param record is shorter than the buffer. */
  write(record: Uint8Array): Promise<void> | undefined {
    const full = this.#length + record.length > bufferBytes ? this.flush() : undefined;
    const append = () => {
      this.#buffer.set(record, this.#length);
      this.#length += record.length;
    };
    if (full) {
      return full.then(append);
    }
    append();
    return undefined;
  }

  async flush(): Promise<void> {
    await this.handle.writeFile(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }
}
