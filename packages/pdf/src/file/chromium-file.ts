/** The bytes are not a whole PDF as Chromium writes it. */
export class InvalidPdfError extends Error {
  override readonly name = 'InvalidPdfError';
}

/**
 * The objects of a PDF that Chromium has printed, as views of its bytes. Chromium writes the plainest form (one cross-reference
 * table, every object separately, no update), and only that is read: a general reader repairs damaged files (ADR 0026).
 */
export interface ChromiumFile {
  /** The complete file, as it came. */
  readonly bytes: Buffer;
  /** By number, from 1; each without `obj` and `endobj`, with its stream. */
  readonly objects: ReadonlyMap<number, Buffer>;
  /** The number of the document's catalog. */
  readonly catalog: number;
  /** The number of the information dictionary. */
  readonly information: number;
  /** The numbers of the pages, in their order. */
  readonly pages: readonly number[];
}

const entryBytes = 20;
/** `startxref`, a place of ten digits, `%%EOF`, and their line ends. */
const endBytesMax = 64;

/** @throws InvalidPdfError, whose message is half a sentence. */
export function readChromiumFile(pdf: Buffer): ChromiumFile {
  if (pdf.length === 0) {
    throw new InvalidPdfError('the answer is empty');
  }
  if (!pdf.subarray(0, 5).equals(Buffer.from('%PDF-'))) {
    throw new InvalidPdfError('the answer is no PDF');
  }
  const end = /startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(pdf.subarray(-endBytesMax).toString('latin1'));
  if (!end) {
    throw new InvalidPdfError('the PDF is cut short');
  }
  const tableAt = Number(end[1]);
  const places = readTable(pdf, tableAt);

  const objects = new Map<number, Buffer>();
  const inOrder = [...places].sort((a, b) => a[1] - b[1]);
  inOrder.forEach(([number, from], index) => {
    objects.set(number, bodyOf(pdf.subarray(from, inOrder[index + 1]?.[1] ?? tableAt), number));
  });
  const trailer = /trailer\s*<<([^>]*)>>/.exec(pdf.subarray(tableAt).toString('latin1'))?.[1] ?? '';
  const catalog = referenceIn(trailer, 'Root');
  const information = referenceIn(trailer, 'Info');
  const dictionaryOf = (number: number) => textOf(objects, number);
  dictionaryOf(information);
  const pages = pagesBelow(referenceIn(dictionaryOf(catalog), 'Pages'), dictionaryOf);
  if (pages.length === 0) {
    throw new InvalidPdfError('the PDF has no page');
  }
  return { bytes: pdf, objects, catalog, information, pages };
}

/** An object that has no stream, as text. */
function textOf(objects: ReadonlyMap<number, Buffer>, number: number): string {
  const body = objects.get(number);
  if (!body?.subarray(0, 2).equals(Buffer.from('<<'))) {
    throw new InvalidPdfError(`the PDF lacks object ${number}`);
  }
  return body.toString('latin1');
}

/** Where each object begins. */
function readTable(pdf: Buffer, at: number): Map<number, number> {
  const head = /^xref\s+0 (\d{1,7})\s+/.exec(pdf.subarray(at, at + 32).toString('latin1'));
  if (!head) {
    throw new InvalidPdfError('the PDF is damaged: its table is not where it says');
  }
  const places = new Map<number, number>();
  const first = at + head[0].length;
  for (let number = 1; number < Number(head[1]); number += 1) {
    const entry = pdf.toString('latin1', first + number * entryBytes, first + (number + 1) * entryBytes);
    const place = /^(\d{10}) 00000 n\s\s$/.exec(entry)?.[1];
    if (place === undefined) {
      throw new InvalidPdfError('the PDF is damaged: its table cannot be read');
    }
    places.set(number, Number(place));
  }
  return places;
}

function bodyOf(object: Buffer, number: number): Buffer {
  const head = Buffer.from(`${number} 0 obj\n`);
  const foot = Buffer.from('\nendobj\n');
  if (!object.subarray(0, head.length).equals(head) || !object.subarray(-foot.length).equals(foot)) {
    throw new InvalidPdfError(`the PDF is damaged: object ${number} is not where it should be`);
  }
  const body = object.subarray(head.length, -foot.length);
  if (isStream(body)) {
    checkStream(body, number);
  }
  return body;
}

const streamEnd = Buffer.from('\nendstream');
const lastOfStream = streamEnd[streamEnd.length - 1];

/** Whether the body of an object is one with a stream. */
export function isStream(body: Buffer): boolean {
  // A dictionary ends with another letter.
  return body[body.length - 1] === lastOfStream && body.subarray(-streamEnd.length).equals(streamEnd);
}

/** Whether the body of an object begins with a text, which is asked of every object several times. */
export function beginsWith(body: Buffer, text: Buffer): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (body[index] !== text[index]) {
      return false;
    }
  }
  return true;
}

function checkStream(body: Buffer, number: number): void {
  const begin = Buffer.from('stream\n');
  const at = body.indexOf(begin);
  const length = /\/Length (\d+)/.exec(body.toString('latin1', 0, Math.max(0, at)))?.[1];
  if (at === -1 || at + begin.length + Number(length) !== body.length - streamEnd.length) {
    throw new InvalidPdfError(`the PDF is damaged: stream ${number} does not have its length`);
  }
}

function referenceIn(dictionary: string, name: string): number {
  const number = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
  if (number === undefined) {
    throw new InvalidPdfError(`the PDF is damaged: it has no ${name}`);
  }
  return Number(number);
}

/** The pages below a node of the page tree; a tree that leads back into itself ends with its depth. */
function pagesBelow(number: number, dictionaryOf: (number: number) => string, depth = 0): number[] {
  const dictionary = dictionaryOf(number);
  if (/\/Type \/Page(?![A-Za-z])/.test(dictionary)) {
    return [number];
  }
  const kids = /\/Kids \[([\d R]*)\]/.exec(dictionary)?.[1];
  if (kids === undefined || depth > 8) {
    throw new InvalidPdfError('the PDF is damaged: its pages cannot be found');
  }
  return [...kids.matchAll(/(\d+) 0 R/g)].flatMap(([, kid]) =>
    pagesBelow(Number(kid), dictionaryOf, depth + 1),
  );
}
