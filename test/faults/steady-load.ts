import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { CreateDocument, CreatedDocument, ErrorBody } from '@pinkas/contracts';
import type { ObservedDocument } from '../harness/book.js';
import { type Issuer, invoice, type RunningStack } from '../harness/running-stack.js';
import { send } from '../harness/send.js';

/** Between two requests of a caller, so that a shared machine keeps some room. */
const defaultPauseMs = 500;

/** A request that did not get what it asked for. */
export interface FailedRequest {
  what: string;
  /** Null where the connection broke before an answer was there. */
  status: number | null;
  code: string | null;
  retryable: boolean;
  /** For a document: what to send again. */
  key: string | null;
  body: CreateDocument | null;
  reason: string;
  /** When it was sent, and when it had failed, on the clock of `performance`. */
  sentMs: number;
  failedMs: number;
}

/** What every caller does in turns; the first three issue documents, two of them of one series. */
const kinds: readonly (() => CreateDocument | string)[] = [
  () => invoice(100),
  () => invoice(6000),
  () => ({ ...invoice(50), type: 'quote' }),
  () => '/documents?limit=20',
  () => '/customers?q=%D7%9C%D7%A7%D7%95%D7%97',
  () => '/me',
];

/**
 * A bounded load of callers that do not forgive: each asks again and again over a connection that it keeps open, and sends
 * nothing twice.
 */
export class SteadyLoad {
  readonly failed: FailedRequest[] = [];
  /** The documents that callers were given, by type. */
  readonly seen: Record<'tax_invoice' | 'quote', ObservedDocument[]> = { tax_invoice: [], quote: [] };
  answered = 0;
  #running = true;
  #lanes: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly stack: RunningStack,
    private readonly baseUrl: string,
    private readonly issuer: Issuer,
    private readonly pauseMs: number,
  ) {}

  /** Starts so many callers of each kind. */
  static async start(
    stack: RunningStack,
    issuer: Issuer,
    callersOfEach: number,
    pauseMs = defaultPauseMs,
  ): Promise<SteadyLoad> {
    const load = new SteadyLoad(stack, (await stack.file()).base_url, issuer, pauseMs);
    const lanes = kinds.flatMap((kind) => Array.from({ length: callersOfEach }, () => load.#caller(kind)));
    load.#lanes = Promise.all(lanes);
    return load;
  }

  /** Ends when every caller has its last answer. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#lanes;
  }

  async #caller(kind: () => CreateDocument | string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (this.#running) {
      const asked = kind();
      if (typeof asked === 'string') {
        await this.#ask(agent, asked, null, null);
      } else {
        await this.#ask(agent, '/documents', asked, randomUUID());
      }
      await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
    }
    agent.destroy();
  }

  async #ask(agent: Agent, path: string, body: CreateDocument | null, key: string | null): Promise<void> {
    const sentMs = performance.now();
    const fail = (item: Pick<FailedRequest, 'status' | 'code' | 'retryable' | 'reason'>) =>
      this.failed.push({ what: path, key, body, sentMs, failedMs: performance.now(), ...item });
    try {
      const answer = await this.#send(agent, path, body, key);
      const given = JSON.parse(answer.text) as CreatedDocument & ErrorBody;
      if (answer.status !== (body ? 201 : 200)) {
        const { code, retryable } = given.error;
        fail({ status: answer.status, code, retryable, reason: answer.text });
        return;
      }
      this.answered += 1;
      if (body && key) {
        const { id, number, totals } = given;
        this.seen[body.type as 'tax_invoice' | 'quote'].push({ key, id, number, total: totals.total });
      }
    } catch (error) {
      fail({ status: null, code: null, retryable: true, reason: String(error) });
    }
  }

  #send(
    agent: Agent,
    path: string,
    body: CreateDocument | null,
    key: string | null,
  ): Promise<{ status: number; text: string }> {
    this.stack.recordPersonalData(body);
    return send(agent, this.baseUrl, {
      method: body ? 'POST' : 'GET',
      path,
      headers: {
        authorization: `Bearer ${this.issuer.key}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': key ?? '' }),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
  }
}
