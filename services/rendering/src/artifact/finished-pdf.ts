import { PDF } from '@libpdf/core';
import { NotPlainPdf, packedPdf } from './packed-pdf.js';

/** What a PDF says of itself beside its pages; its language is that of the page that was printed. */
export interface PdfFacts {
  /** For example `חשבונית מס 1042`. */
  readonly title: string;
  /** The business's name. */
  readonly author: string;
  readonly documentId: string;
  /** When the document was issued, ISO 8601 in UTC. */
  readonly issuedAt: string;
}

/** A text as PDF writes it in any script: UTF-16, as hexadecimal digits. */
const text = (value: string): string =>
  `<FEFF${Buffer.from(value, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

/** An instant in UTC: `(D:20260308093000Z)`. */
const instant = (value: string): string =>
  `(D:${new Date(value).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z)`;

/**
 * A printed PDF as it is signed: it says what it is, and holds nothing of when and where it was printed, so that the same
 * document is the same file whenever it is printed.
 * @throws Error when the file cannot be read.
 */
export async function finishedPdf(printed: Buffer, facts: PdfFacts): Promise<Buffer> {
  const entries = {
    Title: text(facts.title),
    Author: text(facts.author),
    Keywords: text(facts.documentId),
    Creator: '(Pinkas)',
    Producer: '(Chromium)',
    CreationDate: instant(facts.issuedAt),
    ModDate: instant(facts.issuedAt),
  };
  const information = Object.entries(entries)
    .map(([name, value]) => `/${name} ${value}`)
    .join(' ');
  try {
    return packedPdf(printed, information);
  } catch (error) {
    if (!(error instanceof NotPlainPdf)) throw error;
    // A printer of another make writes other tables: written anew, they are plain.
    const file = await PDF.load(printed);
    file.setMetadata({ creator: 'Pinkas' });
    const { buffer, byteOffset, byteLength } = await file.save({ useXRefStream: false });
    return packedPdf(Buffer.from(buffer, byteOffset, byteLength), information);
  }
}
