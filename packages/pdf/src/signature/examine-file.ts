import { createHash } from 'node:crypto';
import { type ByteRange, signatureRanges } from './signature-range.js';
import { InvalidDerError, parseSignedData } from './signed-data.js';

/** What a file of a stranger is, before anything in it is trusted. */
export type FileKind = 'empty' | 'not_pdf' | 'encrypted' | 'unsigned' | 'signed';

/** A file of a stranger. Nothing of it was decompressed, and no key that it brings was used. */
export interface ExaminedFile {
  readonly kind: FileKind;
  /** SHA-256, in hex, of the complete file. */
  readonly sha256: string;
  /** What the file may have been before something was appended to it: its first bytes, and their SHA-256 in hex. */
  readonly earlier: readonly { readonly bytes: number; readonly sha256: string }[];
  /** SHA-256, in hex, of the certificates in its signatures. */
  readonly certificates: readonly string[];
}

/** How many places behind the signed bytes may be the end of the file that was signed. */
const earlierMax = 4;
const signaturesMax = 4;
const certificatesMax = 16;
/** A signature of ours has a few kilobytes; the structure of a longer one is not read. */
const signatureHexMax = 256 * 1024;
/** A reader looks for the head of a PDF this far into it (ISO 32000-1, annex H.3). */
const headWithin = 1_024;

/**
 * Examines a file whose origin is not known, in a time that grows with its length alone: it hashes it, and reads the certificates in
 * its signatures, without checking them.
 */
export function examineFile(file: Buffer): ExaminedFile {
  const text = file.toString('latin1');
  const ranges = signatureRanges(text).slice(0, signaturesMax);
  const certificates = [...new Set(ranges.flatMap((range) => certificatesOf(file, range)))];
  return {
    kind: kindOf(text, ranges.length > 0),
    ...hashesOf(file, ends(file, ranges)),
    certificates: certificates.slice(0, certificatesMax),
  };
}

function kindOf(text: string, isSigned: boolean): FileKind {
  if (text === '') {
    return 'empty';
  }
  if (!text.slice(0, headWithin).includes('%PDF-')) {
    return 'not_pdf';
  }
  if (/\/Encrypt\s{1,8}\d{1,10}\s{1,8}\d{1,5}\s{1,8}R/.test(text)) {
    return 'encrypted';
  }
  return isSigned ? 'signed' : 'unsigned';
}

function certificatesOf(file: Buffer, [, length, next]: ByteRange): string[] {
  const hex = next - length - 2;
  if (hex <= 0 || hex > signatureHexMax || next > file.length) {
    return [];
  }
  try {
    const signature = Buffer.from(file.toString('latin1', length + 1, next - 1), 'hex');
    return parseSignedData(signature).certificates.map((der) =>
      createHash('sha256').update(der).digest('hex'),
    );
  } catch (error) {
    if (error instanceof InvalidDerError) {
      return [];
    }
    throw error;
  }
}

/** Where the file may have ended: behind what a signature covers, and behind each update after it. */
function ends(file: Buffer, ranges: readonly ByteRange[]): number[] {
  const signed = ranges.map(([, , next, rest]) => next + rest).filter((end) => end < file.length);
  const found = new Set(signed);
  for (let at = Math.min(...signed); found.size < earlierMax && at < file.length; ) {
    const end = file.indexOf('%%EOF\n', at);
    if (end === -1) {
      break;
    }
    at = end + '%%EOF\n'.length;
    found.add(at);
  }
  return [...found].filter((end) => end < file.length).sort((a, b) => a - b);
}

/** The hash of the whole and of its beginnings, in one pass. */
function hashesOf(file: Buffer, places: readonly number[]): Pick<ExaminedFile, 'sha256' | 'earlier'> {
  const hash = createHash('sha256');
  let from = 0;
  const earlier = places.map((until) => {
    hash.update(file.subarray(from, until));
    from = until;
    return { bytes: until, sha256: hash.copy().digest('hex') };
  });
  return { sha256: hash.update(file.subarray(from)).digest('hex'), earlier };
}
