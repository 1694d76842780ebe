import { deflateSync } from 'node:zlib';
import { packing } from './pdf-objects.js';

/** Where each object is: a byte offset in the file, or an index in an object stream. */
export type ObjectLocations = Map<
  number,
  { readonly at: number } | { readonly inside: number; readonly index: number }
>;

/** The body of an object stream (ISO 32000-1, 7.5.7). None of the objects may have a stream of its own. */
export function objectStream(objects: readonly (readonly [number, Buffer])[]): Buffer {
  let length = 0;
  const heads: string[] = [];
  for (const [number, body] of objects) {
    heads.push(`${number} ${length}`);
    length += body.length + 1;
  }
  const head = Buffer.from(`${heads.join(' ')}\n`);
  const newline = Buffer.from('\n');
  const contents = Buffer.concat([head, ...objects.flatMap(([, body]) => [body, newline])]);
  return packedStream(`/Type/ObjStm/N ${objects.length}/First ${head.length}`, contents);
}

/**
 * The body of a cross-reference stream (ISO 32000-1, 7.5.8).
 * @param places of every object from 1, without a gap, this one included.
 * @param trailer the entries of a trailer, but for the size.
 */
export function crossReferenceStream(places: ObjectLocations, trailer: string): Buffer {
  const size = places.size + 1;
  const entryBytes = 7;
  const table = Buffer.alloc(size * entryBytes);
  // Object 0 is the head of the empty list of free objects.
  table.writeUInt16BE(0xffff, 5);
  for (const [number, place] of places) {
    const at = number * entryBytes;
    table.writeUInt8('at' in place ? 1 : 2, at);
    table.writeUInt32BE('at' in place ? place.at : place.inside, at + 1);
    table.writeUInt16BE('at' in place ? 0 : place.index, at + 5);
  }
  return packedStream(`/Type/XRef/Size ${size}/W[1 4 2]${trailer}`, table);
}

function packedStream(entries: string, contents: Buffer): Buffer {
  // So little that the way to a thread and back takes longer.
  const packed = deflateSync(contents, packing);
  return Buffer.concat([
    Buffer.from(`<<${entries}/Filter/FlateDecode/Length ${packed.length}>>stream\n`, 'latin1'),
    packed,
    Buffer.from('\nendstream'),
  ]);
}
