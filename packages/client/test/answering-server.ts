import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorCode } from '@pinkas/contracts';
import { errorCatalogue } from '@pinkas/contracts';
import { errorExample } from '@pinkas/contracts/openapi';

/** One request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the server does with one request. */
export type Act = (response: ServerResponse) => void;

/** A real HTTP server that gives the scripted responses in order, and records the requests. */
export class AnsweringServer {
  readonly arrived: Arrived[] = [];
  readonly #acts: Act[] = [];
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.arrived.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      const act = this.#acts.shift() ?? answer(500, { unexpected: request.url });
      act(response);
    });
  });

  static async start(): Promise<AnsweringServer> {
    const started = new AnsweringServer();
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Clears the recorded requests, and scripts the next responses. */
  script(...acts: Act[]): void {
    this.arrived.length = 0;
    this.#acts.splice(0, this.#acts.length, ...acts);
  }

  /** Lets a process end while the server listens. */
  unref(): void {
    this.#server.unref();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const requestId = '00000000-0000-4000-8000-00000000000a';

/** Answers with JSON. */
export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Act {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': requestId, ...headers })
      .end(JSON.stringify(body));
}

/** Responds with an error of the API. */
export function refuse(code: ErrorCode, headers: Record<string, string> = {}): Act {
  return answer(errorCatalogue[code].httpStatus, errorExample(code, 'https://api.example.com/docs'), headers);
}

/** Responds as a proxy without a backend. */
export const proxyPage =
  (status: number): Act =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');

/** Closes the connection without an answer. */
export const hangUp: Act = (response) => response.destroy();

/** Promises more than it sends. */
export const breakOff: Act = (response) => {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":"', () => response.destroy());
};

/** Never answers. */
export const stayMute: Act = () => {};
