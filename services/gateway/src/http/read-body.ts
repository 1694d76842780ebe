import type { Readable } from 'node:stream';
import { Problem } from '@pinkas/service-kit';

/** 256 KB (interface, section 8). */
export const bodyBytesMax = 262_144;

/**
 * Reads a body to its end.
 * @param announced the Content-Length header, or empty.
 * @throws Problem `payload_too_large` as soon as it is known; the rest is read and thrown away, since closing a
 * connection that the client still writes to would take the answer away from it.
 */
export function readBody(stream: Readable, announced: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (problem: Problem) => {
      stream.removeListener('data', take);
      stream.resume();
      reject(problem);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyBytesMax) return refuse(new Problem('payload_too_large'));
      chunks.push(chunk);
    };
    // Nobody is there to read the refusal of a broken connection.
    const broken = (error?: Error) => refuse(new Problem('invalid_json', { cause: error }));
    stream.once('error', broken);
    stream.once('close', () => broken());
    if (Number(announced) > bodyBytesMax) return refuse(new Problem('payload_too_large'));
    stream.on('data', take);
    stream.once('end', () => resolve(Buffer.concat(chunks)));
  });
}
