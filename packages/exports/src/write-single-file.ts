import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Call, PublicUrls } from '@pinkas/contracts';
import type { UniformCharset } from '@pinkas/domain/uniform';
import type { Selection } from './book-pages.js';
import { type ExportFormat, exportFormats } from './documents/part-writers.js';
import { writeDocuments } from './documents/write-documents.js';
import { writeDonations } from './donations/write-donations.js';
import type { RunReport } from './uniform/run-report.js';
import { type UniformExport, writeUniform } from './uniform/write-uniform.js';
import { type VatDetailSummary, writeVatDetail } from './vat/write-vat-detail.js';
import { type ZippedFile, zipFiles } from './zip-files.js';

/** What can be made as one file. */
export const singleFileFormats = ['uniform', 'pcn874', ...exportFormats, 'donations'] as const;
export type SingleFileFormat = (typeof singleFileFormats)[number];

/** What the file is of. `out` is a folder of its own: the file and what it is made of are in it afterwards. */
export interface SingleFileExport extends UniformExport {
  readonly format: SingleFileFormat;
  /** Instead of the range, of an open format. */
  readonly selection?: Selection | undefined;
  readonly urls: PublicUrls;
  /** Of the uniform structure. */
  readonly charset: UniformCharset;
}

/** An export in one file. */
export interface SingleFile {
  readonly path: string;
  /** What a person should save it as, ASCII. */
  readonly name: string;
  readonly mediaType: string;
  readonly documents: number;
  /** The documents without a stored PDF, of an export of PDFs: type and number. */
  readonly missingPdfs: readonly string[];
  /** Of a detailed VAT report: what it states. */
  readonly vatDetail?: VatDetailSummary;
  /** Of the uniform structure: what the run wrote. */
  readonly runReport?: RunReport;
}

/**
 * Writes an export as one file: the uniform structure with its reports as a zip, the sales of a detailed VAT report and JSON lines as
 * they are, the tables as a zip, PDFs as one zip.
 * @throws ExportRefusedError where no attempt can make it.
 */
export async function writeSingleFile(
  call: Call,
  request: SingleFileExport,
  onDocuments: (count: number) => void,
): Promise<SingleFile> {
  const { format, out } = request;
  if (format === 'pcn874') {
    const { summary: vatDetail, ...written } = await writeVatDetail(call, request, onDocuments);
    return { ...written, name: nameOf(request, 'txt'), mediaType: 'text/plain', missingPdfs: [], vatDetail };
  }
  if (format === 'donations') {
    return writeDonationsFile(call, request, onDocuments);
  }
  if (format !== 'uniform') {
    return writeOpenFormat(call, request, format, onDocuments);
  }
  let documents = 0;
  const { folder, report: runReport } = await writeUniform(call, request, (count) => {
    documents = count;
    onDocuments(count);
  });
  const path = join(out, 'export.zip');
  const files = (await readdir(folder)).sort().map((name) => fileOf(out, join(folder, name)));
  await zipFiles(path, files, request.startedAt, request.signal);
  const file = { path, name: nameOf(request, 'zip'), mediaType: 'application/zip', documents };
  return { ...file, missingPdfs: [], runReport };
}

async function writeDonationsFile(
  call: Call,
  request: SingleFileExport,
  onDocuments: (count: number) => void,
): Promise<SingleFile> {
  const { business, from, to, out, startedAt, signal } = request;
  const folder = join(out, 'donations');
  const { sums } = await writeDonations(call, { businessId: business.id, from, to, folder }, onDocuments);
  const path = join(out, 'export.zip');
  const files = (await readdir(folder)).sort().map((name) => fileOf(folder, join(folder, name)));
  await zipFiles(path, files, startedAt, signal);
  const documents = sums.book.receipts;
  return { path, name: nameOf(request, 'zip'), mediaType: 'application/zip', documents, missingPdfs: [] };
}

async function writeOpenFormat(
  call: Call,
  request: SingleFileExport,
  format: ExportFormat,
  onDocuments: (count: number) => void,
): Promise<SingleFile> {
  const { business, from, to, selection, urls, out, startedAt, signal } = request;
  const folder = join(out, 'documents');
  const range = { businessId: business.id, from, to };
  const partDocuments = Number.POSITIVE_INFINITY;
  const written = await writeDocuments(
    call,
    { ...range, ...(selection && { selection }), format, urls, folder, partDocuments },
    onDocuments,
  );
  const made = { documents: written.documents, missingPdfs: written.missingPdfs };
  const [first = '', ...others] = written.files.map((name) => join(folder, name));
  if (others.length === 0) {
    const isText = format === 'jsonl';
    const mediaType = isText ? 'application/x-ndjson' : 'application/zip';
    return { path: first, name: nameOf(request, isText ? 'jsonl' : 'zip'), mediaType, ...made };
  }
  const path = join(out, 'export.zip');
  const files = [first, ...others].map((file) => fileOf(folder, file));
  await zipFiles(path, files, startedAt, signal);
  return { path, name: nameOf(request, 'zip'), mediaType: 'application/zip', ...made };
}

/** Named as below a folder. */
const fileOf = (folder: string, path: string): ZippedFile => ({
  path,
  name: relative(folder, path).split(sep).join('/'),
});

const nameOf = ({ format, from, to, selection }: SingleFileExport, end: string): string =>
  `pinkas-${format === 'pdf-zip' ? 'pdf' : format}-${selection ? `selection-${to}` : `${from}-${to}`}.${end}`;
