import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { InvalidPdfError, isStream } from './chromium-file.js';

const inflated = promisify(inflate);
const deflated = promisify(deflate);

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
  return (packed ? ((await inflated(data)) as Buffer) : data).toString('latin1');
}

/** Sets a stream object. */
export async function putData(objects: Objects, number: number, data: string): Promise<void> {
  const packed = (await deflated(Buffer.from(data, 'latin1'))) as Buffer;
  objects.set(
    number,
    Buffer.concat([
      Buffer.from(`<</Filter/FlateDecode/Length ${packed.length}>>stream\n`),
      packed,
      Buffer.from('\nendstream'),
    ]),
  );
}
