import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** Longer than any deadline of the HTTP API: an answer that comes later is a broken promise. */
const answerTimeoutMs = 35_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One HTTP request, down to its bytes. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  /** The body with its length in the header; or in pieces, without. */
  readonly body?: Buffer | readonly Buffer[];
  /** The address that the client has, for example 127.0.0.9; by default the machine's choice. */
  readonly localAddress?: string;
}

/** One HTTP response, down to its bytes. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; a header that came twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** Sends a request as it is, so that a test decides about every byte, and about the address that it comes from. */
export function send({ method, url, headers, body, localAddress }: WireRequest): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sending = request({
      method,
      hostname,
      port,
      // Not taken apart and put together again: what a URL parser would fix must reach the server.
      path: url.slice(new URL(url).origin.length) || '/',
      headers: body instanceof Buffer ? { ...headers, 'content-length': body.length } : headers,
      timeout: answerTimeoutMs,
      // A connection belongs to one client address.
      ...(localAddress === undefined ? { agent } : { agent: false, localAddress }),
    });
    sending.once('timeout', () => sending.destroy(new Error(`${method} ${url} was not answered in time`)));
    sending.once('error', reject);
    sending.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(response.headers).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.join(', ') : (value ?? ''),
            ]),
          ),
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    for (const piece of body === undefined || body instanceof Buffer ? [] : body) {
      sending.write(piece);
    }
    sending.end(body instanceof Buffer ? body : undefined);
  });
}

/** A header value outside of Latin-1, as the UTF-8 bytes that a client sends. */
export function utf8Header(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Closes the connections that are kept for more requests. */
export function closeConnections(): void {
  agent.destroy();
}
