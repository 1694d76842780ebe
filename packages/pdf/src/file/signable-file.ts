import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { makeAccessible } from './accessible-file.js';
import { type ChromiumFile, InvalidPdfError, isStream } from './chromium-file.js';
import { crossReferenceStream, type ObjectLocations, objectStream } from './object-streams.js';
import { type Objects, put, textOf } from './pdf-objects.js';
import { pdfDate, textString } from './pdf-syntax.js';
import { srgbProfile } from './srgb-profile.js';
import { renumberStructureNodes } from './structure-nodes.js';
import { creatorTool, type DocumentFacts, xmpPacket } from './xmp.js';

/** The entries of a signature dictionary that viewers show (ISO 32000-1, table 252). */
export interface SignatureFacts {
  /** The signer's name. */
  readonly name: string;
  readonly reason: string;
  /** Where the signer is; null: left out. */
  readonly location: string | null;
  /** How to reach the signer; null: left out. */
  readonly contact: string | null;
  /** The instant that the signature claims. */
  readonly signedAt: Date;
}

/** A whole file with a placeholder for the signature. */
export interface SignableFile {
  readonly bytes: Buffer;
  /** The byte offset of the placeholder, angle brackets included. */
  readonly placeholderAt: number;
  /** Where it ends. */
  readonly placeholderEnd: number;
}

/**
 * The signature certifies the file: forms may be filled and the file signed once more, by the customer who accepts a quote, and
 * a reader reports every other change (ISO 32000-1, 12.8.2.2 and 12.8.4).
 */
const certification =
  '/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/P 2/V/1.2>>>>]';

/** Digits of an offset that is known only when the file is complete. */
const placeDigits = 10;
const head = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';

const packedProfile = deflateSync(srgbProfile);
const profileStream = Buffer.concat([
  Buffer.from(`<</N 3/Filter/FlateDecode/Length ${packedProfile.length}>>stream\n`),
  packedProfile,
  Buffer.from('\nendstream'),
]);

/** Writes the objects of a file one behind the other, and where each is. */
class FileWriter {
  readonly #parts: Buffer[] = [];
  readonly #places: ObjectLocations = new Map();
  #length = 0;

  constructor(
    private readonly file: ChromiumFile,
    private readonly facts: DocumentFacts,
  ) {
    this.add(head);
  }

  /** @returns where the file ends now. */
  add(part: Buffer | string): number {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return this.#length;
  }

  /** Begins an object. */
  begin(number: number): void {
    this.#places.set(number, { at: this.#length });
    this.add(`${number} 0 obj\n`);
  }

  addObject(number: number, body: Buffer): void {
    this.begin(number);
    this.add(body);
    this.add('\nendobj\n');
  }

  /** Adds the objects; those without a stream share one, since the tags take several times the space of the text. */
  addObjects(objects: Objects, packNumber: number): void {
    const packed: [number, Buffer][] = [];
    for (const [number, body] of objects) {
      // The catalog is an object of its own, readable without decompression.
      if (isStream(body) || number === this.file.catalog) {
        this.addObject(number, body);
      } else {
        this.#places.set(number, { inside: packNumber, index: packed.push([number, body]) - 1 });
      }
    }
    this.addObject(packNumber, objectStream(packed));
  }

