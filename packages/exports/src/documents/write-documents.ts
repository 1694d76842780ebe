import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BookEntry, BookPosition, Call, PublicUrls } from '@pinkas/contracts';
import { type BookRange, bookPages, type Selection, selectedPages } from '../book-pages.js';
import { sha256Of, writeSums } from '../checksums.js';
import { ExportRefusedError } from '../export-refused-error.js';
import { type ExportFormat, openPart, type PartWriter, partDocuments } from './part-writers.js';

/** Where an export is; written after each part, so that one that was interrupted continues with the next. */
interface Checkpoint {
  readonly business_id: string;
  readonly from: string;
  readonly to: string;
  readonly format: ExportFormat;
  readonly raw: boolean;
  /** When the first run began. Documents that were issued later may be missing. */
  readonly started_at: string;
  readonly documents: number;
  readonly parts: number;
  /** SHA-256 by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** Documents without a stored PDF. */
  readonly missing_pdfs: readonly string[];
  /** Where the next part begins; null at the beginning. */
  readonly after: BookPosition | null;
  readonly complete: boolean;
}

/** What an export is of, and where it goes. */
export interface DocumentsExport extends BookRange {
  readonly format: ExportFormat;
  readonly urls: PublicUrls;
  /** The folder for the parts, which is made. */
  readonly folder: string;
  /** How many documents a part has; by default as the format has it. */
  readonly partDocuments?: number;
  /** Of CSV: texts as callers wrote them; by default none is a formula to a spreadsheet. */
  readonly raw?: boolean;
  /** Instead of the range: such an export is written in one run. */
  readonly selection?: Selection;
}

/** A finished export. */
export interface WrittenDocuments {
  readonly documents: number;
  readonly files: readonly string[];
  readonly missingPdfs: readonly string[];
  /** Documents that an earlier run had written. */
  readonly resumedAfter: number;
  /** When the first run began. */
  readonly startedAt: string;
}

const checkpointFile = 'export.json';

/**
 * Writes the documents of a range in parts into a folder, which is made, or continues what an interrupted export left there.
 * @throws ExportRefusedError where the folder has something else, or a complete export.
 */
export async function writeDocuments(
  call: Call,
  request: DocumentsExport,
  onDocuments: (count: number) => void,
): Promise<WrittenDocuments> {
  const { folder } = request;
  await mkdir(folder, { recursive: true });
  let checkpoint = await readCheckpoint(request);
  const resumedAfter = checkpoint.documents;
  for await (const next of writeParts(call, request, checkpoint, onDocuments)) {
    if (next.complete) {
      // A complete export is not continued, so its sums are there before it is one.
      await writeSums(folder, new Map(Object.entries(next.files)));
    }
    await writeCheckpoint(folder, next);
    checkpoint = next;
  }
  return {
    documents: checkpoint.documents,
    files: Object.keys(checkpoint.files),
    missingPdfs: checkpoint.missing_pdfs,
    resumedAfter,
    startedAt: checkpoint.started_at,
  };
}

/** Writes part after part. @returns the checkpoint after each. */
async function* writeParts(
  call: Call,
  request: DocumentsExport,
  start: Checkpoint,
  onDocuments: (count: number) => void,
): AsyncGenerator<Checkpoint> {
  let current = start;
  let writer: PartWriter | null = null;
  let written = 0;
  const missing: string[] = [];
  const { businessId, folder, format, urls, raw = false } = request;
  const partMax = request.partDocuments ?? partDocuments[format];
  const open = () =>
    openPart(format, {
      call,
      businessId,
      folder,
      raw,
      urls,
      part: String(current.parts + 1).padStart(5, '0'),
      onMissing: ({ document: { type, number } }) => missing.push(`${type} ${number}`),
    });
  try {
    const pages = request.selection
      ? selectedPages(call, businessId, request.selection)
      : bookPages(call, request, start.after);
    for await (const { entries, next } of pages) {
      writer ??= await open();
      await writer.add(entries);
      written += entries.length;
      onDocuments(current.documents + written);
      if (written >= partMax || next === null) {
        // Only an export without documents has a part without any.
        const files = Object.fromEntries(await writer.close());
        current = {
          ...current,
          documents: current.documents + written,
          parts: current.parts + 1,
          files: { ...current.files, ...files },
          missing_pdfs: [...current.missing_pdfs, ...missing.splice(0)],
          after: next ?? positionOf(entries) ?? current.after,
          complete: next === null,
        };
        writer = null;
        written = 0;
        yield current;
      }
    }
  } finally {
    await writer?.discard();
  }
}

function positionOf(entries: readonly BookEntry[]): BookPosition | null {
  const last = entries.at(-1)?.document;
  return last ? { type: last.type, number: last.number, id: last.id } : null;
}

async function readCheckpoint(request: DocumentsExport): Promise<Checkpoint> {
  const { folder, businessId, format, from, to, raw = false } = request;
  const wanted = { business_id: businessId, from, to, format, raw };
  const text = await readFile(join(folder, checkpointFile), 'utf8').catch(() => null);
  if (text === null) {
    const others = (await readdir(folder)).filter((name) => !name.endsWith('.partial'));
    if (others.length > 0) {
      throw new ExportRefusedError('folder_taken', `${folder} is not empty, and has no ${checkpointFile}`);
    }
    const started_at = new Date().toISOString();
    return {
      ...wanted,
      started_at,
      documents: 0,
      parts: 0,
      files: {},
      missing_pdfs: [],
      after: null,
      complete: false,
    };
  }
  const checkpoint = JSON.parse(text) as Checkpoint;
  for (const [name, value] of Object.entries(wanted)) {
    if (checkpoint[name as keyof typeof wanted] !== value) {
      throw new ExportRefusedError(
        'folder_taken',
        `${folder} has an export with another ${name}, ${checkpoint[name as keyof typeof wanted]}`,
      );
    }
  }
  if (checkpoint.complete) {
    throw new ExportRefusedError(
      'folder_taken',
      `${folder} has a complete export of ${from} to ${to}, begun at ${checkpoint.started_at}`,
    );
  }
  for (const [name, sum] of Object.entries(checkpoint.files)) {
    if ((await sha256Of(join(folder, name)).catch(() => null)) !== sum) {
      throw new ExportRefusedError('folder_taken', `${join(folder, name)} is not what was written`);
    }
  }
  return checkpoint;
}

async function writeCheckpoint(folder: string, checkpoint: Checkpoint): Promise<void> {
  const path = join(folder, checkpointFile);
  await writeFile(`${path}.partial`, `${JSON.stringify(checkpoint, null, 2)}\n`);
  await rename(`${path}.partial`, path);
}
