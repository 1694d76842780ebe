import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** So many objects stand in one stream: a reader unpacks all of them to see one. */
const objectsPerStream = 200;

/** An object of a file: all but a stream is text. */
interface PdfObject {
  readonly number: number;
  /** What stands between `obj` and `endobj`. */
  readonly body: Buffer;
  readonly isStream: boolean;
}

/** The file has another shape than the plain one: one table of objects, each of them where the table says. */
export class NotPlainPdf extends Error {
  override readonly name = 'NotPlainPdf';
}

/**
 * Reads the objects of a file that has one plain table of them, as Chromium writes it.
 * @throws NotPlainPdf
 */
function readObjects(pdf: Buffer): { objects: PdfObject[]; trailer: string } {
  const end = pdf.lastIndexOf('startxref');
  const tableAt = Number(/startxref\s+(\d+)/.exec(pdf.subarray(Math.max(0, end)).toString('latin1'))?.[1]);
  const table = /^xref\s+0 (\d+)\s+([\s\S]*?)trailer\s*<<([\s\S]*)>>\s*$/.exec(
    pdf.subarray(tableAt, end).toString('latin1'),
  );
  const [, count, rows = '', trailer = ''] = table ?? [];
  const offsets = [...rows.matchAll(/(\d{10}) (\d{5}) ([nf])/g)];
  if (offsets.length !== Number(count)) throw new NotPlainPdf('the PDF has no plain table of its objects');
  const found = offsets
    .map(([, offset, generation, use], number) => ({ number, at: Number(offset), generation, use }))
    .filter(({ use }) => use === 'n')
    .sort((one, other) => one.at - other.at);
  const objects = found.map(({ number, at, generation }, index) => {
    const whole = pdf.subarray(at, found[index + 1]?.at ?? tableAt);
    const head = /^(\d+) (\d+) obj\s/.exec(whole.subarray(0, 40).toString('latin1'));
    const tail = whole.lastIndexOf('endobj');
    if (Number(head?.[1]) !== number || Number(generation) !== 0 || tail < 0) {
      throw new NotPlainPdf('the PDF has an object that is not where its table says');
    }
    const body = whole.subarray(head?.[0].length ?? 0, tail);
    return { number, body, isStream: body.subarray(-12).toString('latin1').trimEnd().endsWith('endstream') };
  });
  return { objects, trailer };
}

/**
 * The printer names the parts of a document by a count of everything that it has ever shown. Named by their order instead,
 * the same document has the same names each time.
 */
function renameParts(bodies: readonly string[]): string[] {
  const part = /\(node(\d{8,})\)/g;
  const names = new Set(bodies.flatMap((body) => [...body.matchAll(part)].map(([, name = '']) => name)));
  const renamed = new Map([...names].sort().map((name, index) => [name, String(index).padStart(8, '0')]));
  return bodies.map((body) => body.replace(part, (_whole, name: string) => `(node${renamed.get(name)})`));
}

function inStreams(objects: readonly PdfObject[], firstNumber: number): { number: number; body: Buffer }[] {
  const bodies = renameParts(objects.map(({ body }) => body.toString('latin1').trim()));
  const streams: { number: number; body: Buffer }[] = [];
  for (let from = 0; from < objects.length; from += objectsPerStream) {
    const texts = bodies.slice(from, from + objectsPerStream);
    let offset = 0;
    const index = texts.map((text, at) => {
      const entry = `${objects[from + at]?.number} ${offset}`;
      offset += text.length + 1;
      return entry;
    });
    const head = `${index.join(' ')}\n`;
    const packed = deflateSync(Buffer.from(head + texts.join('\n'), 'latin1'), { level: 6 });
    streams.push({
      number: firstNumber + streams.length,
      body: stream(`/Type /ObjStm /N ${texts.length} /First ${head.length}`, packed),
    });
  }
  return streams;
}

const stream = (entries: string, packed: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< ${entries} /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`),
    packed,
    Buffer.from('\nendstream'),
  ]);

/**
 * A PDF with everything packed that may be (ISO 32000-1, 7.5.7 and 7.5.8). The tags that make a document readable to those
 * who hear it are a hundred small objects on a page: packed, they weigh next to nothing. The same objects make the same
 * bytes, its identifier among them.
 * @param information the entries of its information dictionary, which take the place of all that it says of itself.
 * @throws NotPlainPdf
 */
export function packedPdf(pdf: Buffer, information: string): Buffer {
  const { objects, trailer } = readObjects(pdf);
  const root = /\/Root \d+ 0 R/.exec(trailer)?.[0];
  const informed = Number(/\/Info (\d+) 0 R/.exec(trailer)?.[1]);
  if (!root || !informed) throw new NotPlainPdf('the PDF does not say what it is');
  const size = Math.max(...objects.map(({ number }) => number)) + 1;
  const packed = objects
    .filter(({ isStream }) => !isStream)
    .map((object) =>
      object.number === informed ? { ...object, body: Buffer.from(`<< ${information} >>`) } : object,
    );
  const streams = inStreams(packed, size);
  const tableNumber = size + streams.length;
  const rows = Buffer.alloc(7 * (tableNumber + 1));
  const setRow = (number: number, kind: 0 | 1 | 2, place: number, index: number) => {
    rows.writeUInt8(kind, 7 * number);
    rows.writeUInt32BE(place, 7 * number + 1);
    rows.writeUInt16BE(index, 7 * number + 5);
  };
  setRow(0, 0, 0, 0xffff);
  packed.forEach(({ number }, index) => {
    setRow(number, 2, size + Math.floor(index / objectsPerStream), index % objectsPerStream);
  });

  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  let at = parts[0]?.length ?? 0;
  for (const { number, body } of [...objects.filter(({ isStream }) => isStream), ...streams]) {
    setRow(number, 1, at, 0);
    const written = Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    parts.push(written);
    at += written.length;
  }
  setRow(tableNumber, 1, at, 0);
  const identifier = createHash('sha256').update(Buffer.concat(parts)).digest('hex').slice(0, 32);
  const table = stream(
    `/Type /XRef /Size ${tableNumber + 1} /W [1 4 2] ${root} /Info ${informed} 0 R /ID [<${identifier}> <${identifier}>]`,
    deflateSync(rows, { level: 6 }),
  );
  parts.push(
    Buffer.from(`${tableNumber} 0 obj\n`),
    table,
    Buffer.from(`\nendobj\nstartxref\n${at}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}