  /** Adds the table and the end. */
  end(tableNumber: number): Buffer {
    const { catalog, information } = this.file;
    const id = `<${digestOf(Buffer.from(this.facts.documentId))}><${digestOf(...this.#parts)}>`;
    const tableAt = this.#length;
    this.begin(tableNumber);
    this.add(crossReferenceStream(this.#places, `/Root ${catalog} 0 R/Info ${information} 0 R/ID[${id}]`));
    this.add(`\nendobj\nstartxref\n${tableAt}\n%%EOF\n`);
    return Buffer.concat(this.#parts);
  }
}

/**
 * Writes Chromium's PDF again in one piece: with the document's facts instead of Chromium's own, a placeholder for the
 * signature, tags and colors as PDF/UA and PDF/A want them, and packed (ISO 32000-1, 7.5.7).
 * The same input makes the same bytes.
 * @param placeholderBytes how long the signature may be.
 * @throws InvalidPdfError when the file has what documents never have.
 */
export async function signableFile(
  file: ChromiumFile,
  facts: DocumentFacts,
  signature: SignatureFacts,
  placeholderBytes: number,
): Promise<SignableFile> {
  const { objects, conforms } = await accessibleObjects(file, facts.texts ?? []);
  addFacts(objects, file, facts, conforms);
  const field = objects.size + 1;
  const signatureNumber = field + 1;
  addField(objects, file, field, signatureNumber);

  const writer = new FileWriter(file, facts);
  writer.addObjects(objects, signatureNumber + 1);
  writer.begin(signatureNumber);
  const rangeAt = writer.add(`<<${signatureEntries(signature)}/ByteRange [0 `);
  const placeholderAt = writer.add(`${' '.repeat(3 * placeDigits + 2)}]/Contents `);
  const placeholderEnd = writer.add(`<${'0'.repeat(2 * placeholderBytes)}>`);
  writer.add('>>\nendobj\n');
  const bytes = writer.end(signatureNumber + 2);
  const range = [placeholderAt, placeholderEnd, bytes.length - placeholderEnd].map((place) =>
    String(place).padEnd(placeDigits),
  );
  bytes.write(range.join(' '), rangeAt, 'latin1');
  return { bytes, placeholderAt, placeholderEnd };
}

/**
 * The same file of what is not signed, for example a report.
 * @throws InvalidPdfError when the file has what documents never have.
 */
export async function unsignedFile(file: ChromiumFile, facts: DocumentFacts): Promise<Buffer> {
  const { objects, conforms } = await accessibleObjects(file, facts.texts ?? []);
  addFacts(objects, file, facts, conforms);
  const packNumber = objects.size + 1;
  const writer = new FileWriter(file, facts);
  writer.addObjects(objects, packNumber);
  return writer.end(packNumber + 1);
}

/**
 * The objects with the tags of PDF/UA and PDF/A, or as Chromium wrote them where its tags cannot be read: a strange text costs its
 * document the two standards, which the file then does not name, and never the document.
 */
async function accessibleObjects(
  file: ChromiumFile,
  texts: NonNullable<DocumentFacts['texts']>,
): Promise<{ objects: Objects; conforms: boolean }> {
  const objects = renumberStructureNodes(file.objects);
  try {
    return { objects, conforms: await makeAccessible(objects, file, texts) };
  } catch {
    return { objects: renumberStructureNodes(file.objects), conforms: false };
  }
}

const change = (objects: Objects, number: number, changed: (dictionary: string) => string) =>
  put(objects, number, changed(textOf(objects, number)));

/** Puts the facts among the objects. */
function addFacts(objects: Objects, file: ChromiumFile, facts: DocumentFacts, conforms: boolean): void {
  const metadata = objects.size + 1;
  const profile = metadata + 1;
  const xmp = Buffer.from(xmpPacket(facts, conforms));
  put(
    objects,
    metadata,
    `<</Type/Metadata/Subtype/XML/Length ${xmp.length}>>stream\n${xmp.toString('latin1')}\nendstream`,
  );
  objects.set(profile, profileStream);
  change(objects, file.catalog, (catalog) => {
    const spoken = catalog.includes('/Lang')
      ? catalog
      : withEntry(catalog, 'Lang', textString(facts.language));
    const withColors = withEntry(
      spoken,
      'OutputIntents',
      `[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB IEC61966-2.1)/DestOutputProfile ${profile} 0 R>>]`,
    );
    return withEntry(withColors, 'Metadata', ` ${metadata} 0 R`);
  });
  change(objects, file.information, (chromium) => {
    const producer = /\/Producer \([^()\\]*\)/.exec(chromium)?.[0] ?? '';
    return `<</Title ${textString(facts.title)}/Author ${textString(facts.author)}/Creator ${textString(creatorTool)}${producer}/CreationDate ${pdfDate(facts.issuedAt)}/Keywords ${textString(facts.documentId)}>>`;
  });
}

/** Puts the field of a signature among the objects, as the only one of a form. */
function addField(
  objects: Objects,
  { pages, catalog }: ChromiumFile,
  field: number,
  signature: number,
): void {
  const [firstPage = 0] = pages;
  // Of no size: the words on the paper say that it is signed. Printed and locked, as viewers expect of a signature.
  put(
    objects,
    field,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature)/F 132/Rect[0 0 0 0]/P ${firstPage} 0 R/V ${signature} 0 R>>`,
  );
  change(objects, firstPage, (page) =>
    // A page with links has a list of them.
    page.includes('/Annots [')
      ? page.replace('/Annots [', `/Annots [${field} 0 R `)
      : withEntry(page, 'Annots', `[${field} 0 R]`),
  );
  change(objects, catalog, (written) =>
    withEntry(
      withEntry(written, 'AcroForm', `<</Fields[${field} 0 R]/SigFlags 3>>`),
      'Perms',
      `<</DocMDP ${signature} 0 R>>`,
    ),
  );
}

/** A dictionary with one entry more. */
function withEntry(dictionary: string, name: string, value: string): string {
  if (dictionary.includes(`/${name}`)) {
    throw new InvalidPdfError(`the PDF has ${name} of its own`);
  }
  return dictionary.replace(/>>$/, () => `/${name}${value}>>`);
}

function signatureEntries({ name, reason, location, contact, signedAt }: SignatureFacts): string {
  const entries = Object.entries({ Name: name, Reason: reason, Location: location, ContactInfo: contact })
    .map(([entry, text]) => (text === null ? '' : `/${entry} ${textString(text)}`))
    .join('');
  return `/Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/M ${pdfDate(signedAt)}${entries}${certification}`;
}

/** Sixteen bytes in hex, as an identifier in a PDF has. */
function digestOf(...parts: Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(part);
  }
  return hash.digest('hex').slice(0, 32);
}
