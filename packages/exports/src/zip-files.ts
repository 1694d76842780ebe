import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file that goes into a zip. */
export interface ZippedFile {
  readonly path: string;
  /** Its name in the zip, with slashes. */
  readonly name: string;
}

/** Writes a new zip of some files. @param mtime of every file in it: the same files make the same zip. */
export async function zipFiles(
  path: string,
  files: readonly ZippedFile[],
  mtime: Date,
  signal?: AbortSignal,
): Promise<void> {
  const sizes = await Promise.all(files.map((file) => stat(file.path).then(({ size }) => size)));
  const zip = openZip();
  const sources: Readable[] = [];
  for (const [index, { path: source, name }] of files.entries()) {
    const size = sizes[index] ?? 0;
    zip.addReadStreamLazy(name, { mtime, mode: 0o100644, size }, (use) => {
      const stream = createReadStream(source);
      stream.once('error', (error) => zip.emit('error', error));
      sources.push(stream);
      use(null, stream);
    });
  }
  zip.end();
  try {
    await pipeline(zip.outputStream, createWriteStream(path, { flags: 'wx' }), { signal });
  } finally {
    // The zip would leave the file open at which it was ended.
    for (const source of sources) {
      source.destroy();
    }
  }
}

/** A file that goes into a zip while the zip is read. */
export interface ZippedSource {
  /** Its name in the zip, with slashes. */
  readonly name: string;
  readonly size: number;
  /** Called when its place in the zip is reached. */
  open(): Promise<Readable>;
}

/** A zip that is made while it is read, file by file. A file that cannot be read ends it with an error. */
export function zipStream(files: readonly ZippedSource[], mtime: Date): Readable {
  const zip = openZip();
  const fail = (error: Error) => zip.emit('error', error);
  for (const { name, size, open } of files) {
    zip.addReadStreamLazy(name, { mtime, mode: 0o100644, size }, (use) => {
      open().then((stream) => use(null, stream.once('error', fail)), fail);
    });
  }
  zip.end();
  return zip.outputStream as Readable;
}

/**
 * A zip whose errors are those of its output stream: as events without a listener they would end the process. Every file is deflated,
 * also what is compressed already: of a stored one that is streamed, only its end has the length, and who reads a stream cannot find it.
 */
export function openZip(): ZipFile {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  return zip;
}
