import { ApiError } from '@pinkas/service-kit';
import { networkOf } from '@pinkas/service-kit/http';
import type { FastifyRequest } from 'fastify';
import { readBody } from './read-body.js';
import { headerOf } from './request-headers.js';

/** A file that a form has sent, in memory alone; or why there is none. */
export type Upload =
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'none' | 'malformed' | 'too_large' | 'busy' };

/** The largest file: a document of a hundred lines with a logo and proofs against revocation has less than one MB. */
const uploadBytesMax = 5 * 1024 * 1024;
/** What a form has around its file. */
const formBytesMax = 16 * 1024;
/** Files that are received at once, and those of one network: they are what bounds the memory. */
const receivedMax = 8;
const receivedOfNetworkMax = 2;
/** The name of the field. */
export const fileField = 'file';

/** Receives files of forms, a few at once. */
export class Uploads {
  readonly #senders: string[] = [];

  async receive(request: FastifyRequest): Promise<Upload> {
    const sender = networkOf(request.ip);
    const own = this.#senders.filter((other) => other === sender);
    if (this.#senders.length >= receivedMax || own.length >= receivedOfNetworkMax) {
      request.raw.resume();
      return { kind: 'busy' };
    }
    this.#senders.push(sender);
    try {
      return await receiveFile(request);
    } finally {
      this.#senders.splice(this.#senders.indexOf(sender), 1);
    }
  }
}

async function receiveFile(request: FastifyRequest): Promise<Upload> {
  const [contentType, contentLength] = [
    headerOf(request.raw, 'content-type'),
    headerOf(request.raw, 'content-length'),
  ];
  try {
    const body = await readBody(request.raw, contentLength ?? '', uploadBytesMax + formBytesMax);
    return await fileIn(body, contentType ?? '');
  } catch (error) {
    if (error instanceof ApiError) {
      return { kind: error.code === 'payload_too_large' ? 'too_large' : 'malformed' };
    }
    throw error;
  }
}

/** The file of a form, by the parser of Node's own `fetch`: whatever it cannot read is malformed. */
async function fileIn(body: Buffer, contentType: string): Promise<Upload> {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) {
    return { kind: 'malformed' };
  }
  const form = await new Response(body, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => null);
  const file = form?.get(fileField);
  if (!form || typeof file === 'string') {
    return { kind: 'malformed' };
  }
  // A browser sends an empty file without a name where none was chosen.
  if (!file || (file.size === 0 && file.name === '')) {
    return { kind: 'none' };
  }
  return file.size > uploadBytesMax
    ? { kind: 'too_large' }
    : { kind: 'file', bytes: Buffer.from(await file.arrayBuffer()) };
}
