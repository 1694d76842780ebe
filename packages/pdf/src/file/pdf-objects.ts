import { promisify } from 'node:util';
import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib';
import { InvalidPdfError, isStream } from './chromium-file.js';

const inflated = promisify(inflate);
const deflated = promisify(deflate);
/** What a file consists of is packed in a third of the time of level 6, and takes a fiftieth more space. */
export const packing = { level: 4 } as const;
/** Data of fewer bytes takes less time than its way to another thread and back. */
const smallBytes = 128 * 1024;

/** The objects of a file that is being changed, by number from 1 without a gap. */
export type Objects = Map<number, Buffer>;

/** An object that has no stream. */
export function textOf(objects: ReadonlyMap<number, Buffer>, number: number): string {
  return objects.get(number)?.toString('latin1') ?? '';
}

export function put(objects: Objects, number: number, text: string): void {
  objects.set(number, Buffer.from(text, 'latin1'));
}

/** What an entry of a dictionary refers to. */
export function referenceIn(dictionary: string, name: string): number | null {
  const number = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
  return number === undefined ? null : Number(number);
}

/** The data of a stream object. */
export async function dataOf(objects: Objects, number: number): Promise<string> {
  const body = objects.get(number);
  const at = body?.indexOf('stream\n') ?? -1;
  if (!body || at < 0 || !isStream(body)) {
    throw new InvalidPdfError(`the PDF is damaged: object ${number} is no stream`);
  }
  const data = body.subarray(at + 'stream\n'.length, -'\nendstream'.length);
  const packed = body.subarray(0, at).includes('/FlateDecode');
  if (!packed) {
    return data.toString('latin1');
  }
  // Operators and tables are packed to an eighth or so.
  const small = data.length < smallBytes / 8;
  return (small ? inflateSync(data) : ((await inflated(data)) as Buffer)).toString('latin1');
}

/** Sets a stream object. */
export async function putData(objects: Objects, number: number, data: string): Promise<void> {
  const plain = Buffer.from(data, 'latin1');
  const packed =
    plain.length < smallBytes ? deflateSync(plain, packing) : ((await deflated(plain, packing)) as Buffer);
  objects.set(
    number,
    Buffer.concat([
      Buffer.from(`<</Filter/FlateDecode/Length ${packed.length}>>stream\n`),
      packed,
      Buffer.from('\nendstream'),
    ]),
  );
}
