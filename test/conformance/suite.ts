import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as pass } from 'node:timers/promises';
import {
  type ApiKey,
  type Business,
  type BusinessChange,
  type Contract,
  type CreatedDocument,
  createBusiness,
  createKey,
  type DocumentDetail,
  type ErrorBody,
  type Profile,
  type ReplyOf,
  type RequestOf,
  updateBusiness,
} from '@pinkas/contracts';
import type { StackFile } from '@pinkas/local-stack';
import { connectNats, newContext, RpcClient, withContext } from '@pinkas/service-kit/client';
import { demoBusiness } from '@pinkas/testkit/examples';
import { RunningStack } from '../harness/running-stack.js';
import { Recording } from './recording.js';
import { closeConnections, send } from './wire.js';

/** How often a document that must be issued is requested again, and the pause before. */
const repeatsMax = 3;
const repeatPauseMs = 1_000;

/** An answer of the HTTP API. */
export interface Answer<Body = unknown> {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** A business, and a key of it that no limit holds up. */
export interface Issuer {
  readonly business: Business;
  readonly key: string;
  readonly keyId: string;
}

/** What a request is made of, beside its method and path. */
export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as they are; in pieces, without a Content-Length. */
  readonly bytes?: Buffer | readonly Buffer[];
  /** Laid over the usual headers; `undefined` takes one away. */
  readonly headers?: OutgoingHttpHeaders;
  /** The client's address; a request without a key comes from a new one each time. */
  readonly address?: string;
}

/** What a key may do; a limit that is `undefined` is the one that every key has by default. */
type KeyOptions = {
  [Option in keyof Omit<RequestOf<typeof createKey>, 'business_id'>]?:
    | RequestOf<typeof createKey>[Option]
    | undefined;
};

interface Running {
  readonly stack: RunningStack;
  readonly file: StackFile;
  readonly nats: Awaited<ReturnType<typeof connectNats>>;
  readonly rpc: RpcClient;
}

/** The running system as the sections of this suite see it. Every call of the HTTP API goes through its recording. */
export class Suite {
  readonly recording = new Recording(() => this.file.docs_url);
  #running: Running | undefined;
  #addresses = 0;

  /** Starts the system, once for all sections, on the oldest Node that it must run on. */
  async start(): Promise<void> {
    const stack = await RunningStack.start({}, 'oldest');
    try {
      const file = await stack.file();
      const nats = await connectNats(file.nats_url, 'conformance');
      this.#running = { stack, file, nats, rpc: new RpcClient(nats) };
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** Ends it. */
  async stop(): Promise<void> {
    closeConnections();
    await this.#running?.nats.close();
    await this.#running?.stack.stop();
  }

  get #system(): Running {
    if (!this.#running) {
      throw new Error('the system does not run');
    }
    return this.#running;
  }

  get stack(): RunningStack {
    return this.#system.stack;
  }

  /** `stack.json` as it was at the start: the addresses, which never change. */
  get file(): StackFile {
    return this.#system.file;
  }

  /** Asks like the operator's command does, without the time that a command takes to start. */
  callContract<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    const { rpc } = this.#system;
    return withContext(newContext(30_000), () => rpc.call(contract, request));
  }

  /** Makes a business, the demo's with these settings, and a key. */
  async newIssuer(settings: BusinessChange = {}, key: KeyOptions = {}): Promise<Issuer> {
    const wanted: BusinessChange = { ...demoBusiness, ...settings };
    this.stack.recordPersonalData(wanted);
    const { business } = await this.callContract(createBusiness, { business: wanted });
    const made = await this.newKey(business.id, key);
    return { business, key: made.key, keyId: made.id };
  }

  async newKey(businessId: string, options: KeyOptions = {}): Promise<ApiKey & { key: string }> {
    const wanted = { per_minute: 1_000_000, daily_documents: 1_000_000, ...options };
    const said = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const made = await this.callContract(createKey, { ...Object.fromEntries(said), business_id: businessId });
    this.stack.recordPersonalData(made);
    return made;
  }

  async change({ business }: Issuer, settings: BusinessChange): Promise<void> {
    await this.callContract(updateBusiness, { business_id: business.id, change: settings });
  }

  /**
   * A client address that nothing else in this suite comes from: the caller that brings no valid key is counted by address, and
   * one test must not spend the budget of another.
   */
  newAddress(): string {
    this.#addresses += 1;
    return `127.1.${Math.floor(this.#addresses / 250)}.${1 + (this.#addresses % 250)}`;
  }

  /** Calls the HTTP API below its base address. */
  async call<Body>(
    key: string | null,
    method: string,
    path: string,
    { body, bytes, headers, address }: CallOptions = {},
  ): Promise<Answer<Body & ErrorBody>> {
    this.stack.recordPersonalData(body);
    const content = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const localAddress = address ?? (key === null ? this.newAddress() : undefined);
    const wanted: OutgoingHttpHeaders = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const answer = await send({
      method,
      url: `${this.file.base_url}${path}`,
      headers: Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      ...(content === undefined ? {} : { body: content }),
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    this.recording.record({ method, path, answer });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (method === 'HEAD' ? {} : JSON.parse(answer.bytes.toString('utf8'))) as Body & ErrorBody,
    };
  }

  get<Body>(key: string | null, path: string): Promise<Answer<Body & ErrorBody>> {
    return this.call(key, 'GET', path);
  }

  /** POST /documents with any body. */
  issue(
    key: string,
    body: unknown,
    idempotencyKey: string = randomUUID(),
    options: CallOptions = {},
  ): Promise<Answer<CreatedDocument & ErrorBody>> {
    return this.call(key, 'POST', '/documents', {
      ...(options.bytes === undefined ? { body } : {}),
      ...options,
      headers: { 'idempotency-key': idempotencyKey, ...options.headers },
    });
  }

  /**
   * Issues a document that must be issued. A refusal that may be repeated is, with the same key, as a caller does: a machine that is
   * busy with everything else may miss a time limit.
   */
  async issued(key: string, body: unknown, idempotencyKey: string = randomUUID()): Promise<CreatedDocument> {
    let answer = await this.issue(key, body, idempotencyKey);
    for (
      let repeats = 0;
      answer.status !== 201 && answer.body.error.retryable && repeats < repeatsMax;
      repeats += 1
    ) {
      await pass(repeatPauseMs);
      answer = await this.issue(key, body, idempotencyKey);
    }
    if (answer.status !== 201) {
      throw new Error(`a document was not issued: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** A document as GET /documents/{id} returns it. */
  async read(key: string, id: string): Promise<DocumentDetail> {
    const answer = await this.get<DocumentDetail>(key, `/documents/${id}`);
    if (answer.status !== 200) {
      throw new Error(`a document was not read: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  async me(key: string): Promise<Profile> {
    const answer = await this.get<Profile>(key, '/me');
    if (answer.status !== 200) {
      throw new Error(`GET /me was refused: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  cancel<Body>(key: string, id: string, body?: unknown): Promise<Answer<Body & ErrorBody>> {
    return this.call(key, 'POST', `/documents/${id}/cancel`, body === undefined ? {} : { body });
  }

  /** Opens a page or a file like a browser does: without a key, at its whole address. */
  async visit(
    url: string,
    options: { address?: string; method?: string; headers?: OutgoingHttpHeaders } = {},
  ): Promise<Answer<Buffer> & { text: string }> {
    const { status, headers, bytes } = await send({
      method: options.method ?? 'GET',
      url,
      headers: options.headers ?? {},
      localAddress: options.address ?? this.newAddress(),
    });
    return { status, headers, body: bytes, text: bytes.toString('utf8') };
  }
}
