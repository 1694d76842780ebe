import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import {
  type ApiKey,
  type BusinessChange,
  type Contract,
  type DocumentDetail,
  type DocumentPreview,
  type ErrorBody,
  type NewDocument,
  type Profile,
  type ReplyOf,
  type RequestOf,
  updateBusiness,
} from '@pinkas/contracts';
import type { StackFile } from '@pinkas/local-stack';
import { TcpProxy } from '@pinkas/testkit';
import { type Issuer, type KeyOptions, Operator } from '../harness/operator.js';
import { type Answer, type CallOptions, RunningStack } from '../harness/running-stack.js';
import type { WireAnswer } from '../harness/send.js';
import { Recording } from './recording.js';

/** How often a document that must be issued is requested again, and the pause before. */
const repeatsMax = 3;
const repeatPauseMs = 1_000;

/** The services that a test can take away from the others. */
const separable = ['issuing', 'customer', 'allocation', 'delivery'] as const;

export type { Answer, CallOptions, Issuer };

interface Running {
  readonly stack: RunningStack;
  readonly file: StackFile;
  readonly operator: Operator;
}

/** The running system as the sections of this suite see it. Every call of the HTTP API goes through its recording. */
export class Suite {
  readonly recording = new Recording(() => this.file.docs_url);
  readonly #connections = new Map<string, TcpProxy>();
  #home = '';
  #running: Running | undefined;
  #addresses = 0;

  /** Starts the system, once for all sections. */
  async start(): Promise<void> {
    for (const service of separable) {
      const address = () => `tcp://127.0.0.1:${this.#natsPort}`;
      this.#connections.set(service, await TcpProxy.start(address));
    }
    const proxies = [...this.#connections].map(
      ([service, { address }]) => [`${service.toUpperCase()}_NATS_URL`, address] as const,
    );
    const stack = await RunningStack.start(
      { PINKAS_PROXIES: JSON.stringify(Object.fromEntries(proxies)) },
      async (home) => {
        this.#home = home;
        return {};
      },
    );
    try {
      this.#running = { stack, file: await stack.file(), operator: await Operator.at(stack) };
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** Ends it. */
  async stop(): Promise<void> {
    await this.#running?.operator.close();
    await this.#running?.stack.stop();
    await Promise.all([...this.#connections.values()].map((proxy) => proxy.stop()));
  }

  get #natsPort(): number {
    return JSON.parse(readFileSync(join(this.#home, 'ports.json'), 'utf8')).nats;
  }

  /** The connection of a service to NATS: without it, others find the service gone. */
  connectionOf(service: (typeof separable)[number]): TcpProxy {
    return this.#connections.get(service) as TcpProxy;
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
    return this.#system.operator.call(contract, request);
  }

  newIssuer(settings?: BusinessChange, options?: KeyOptions): Promise<Issuer> {
    return this.#system.operator.newIssuer(settings, options);
  }

  newKey(businessId: string, options?: KeyOptions): Promise<ApiKey & { key: string }> {
    return this.#system.operator.newKey(businessId, options);
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

  /** Calls the HTTP API below its base address; a request without a key comes from a new address each time. */
  async call<Body>(
    key: string | null,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer<Body & ErrorBody>> {
    const address = options.address ?? (key === null ? this.newAddress() : undefined);
    const answer = await this.stack.call<Body>(key, method, path, { ...options, address });
    this.recording.record({ method, path, answer });
    return answer;
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
  ): Promise<Answer<NewDocument & ErrorBody>> {
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
  async issued(key: string, body: unknown, idempotencyKey: string = randomUUID()): Promise<NewDocument> {
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

  /** POST /documents/preview with any body. */
  preview(
    key: string,
    body: unknown,
    options: CallOptions = {},
  ): Promise<Answer<DocumentPreview & ErrorBody>> {
    return this.call(key, 'POST', '/documents/preview', {
      ...(options.bytes === undefined ? { body } : {}),
      ...options,
    });
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

  /** Opens a page or a file like a browser does, from a new address each time. */
  visit(url: string, options: CallOptions & { method?: string } = {}): Promise<WireAnswer> {
    return this.stack.visit(url, { ...options, address: options.address ?? this.newAddress() });
  }
}
