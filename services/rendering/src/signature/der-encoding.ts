/** What DER (ITU-T X.690) calls the kinds of values that a signature is made of. */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  contextConstructed: 0xa0,
} as const;

function value(tag: number, ...contents: Buffer[]): Buffer {
  const length = contents.reduce((sum, part) => sum + part.length, 0);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | octets.length, ...octets];
  return Buffer.concat([Buffer.from(head), ...contents]);
}

export const sequence = (...parts: Buffer[]): Buffer => value(tags.sequence, ...parts);

/** A set, in the one order that DER allows. */
export const setOf = (...members: Buffer[]): Buffer => value(tags.set, ...members.sort(Buffer.compare));

export const octetString = (bytes: Buffer): Buffer => value(tags.octetString, bytes);

export const nothing = (): Buffer => value(tags.null);

export const yes = (): Buffer => value(tags.boolean, Buffer.from([0xff]));

/** A whole number that is not negative, from its bytes, the highest first. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((octet) => octet !== 0);
  const significant = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  // A leading one would say that the number is negative.
  const sign = (significant[0] ?? 0) & 0x80 ? [Buffer.from([0])] : [];
  return value(tags.integer, ...sign, significant);
}

/** @param dotted such as `1.2.840.113549.1.7.2`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((number) => {
    const groups = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) {
      groups.unshift(0x80 | (left % 128));
    }
    return groups;
  });
  return value(tags.objectIdentifier, Buffer.from(octets));
}

/** A value in its place, `[number]`, with its own tag inside. */
export const explicit = (number: number, ...contents: Buffer[]): Buffer =>
  value(tags.contextConstructed | number, ...contents);

/** A value in its place, `[number]`, whose tag takes the place of its own. */
export function implicit(number: number, encoded: Buffer): Buffer {
  const retagged = Buffer.from(encoded);
  retagged[0] = tags.contextConstructed | number;
  return retagged;
}
