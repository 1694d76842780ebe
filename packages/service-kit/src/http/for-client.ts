import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import type { HttpReply } from './http-reply.js';

const gzipAsync = promisify(gzip);
/** Less than this fits into one packet anyway. */
const smallestBytes = 1_024;
/** A page costs about a millisecond. */
const pageLevel = 5;

/** What was compressed once. */
const zipped = new WeakMap<Buffer, Promise<Buffer>>();

/** A reply as its client gets it: nothing where it has the entity already, and compressed where it accepts that. */
export async function forClient({ headers: asked }: FastifyRequest, reply: HttpReply): Promise<HttpReply> {
  const { status, headers, body, compress = false, logFields = {} } = reply;
  const ownHeaders = compress ? { ...headers, vary: 'accept-encoding' } : headers;
  if (status === 200 && matchesEntityTag(asked['if-none-match'], headers.etag)) {
    return { status: 304, headers: ownHeaders, body: '', logFields };
  }
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  if (!compress || !isText || body.length < smallestBytes || !acceptsGzip(asked['accept-encoding'])) {
    return { status, headers: ownHeaders, body, logFields };
  }
  return {
    status,
    headers: { ...ownHeaders, 'content-encoding': 'gzip' },
    body: await (typeof body === 'string' ? gzipAsync(body, { level: pageLevel }) : zippedOnce(body)),
    logFields,
  };
}

function zippedOnce(bytes: Buffer): Promise<Buffer> {
  const known = zipped.get(bytes) ?? gzipAsync(bytes, { level: constants.Z_BEST_COMPRESSION });
  zipped.set(bytes, known);
  return known;
}

/** Whether a client accepts gzip, from its `Accept-Encoding`. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return /(^|,)\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9])\S*)?\s*(,|$)/i.test(String(acceptEncoding ?? ''));
}

/** Whether an If-None-Match header (RFC 9110, 13.1.2) names an entity tag; a weak one is as good as a strong one. */
export function matchesEntityTag(header: string | undefined, tag: string | string[] | undefined): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined &&
    typeof tag === 'string' &&
    (header.trim() === '*' || header.split(',').some((item) => opaque(item) === opaque(tag)))
  );
}
