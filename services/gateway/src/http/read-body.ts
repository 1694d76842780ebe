import type { Readable } from 'node:stream';
import { MIMEType } from 'node:util';
import { invalidJsonCauses, memberTwice, type Sentence } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';

/** 256 KB. */
const bodyBytesMax = 262_144;

/** Nesting of objects and arrays; a document needs three. */
const depthMax = 32;

/**
 * Reads a body to its end.
 * @param contentLength the Content-Length header, or empty.
 * @param bytesMax by default that of JSON.
 * @throws ApiError `payload_too_large` as soon as it is known; the rest is read and dropped, since closing a connection that
 * the client still writes to would lose the response.
 */
export function readBody(
  stream: Readable,
  contentLength: string,
  bytesMax: number = bodyBytesMax,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (apiError: ApiError) => {
      stream.removeListener('data', append);
      stream.resume();
      reject(apiError);
    };
    const append = (chunk: Buffer) => {
      size += chunk.length;
      if (size > bytesMax) {
        return fail(new ApiError('payload_too_large'));
      }
      chunks.push(chunk);
    };
    // Nobody reads the response of a broken connection.
    const broken = (error?: Error) =>
      fail(new ApiError('invalid_json', { cause: error, explanation: invalidJsonCauses.incomplete }));
    stream.once('error', broken);
    stream.once('close', () => broken());
    if (Number(contentLength) > bytesMax) {
      return fail(new ApiError('payload_too_large'));
    }
    stream.on('data', append);
    stream.once('end', () => resolve(Buffer.concat(chunks)));
  });
}

/** The headers that say what a body is, each undefined where its lines differ. */
interface BodyHeaders {
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly transferEncoding: string;
}

/**
 * The JSON object of a body.
 * @throws ApiError `invalid_json`, which explains why: another media type or encoding, a compressed body, not UTF-8, not JSON, not an
 * object, a member twice (whose value would depend on the reader), or nested too deeply.
 */
export function parseJsonObject(bytes: Buffer, headers: BodyHeaders): object {
  checkHeaders(headers);
  if (bytes.length === 0) {
    throw invalidJson(invalidJsonCauses.empty);
  }
  const text = decodeText(bytes);
  const value = parseText(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidJson(invalidJsonCauses.notObject);
  }
  checkUnambiguous(text);
  return value;
}

const invalidJson = (explanation: Sentence) => new ApiError('invalid_json', { explanation });

/** Parameters of the media type have no effect, but for a charset that names another encoding. */
function checkHeaders({ contentType, contentEncoding, transferEncoding }: BodyHeaders): void {
  if (contentType !== undefined) {
    const type = mediaTypeOf(contentType);
    if (type?.essence !== 'application/json') {
      throw invalidJson(invalidJsonCauses.contentType);
    }
    if (!/^(utf-?8)?$/i.test(type.params.get('charset') ?? '')) {
      throw invalidJson(invalidJsonCauses.charset);
    }
  }
  if (!/^(identity)?$/i.test(contentEncoding ?? '') || !/^(chunked)?$/i.test(transferEncoding)) {
    throw invalidJson(invalidJsonCauses.compressed);
  }
}

function mediaTypeOf(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidJson(invalidJsonCauses.notUtf8);
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error is no cause of the problem: its message quotes the body.
    throw invalidJson(invalidJsonCauses.notJson);
  }
}

/** @throws ApiError where a text that is valid JSON has a member twice or is nested too deeply. */
function checkUnambiguous(text: string): void {
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (const match of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g)) {
    const token = match[0];
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (match[1] !== undefined) {
      addName(open.at(-1), JSON.parse(token.slice(0, -match[1].length)) as string);
    }
    if (open.length > depthMax) {
      throw invalidJson(invalidJsonCauses.tooDeep);
    }
  }
}

/** Adds the name of a member to those of its object. */
function addName(names: Set<string> | null | undefined, name: string): void {
  if (!names || names.has(name)) {
    throw invalidJson(memberTwice(name));
  }
  names.add(name);
}
