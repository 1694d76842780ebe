import type { Readable } from 'node:stream';
import { ApiError } from '@pinkas/service-kit';

/** 256 KB. */
const bodyBytesMax = 262_144;

/** Nesting of objects and arrays; a document needs three. */
const depthMax = 32;

/** `application/json`, in UTF-8 where a character set is named. */
const jsonType = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*("utf-8"|utf-8)[ \t]*)?;?$/i;

/**
 * Reads a body to its end.
 * @param contentLength the Content-Length header, or empty.
 * @throws ApiError `payload_too_large` as soon as it is known; the rest is read and dropped, since closing a connection that
 * the client still writes to would lose the response.
 */
export function readBody(stream: Readable, contentLength: string): Promise<Buffer> {
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
      if (size > bodyBytesMax) {
        return fail(new ApiError('payload_too_large'));
      }
      chunks.push(chunk);
    };
    // Nobody reads the response of a broken connection.
    const broken = (error?: Error) => fail(new ApiError('invalid_json', { cause: error }));
    stream.once('error', broken);
    stream.once('close', () => broken());
    if (Number(contentLength) > bodyBytesMax) {
      return fail(new ApiError('payload_too_large'));
    }
    stream.on('data', append);
    stream.once('end', () => resolve(Buffer.concat(chunks)));
  });
}

/**
 * The JSON object of a body.
 * @throws ApiError `invalid_json`: another content type, not UTF-8, not JSON, not an object, a duplicate member (whose value
 * would depend on the reader), or nested too deeply.
 */
export function parseJsonObject(bytes: Buffer, contentType: string): object {
  if (!jsonType.test(contentType.trim())) {
    throw new ApiError('invalid_json');
  }
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    // The error is no cause of the problem: its message quotes the body.
    throw new ApiError('invalid_json');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_json');
  }
  if (!isUnambiguous(text)) {
    throw new ApiError('invalid_json');
  }
  return value;
}

/** Whether a text that is valid JSON has no duplicate member and is not nested too deeply. */
function isUnambiguous(text: string): boolean {
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (const match of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/g)) {
    const token = match[0];
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (match[1] !== undefined && !isNewName(open.at(-1), token.slice(0, -match[1].length))) {
      return false;
    }
    if (open.length > depthMax) {
      return false;
    }
  }
  return true;
}

/** Adds the name of a member to those of its object. */
function isNewName(names: Set<string> | null | undefined, quoted: string): boolean {
  const name = JSON.parse(quoted) as string;
  if (!names || names.has(name)) {
    return false;
  }
  names.add(name);
  return true;
}
