import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { answerTimeoutMs } from './limits.js';

/** A request as it goes over the wire. */
export interface Sending {
  method: string;
  /** Below the base URL, as it is: what a URL parser would fix reaches the server. */
  path: string;
  headers: OutgoingHttpHeaders;
  /** In pieces, it goes without a Content-Length. */
  body?: string | Buffer | readonly Buffer[] | undefined;
  /** The address that the client has, for example 127.0.0.9, on a connection of its own; by default the machine's choice. */
  localAddress?: string | undefined;
  timeoutMs?: number;
  /** When the caller goes away. */
  signal?: AbortSignal | undefined;
}

/** An answer as it comes over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; a header that came twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly text: string;
}

/** Sends a request over the connections of an agent, with little work of its own. @throws when no whole answer comes in time. */
export function send(
  agent: Agent,
  baseUrl: string,
  { method, path, headers, body, localAddress, timeoutMs = answerTimeoutMs, signal }: Sending,
): Promise<WireAnswer> {
  const { origin, hostname, port } = new URL(baseUrl);
  // Node writes headers in the encoding of a body that is a string.
  const whole = typeof body === 'string' || body instanceof Buffer ? Buffer.from(body) : undefined;
  const pieces = whole === undefined ? ((body ?? []) as readonly Buffer[]) : [];
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      hostname,
      port,
      path: `${baseUrl.slice(origin.length)}${path}` || '/',
      headers: whole === undefined ? headers : { 'content-length': whole.length, ...headers },
      timeout: timeoutMs,
      // A connection belongs to one client address.
      ...(localAddress === undefined ? { agent } : { agent: false, localAddress }),
      ...(signal && { signal }),
    });
    sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered within ${timeoutMs} ms`)));
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(named),
          bytes,
          text: bytes.toString('utf8'),
        });
      });
    });
    for (const piece of pieces) {
      sent.write(piece);
    }
    sent.end(whole);
  });
}

/** A header value outside of Latin-1, as the UTF-8 bytes that a client sends. */
export const utf8Header = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
