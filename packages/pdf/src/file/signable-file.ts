import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { makeAccessible } from './accessible-file.js';
import { type ChromiumFile, InvalidPdfError, isStream } from './chromium-file.js';
import { crossReferenceStream, type ObjectLocations, objectStream } from './object-streams.js';
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

type Objects = Map<number, Buffer>;

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

/**
 * Writes Chromium's PDF again in one piece: with the document's facts instead of Chromium's own, a placeholder for the
 * signature, tags and colours as PDF/UA and PDF/A want them, and packed (ISO 32000-1, 7.5.7), since the tags for screen readers
 * take several times the space of the text.
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
  const [signatureNumber, packNumber, tableNumber] = addFacts(objects, file, facts, conforms);

  const parts: Buffer[] = [];
  let length = 0;
  const places: ObjectLocations = new Map();
  const add = (part: Buffer | string) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(bytes);
    length += bytes.length;
    return length;
  };
  const addObject = (number: number, body: Buffer) => {
    places.set(number, { at: length });
    add(`${number} 0 obj\n`);
    add(body);
    add('\nendobj\n');
  };

  add(head);
  const packed: [number, Buffer][] = [];
  for (const [number, body] of objects) {
    // The catalog is an object of its own, readable without decompression.
    if (isStream(body) || number === file.catalog) {
      addObject(number, body);
    } else {
      places.set(number, { inside: packNumber, index: packed.push([number, body]) - 1 });
    }
  }
  addObject(packNumber, objectStream(packed));

  places.set(signatureNumber, { at: length });
  const rangeAt = add(`${signatureNumber} 0 obj\n<<${signatureEntries(signature)}/ByteRange [0 `);
  const placeholderAt = add(`${' '.repeat(3 * placeDigits + 2)}]/Contents `);
  const placeholderEnd = add(`<${'0'.repeat(2 * placeholderBytes)}>`);
  const tableAt = add('>>\nendobj\n');

  const id = `<${digestOf(Buffer.from(facts.documentId))}><${digestOf(...parts)}>`;
  places.set(tableNumber, { at: tableAt });
  add(`${tableNumber} 0 obj\n`);
  add(crossReferenceStream(places, `/Root ${file.catalog} 0 R/Info ${file.information} 0 R/ID[${id}]`));
  add(`\nendobj\nstartxref\n${tableAt}\n%%EOF\n`);

  const bytes = Buffer.concat(parts);
  const range = [placeholderAt, placeholderEnd, length - placeholderEnd].map((place) =>
    String(place).padEnd(placeDigits),
  );
  bytes.write(range.join(' '), rangeAt, 'latin1');
  return { bytes, placeholderAt, placeholderEnd };
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

/**
 * Puts the facts, and a field for the signature, among the objects.
 * @returns the numbers of what is written behind them: the signature, the pack and the table.
 */
function addFacts(
  objects: Objects,
  file: ChromiumFile,
  facts: DocumentFacts,
  conforms: boolean,
): [signature: number, pack: number, table: number] {
  const put = (number: number, text: string) => objects.set(number, Buffer.from(text, 'latin1'));
  const change = (number: number, changed: (dictionary: string) => string) =>
    put(number, changed(objects.get(number)?.toString('latin1') ?? ''));
  const [firstPage = 0] = file.pages;
  const field = objects.size + 1;
  const metadata = field + 1;
  const profile = field + 2;
  const signature = field + 3;
  // Of no size: the words on the paper say that it is signed. Printed and locked, as viewers expect of a signature.
  put(
    field,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature)/F 132/Rect[0 0 0 0]/P ${firstPage} 0 R/V ${signature} 0 R>>`,
  );
  const xmp = Buffer.from(xmpPacket(facts, conforms));
  put(
    metadata,
    `<</Type/Metadata/Subtype/XML/Length ${xmp.length}>>stream\n${xmp.toString('latin1')}\nendstream`,
  );
  objects.set(profile, profileStream);
  change(firstPage, (page) =>
    // A page with links has a list of them.
    page.includes('/Annots [')
      ? page.replace('/Annots [', `/Annots [${field} 0 R `)
      : withEntry(page, 'Annots', `[${field} 0 R]`),
  );
  change(file.catalog, (catalog) => {
    const spoken = catalog.includes('/Lang')
      ? catalog
      : withEntry(catalog, 'Lang', textString(facts.language));
    const withForm = withEntry(spoken, 'AcroForm', `<</Fields[${field} 0 R]/SigFlags 3>>`);
    const certified = withEntry(withForm, 'Perms', `<</DocMDP ${signature} 0 R>>`);
    const withColours = withEntry(
      certified,
      'OutputIntents',
      `[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(sRGB)/Info(sRGB IEC61966-2.1)/DestOutputProfile ${profile} 0 R>>]`,
    );
    return withEntry(withColours, 'Metadata', ` ${metadata} 0 R`);
  });
  change(file.information, (chromium) => {
    const producer = /\/Producer \([^()\\]*\)/.exec(chromium)?.[0] ?? '';
    return `<</Title ${textString(facts.title)}/Author ${textString(facts.author)}/Creator ${textString(creatorTool)}${producer}/CreationDate ${pdfDate(facts.issuedAt)}/Keywords ${textString(facts.documentId)}>>`;
  });
  return [signature, signature + 1, signature + 2];
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
