import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';

/** A request as it goes over the wire, the path behind that of the base URL. */
export interface Sending {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body?: string | Buffer | undefined;
  /** By default longer than any deadline of the HTTP API: an answer that comes later is a broken promise. */
  timeoutMs?: number;
  /** When the caller goes away. */
  signal?: AbortSignal | undefined;
}

/** Sends a request over the connections of an agent, with little work of its own. @throws when no whole answer comes in time. */
export function send(
  agent: Agent,
  baseUrl: string,
  { method, path, headers, body, timeoutMs = 35_000, signal }: Sending,
): Promise<{ status: number; text: string }> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const to = { agent, hostname, port, path: `${pathname}${path}`, method, headers, timeout: timeoutMs };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, ...(signal && { signal }) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered within ${timeoutMs} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}
