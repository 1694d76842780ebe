import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { InvalidPdfError } from './chromium-file.js';

/** What proves that the certificates of a signature were not revoked when it was made, each in DER. */
export interface ValidationData {
  /** Certificates of the chains that are not in the signature. */
  readonly certificates: readonly Buffer[];
  /** OCSP replies (RFC 6960). */
  readonly ocspReplies: readonly Buffer[];
  /** Revocation lists (RFC 5280). */
  readonly revocationLists: readonly Buffer[];
}

/** The end of a file that `signableFile` has written, and its catalog. */
interface FileEnd {
  readonly tableAt: number;
  readonly size: number;
  readonly root: number;
  readonly information: number;
  readonly id: string;
  readonly catalog: string;
}

const entryBytes = 7;
/** `startxref`, a place of ten digits, `%%EOF`, and their line ends. */
const endBytesMax = 64;
const trailerBytesMax = 512;
/** A table of 100,000 objects; a longer one is not of a document. */
const tableBytesMax = 100_000 * entryBytes;

/**
 * Appends a document security store to a signed file (ISO 32000-2, 12.8.4.3; ETSI EN 319 142-1, 5.4.2): an update that the
 * certification allows, behind the bytes that are signed. The same input makes the same bytes.
 * @param signed a file of `signableFile`.
 * @throws InvalidPdfError when it is another one.
 */
export function withSecurityStore(signed: Buffer, data: ValidationData): Buffer {
  const { tableAt, size, root, information, id, catalog } = readEnd(signed);
  const parts: Buffer[] = [];
  let length = signed.length;
  const places: [number, number][] = [];
  const put = (number: number, ...body: (Buffer | string)[]) => {
    places.push([number, length]);
    for (const part of [`${number} 0 obj\n`, ...body, '\nendobj\n']) {
      const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
      parts.push(bytes);
      length += bytes.length;
    }
    return number;
  };
  let next = size;
  const entries = Object.entries({
    Certs: data.certificates,
    OCSPs: data.ocspReplies,
    CRLs: data.revocationLists,
  }).map(([name, values]) => {
    const references = values.map((der) => {
      const number = put(next, `<</Length ${der.length}>>stream\n`, der, '\nendstream');
      next += 1;
      return `${number} 0 R`;
    });
    return references.length === 0 ? '' : `/${name}[${references.join(' ')}]`;
  });
  const store = put(next, `<</Type/DSS${entries.join('')}>>`);
  put(root, catalog.replace(/>>$/, `/DSS ${store} 0 R>>`));
  const updateId = createHash('sha256').update(Buffer.concat(parts)).digest('hex').slice(0, 32);
  const tableNumber = store + 1;
  const table = Buffer.concat(
    [...places, [tableNumber, length] as const].sort(([a], [b]) => a - b).map(([, at]) => tableEntry(at)),
  );
  const updateAt = length;
  put(
    tableNumber,
    `<</Type/XRef/Size ${tableNumber + 1}/W[1 4 2]/Index[${root} 1 ${size} ${tableNumber + 1 - size}]` +
      `/Root ${root} 0 R/Info ${information} 0 R/ID[<${id}><${updateId}>]/Prev ${tableAt}/Length ${table.length}>>stream\n`,
    table,
    '\nendstream',
  );
  return Buffer.concat([signed, ...parts, Buffer.from(`startxref\n${updateAt}\n%%EOF\n`)]);
}

/** Whether what follows the signed bytes of a file is a security store, as `withSecurityStore` writes it, and nothing else. */
export function isSecurityStore(pdf: Buffer, signedLength: number): boolean {
  const data = readStore(pdf.subarray(signedLength));
  if (!data) {
    return false;
  }
  try {
    return withSecurityStore(pdf.subarray(0, signedLength), data).equals(pdf);
  } catch (error) {
    if (error instanceof InvalidPdfError) {
      return false;
    }
    throw error;
  }
}

/** The values of an appended store; null where it is something else. The caller compares the whole. */
function readStore(update: Buffer): ValidationData | null {
  const values: Buffer[] = [];
  let at = 0;
  for (;;) {
    const head = update.toString('latin1', at, at + 64);
    const stream = /^\d{1,7} 0 obj\n<<\/Length (\d{1,9})>>stream\n/.exec(head);
    if (!stream) {
      break;
    }
    const from = at + stream[0].length;
    const until = from + Number(stream[1]);
    values.push(update.subarray(from, until));
    at = until + '\nendstream\nendobj\n'.length;
  }
  const dictionary = /^\d+ 0 obj\n<<\/Type\/DSS([^>]*)>>\nendobj\n/.exec(update.toString('latin1', at))?.[1];
  if (dictionary === undefined) {
    return null;
  }
  const take = (name: string) => {
    const references = new RegExp(`/${name}\\[([^\\]]*)\\]`).exec(dictionary)?.[1] ?? '';
    return values.splice(0, references === '' ? 0 : references.split(' 0 R').length - 1);
  };
  return { certificates: take('Certs'), ocspReplies: take('OCSPs'), revocationLists: take('CRLs') };
}

/** The file may be anybody's. @throws InvalidPdfError where it has another end. */
function readEnd(pdf: Buffer): FileEnd {
  const end = /startxref\n(\d{1,10})\n%%EOF\n$/.exec(pdf.subarray(-endBytesMax).toString('latin1'));
  const tableAt = Number(end?.[1] ?? pdf.length);
  const head = pdf.toString('latin1', tableAt, tableAt + trailerBytesMax);
  const trailer =
    /^\d+ 0 obj\n<<\/Type\/XRef\/Size (\d+)\/W\[1 4 2\]\/Root (\d+) 0 R\/Info (\d+) 0 R\/ID\[<([0-9a-f]{32})><[0-9a-f]{32}>\]\/Filter\/FlateDecode\/Length (\d+)>>stream\n/.exec(
      head,
    );
  if (!trailer) {
    throw new InvalidPdfError('the PDF has an end of another form');
  }
  const [size = 0, root = 0, information = 0] = trailer.slice(1, 4).map(Number);
  const streamAt = tableAt + trailer[0].length;
  const table = inflated(pdf.subarray(streamAt, streamAt + Number(trailer[5])));
  if ((root + 1) * entryBytes > table.length) {
    throw new InvalidPdfError('the PDF has a catalog of another form');
  }
  const catalogAt = table.readUInt32BE(root * entryBytes + 1);
  const catalogEnd = pdf.indexOf('\nendobj\n', catalogAt);
  const [opening = '', catalog = ''] = splitOnce(pdf.toString('latin1', catalogAt, catalogEnd), '\n');
  if (opening !== `${root} 0 obj` || !catalog.endsWith('>>') || catalog.includes('/DSS')) {
    throw new InvalidPdfError('the PDF has a catalog of another form');
  }
  return { tableAt, size, root, information, id: trailer[4] ?? '', catalog };
}

function inflated(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: tableBytesMax });
  } catch (error) {
    throw new InvalidPdfError('the PDF has a cross-reference table of another form', { cause: error });
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + separator.length)];
}

/** An object alone, in the widths of `W[1 4 2]`. */
function tableEntry(at: number): Buffer {
  const entry = Buffer.alloc(entryBytes);
  entry.writeUInt8(1, 0);
  entry.writeUInt32BE(at, 1);
  return entry;
}
