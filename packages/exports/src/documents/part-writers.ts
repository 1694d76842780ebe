import { createHash } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BookEntry, type Call, getArtifact, type PublicUrls } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit/client';
import { sha256Of, sumsFile } from '../checksums.js';
import { openZip } from '../zip-files.js';
import { byteOrderMark } from './csv.js';
import { csvTables } from './csv-tables.js';
import { jsonLine } from './json-line.js';

export const exportFormats = ['jsonl', 'csv', 'pdf-zip'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** How many documents a part has. */
export const partDocuments: Readonly<Record<ExportFormat, number>> = {
  jsonl: 10_000,
  csv: 10_000,
  'pdf-zip': 500,
};
/** How many PDFs are read concurrently. */
const concurrency = 4;

/** Writes the files of one part. They have their names only when `close` has returned. */
export interface PartWriter {
  add(entries: readonly BookEntry[]): Promise<void>;
  /** @returns the SHA-256 of each file by its name. */
  close(): Promise<Map<string, string>>;
  /** Closes the files of a part that is not finished. They keep their partial names. */
  discard(): Promise<void>;
}

/** What a part writer needs. */
interface PartContext {
  readonly call: Call;
  readonly businessId: string;
  readonly folder: string;
  /** The number of the part, of five digits. */
  readonly part: string;
  /** Of CSV: texts as callers wrote them. */
  readonly raw: boolean;
  readonly urls: PublicUrls;
  /** Called for a document whose PDF is not stored. */
  readonly onMissing: (entry: BookEntry) => void;
}

/** Opens the next part. */
export function openPart(format: ExportFormat, context: PartContext): Promise<PartWriter> {
  switch (format) {
    case 'jsonl':
      return openTexts(context, {
        documents: { end: 'jsonl', head: '', lines: (entry) => jsonLine(entry, context.urls) },
      });
    case 'csv':
      return openTexts(
        context,
        Object.fromEntries(
          Object.entries(csvTables).map(([name, { head, lines }]) => [
            name,
            { end: 'csv', head: byteOrderMark + head, lines: (entry: BookEntry) => lines(entry, context) },
          ]),
        ),
      );
    case 'pdf-zip':
      return Promise.resolve(new PdfPart(context));
  }
}

interface TextFile {
  readonly end: string;
  readonly head: string;
  lines(entry: BookEntry): string;
}

async function openTexts(
  { folder, part }: PartContext,
  texts: Readonly<Record<string, TextFile>>,
): Promise<PartWriter> {
  const files: { name: string; text: TextFile; handle: FileHandle }[] = [];
  for (const [first, text] of Object.entries(texts)) {
    const name = `${first}-${part}.${text.end}`;
    const handle = await open(partial(folder, name), 'w');
    await handle.writeFile(text.head);
    files.push({ name, text, handle });
  }
  return {
    async add(entries) {
      for (const { text, handle } of files) {
        await handle.writeFile(entries.map((entry) => text.lines(entry)).join(''));
      }
    },
    async close() {
      const sums = new Map<string, string>();
      for (const { name, handle } of files) {
        await handle.close();
        sums.set(name, await finish(folder, name));
      }
      return sums;
    },
    async discard() {
      // Closed already where the part failed at its end.
      await Promise.all(files.map(({ handle }) => handle.close().catch(() => {})));
    },
  };
}

/** A zip of PDFs, each named by type and number, with a list of their sums. */
class PdfPart implements PartWriter {
  readonly #zip = openZip();
  readonly #name: string;
  readonly #output: WriteStream;
  readonly #written: Promise<void>;
  readonly #sums: string[] = [];
  /** When its last document was issued; the day on which the time of zip files begins where it has none. */
  #lastIssuedAt = new Date('1980-01-01T12:00:00Z');

  /** Resolves when the last batch is written. */
  #added: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: PartContext) {
    this.#name = `documents-${context.part}.zip`;
    this.#output = createWriteStream(partial(context.folder, this.#name));
    this.#written = pipeline(this.#zip.outputStream, this.#output);
    this.#written.catch(() => {});
  }

  async add(entries: readonly BookEntry[]): Promise<void> {
    for (let first = 0; first < entries.length; first += concurrency) {
      const batch = entries.slice(first, first + concurrency);
      const pdfs = await Promise.all(batch.map((entry) => this.#read(entry)));
      // The batch before is written while this one is read; no more than the two are in memory.
      await Promise.race([this.#added, this.#written]);
      this.#added = Promise.all(batch.map((entry, index) => this.#add(entry, pdfs[index] ?? null)));
      this.#added.catch(() => {});
    }
  }

  async close(): Promise<Map<string, string>> {
    // Not the time of the run: the same documents make the same file.
    const mtime = this.#lastIssuedAt;
    this.#zip.addBuffer(Buffer.from(this.#sums.join('')), sumsFile, { mtime, mode: 0o100644 });
    this.#zip.end();
    await this.#written;
    return new Map([[this.#name, await finish(this.context.folder, this.#name)]]);
  }

  async discard(): Promise<void> {
    this.#output.destroy();
    await this.#written.catch(() => {});
  }

  /** @returns when it is written. */
  async #add(entry: BookEntry, pdf: Buffer | null): Promise<void> {
    if (!pdf) {
      this.context.onMissing(entry);
      return;
    }
    const { type, number, issued_at } = entry.document;
    const name = `${type}-${number}.pdf`;
    this.#sums.push(`${createHash('sha256').update(pdf).digest('hex')}  ${name}\n`);
    this.#lastIssuedAt = new Date(issued_at);
    const options = { size: pdf.length, mtime: this.#lastIssuedAt, mode: 0o100644 };
    // A zip keeps what it is given until its end, so that it must not be given the bytes themselves.
    let bytes: Buffer | null = pdf;
    await new Promise<void>((resolve) => {
      this.#zip.addReadStreamLazy(name, options, (use) => {
        const stream = Readable.from([bytes]);
        bytes = null;
        stream.once('end', resolve);
        use(null, stream);
      });
    });
  }

  async #read({ document }: BookEntry): Promise<Buffer | null> {
    const { call, businessId } = this.context;
    try {
      const { pdf } = await call(getArtifact, { business_id: businessId, document_id: document.id });
      return Buffer.from(pdf, 'base64');
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        return null;
      }
      throw error;
    }
  }
}

const partial = (folder: string, name: string): string => join(folder, `${name}.partial`);

/** Gives a file its name. @returns its sum. */
async function finish(folder: string, name: string): Promise<string> {
  const sum = await sha256Of(partial(folder, name));
  await rename(partial(folder, name), join(folder, name));
  return sum;
}
