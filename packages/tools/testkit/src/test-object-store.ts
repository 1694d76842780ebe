import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, reservePort, startChild, waitUntil } from '@pinkas/local-stack/servers';

const bucket = 'documents';
const credentials = { AWS_ACCESS_KEY_ID: 'ObjectStoreOfTests', AWS_SECRET_ACCESS_KEY: 'OnlyOnThisMachine' };

/** What becomes of requests to the store. */
export type StoreFault =
  | 'none'
  | 'silent'
  | '500'
  | '503'
  | 'reset'
  | 'cut'
  | 'wrong bytes'
  /** It knows no header of a checksum, as stores of others than Amazon do. */
  | 'no checksums'
  /** It may be read and listed, and not be written: a missing right, or a quota. */
  | 'no puts';

function refusalOf({ method, headers }: IncomingMessage, fault: StoreFault) {
  const checksum = Object.keys(headers).find((name) => name.startsWith('x-amz-checksum-'));
  if (fault === 'no checksums' && checksum) {
    return { status: 400, code: 'InvalidArgument', message: `Unsupported header '${checksum}'` };
  }
  return fault === 'no puts' && method === 'PUT'
    ? { status: 403, code: 'AccessDenied', message: 'Access Denied.' }
    : null;
}

/** Null where the machine has no versitygw, which docs/operating/object-store.md explains how to get. */
export const storeProgram = findBinary('versitygw');

/** A real object store, whose files are in a folder, behind a proxy that makes it fail. */
export class TestObjectStore {
  /** Of the requests from now on; the first `faults` of them, where it is set. */
  fault: StoreFault = 'none';
  faults = Number.POSITIVE_INFINITY;
  /** The requests that have arrived, by method. */
  readonly arrived: string[] = [];

  private constructor(
    private readonly folder: string,
    private readonly target: string,
    private readonly stopAll: () => Promise<void>,
    readonly url: string,
  ) {}

  /** The address of the proxy, as rendering reads it. */
  get address() {
    return {
      bucket,
      prefix: 'pdf/',
      endpoint: this.url,
      region: 'us-east-1',
      readOnly: false,
      checksums: true,
    };
  }

  /** The environment of a system that stores its PDFs here. */
  get variables(): Record<string, string> {
    return { ARTIFACT_STORE: `s3://${bucket}/pdf?endpoint=${this.url}`, ...credentials };
  }

  static async start(): Promise<TestObjectStore> {
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-store-'));
    await Promise.all(['buckets', 'meta'].map((name) => mkdir(join(folder, name))));
    await mkdir(join(folder, 'buckets', bucket));
    const reserved = await reservePort();
    await reserved.release();
    const target = `http://127.0.0.1:${reserved.port}`;
    const server = await startChild({
      file: storeProgram ?? '',
      args: [
        ...['--port', `127.0.0.1:${reserved.port}`, '--health', '/health', '--quiet'],
        ...['posix', '--sidecar', join(folder, 'meta'), join(folder, 'buckets')],
      ],
      env: {
        ROOT_ACCESS_KEY_ID: credentials.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_ACCESS_KEY: credentials.AWS_SECRET_ACCESS_KEY,
      },
      logFile: join(folder, 'store.log'),
      stopSignal: 'SIGTERM',
      stopGraceMs: 5_000,
    });
    await waitUntil(async () => (await fetch(`${target}/health`).catch(() => null))?.ok === true, {
      what: 'versitygw answers',
      timeoutMs: 30_000,
    });
    // As an operator sets them: the SDK reads the environment.
    Object.assign(process.env, credentials);
    let store: TestObjectStore | undefined;
    const proxy = createServer((request, response) => void store?.handle(request, response));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const stop = async () => {
      proxy.close();
      proxy.closeAllConnections();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    store = new TestObjectStore(
      folder,
      target,
      stop,
      `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    );
    return store;
  }

  stop(): Promise<void> {
    return this.stopAll();
  }

  /** The path of a file, or of the bucket. */
  path(key = ''): string {
    return join(this.folder, 'buckets', bucket, key === '' ? '' : `pdf/${key}`);
  }

  /** The keys of all files. */
  async keys(): Promise<string[]> {
    const entries = await readdir(this.path(), { recursive: true, withFileTypes: true });
    const root = join(this.path(), 'pdf/');
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => path.startsWith(root))
      .map((path) => path.slice(root.length));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.arrived.push(request.method ?? '');
    const fault = this.faults > 0 ? this.fault : 'none';
    this.faults -= 1;
    if (fault === 'silent') {
      return;
    }
    if (fault === 'reset') {
      response.destroy();
      return;
    }
    if (fault === '500' || fault === '503') {
      request.resume();
      const code = fault === '500' ? 'InternalError' : 'SlowDown';
      response.writeHead(Number(fault), { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
      return;
    }
    const refused = refusalOf(request, fault);
    if (refused) {
      request.resume();
      response.writeHead(refused.status, { 'content-type': 'application/xml' });
      response.end(
        `<?xml version="1.0"?><Error><Code>${refused.code}</Code><Message>${refused.message}</Message></Error>`,
      );
      return;
    }
    this.#forward(request, response, fault);
  }

  #forward(request: IncomingMessage, response: ServerResponse, fault: StoreFault): void {
    const { method, headers, url = '/' } = request;
    const upstream = openRequest(new URL(url, this.target), { agent: new Agent(), method, headers });
    upstream.once('error', () => response.destroy());
    upstream.once('response', async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        chunks.push(chunk);
      }
      const body = Buffer.concat(chunks);
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fault === 'cut' && body.length > 1) {
        response.write(body.subarray(0, body.length / 2), () => response.destroy());
        return;
      }
      if (fault === 'wrong bytes' && body.length > 1_000) {
        body[1_000] = (body[1_000] ?? 0) ^ 1;
      }
      response.end(body);
    });
    request.pipe(upstream);
  }
}
