/** One value of a DER encoding (ITU-T X.690), as a place in the bytes that it was read from. */
export interface DerValue {
  /** The identifier octet: class, constructed bit and tag number. */
  readonly tag: number;
  /** Identifier, length and contents. */
  readonly whole: Buffer;
  readonly contents: Buffer;
}

/** The bytes are no DER encoding. */
export class DerError extends Error {
  override readonly name = 'DerError';
}

const constructedBit = 0x20;
const highTagNumber = 0x1f;
const longFormBit = 0x80;
/** Four octets of length say as much as any file holds. */
const lengthOctetsMax = 4;

/**
 * Reads the value at the beginning of `bytes`; what follows it is left alone.
 * @throws DerError
 */
export function readDer(bytes: Buffer): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('a value is cut short');
  if ((tag & highTagNumber) === highTagNumber) throw new DerError('a tag number is too high');
  let length = first;
  let start = 2;
  if (first & longFormBit) {
    const octets = first & ~longFormBit;
    if (octets === 0 || octets > lengthOctetsMax) throw new DerError('a length is not definite');
    if (bytes.length < start + octets) throw new DerError('a value is cut short');
    length = bytes.readUIntBE(start, octets);
    start += octets;
  }
  const end = start + length;
  if (end > bytes.length) throw new DerError('a value is cut short');
  return { tag, whole: bytes.subarray(0, end), contents: bytes.subarray(start, end) };
}

/**
 * The values inside of a constructed one.
 * @throws DerError
 */
export function childrenOf({ tag, contents }: DerValue): DerValue[] {
  if ((tag & constructedBit) === 0) throw new DerError('a value holds no others');
  const children: DerValue[] = [];
  for (let rest = contents; rest.length > 0; ) {
    const child = readDer(rest);
    children.push(child);
    rest = rest.subarray(child.whole.length);
  }
  return children;
}

const objectIdentifierTag = 0x06;

/**
 * An object identifier in its dotted form, such as `1.2.840.113549.1.7.2`.
 * @throws DerError when it is another kind of value.
 */
export function objectIdentifier({ tag, contents }: DerValue): string {
  if (tag !== objectIdentifierTag) throw new DerError('something else stands where a name must');
  const numbers: number[] = [];
  let number = 0;
  for (const octet of contents) {
    number = number * 128 + (octet & 0x7f);
    if (octet & 0x80) continue;
    // The first octet holds the first two numbers.
    if (numbers.length === 0) numbers.push(Math.min(2, Math.floor(number / 40)));
    numbers.push(numbers.length === 1 ? number - 40 * (numbers[0] ?? 0) : number);
    number = 0;
  }
  return numbers.join('.');
}

/** An instant: UTCTime or GeneralizedTime in UTC, to the second. */
export function instantOf({ tag, contents }: DerValue): Date {
  const utcTime = 0x17;
  const text = contents.toString('latin1');
  // UTCTime has two digits of the year: 50 to 99 are of the last century (RFC 5280, 4.1.2.5.1).
  const full = tag === utcTime ? `${text < '50' ? '20' : '19'}${text}` : text;
  const match = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(full);
  if (!match) throw new DerError('an instant has another form');
  const [, year, month, day, hour, minute, second] = match;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
