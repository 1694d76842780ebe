import { randomUUID } from 'node:crypto';
import type { CreatedDocument } from '@pinkas/contracts';
import type { RunningStack } from '../harness/running-stack.js';

/** Longer than any deadline of the HTTP API: an answer that comes later is a broken promise. */
const answerWithinMs = 35_000;

/** An answer as its text and as what the text says. */
export interface Heard<Body = unknown> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

/** What goes with a request. */
export interface Sending {
  /** A body as it is on the wire. */
  text?: string;
  /** A body as a value. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Somebody who calls the HTTP API with one key. */
export class Caller {
  private constructor(
    private readonly stack: RunningStack,
    /** Where the HTTP API is, with `/v1`. */
    readonly baseUrl: string,
    readonly viewUrlBase: string,
    readonly pdfUrlBase: string,
    readonly key: string,
  ) {}

  static async with(stack: RunningStack, key: string): Promise<Caller> {
    const { base_url, view_url_base, pdf_url_base } = await stack.file();
    return new Caller(stack, base_url, view_url_base, pdf_url_base, key);
  }

  /** Sends a request; never throws for an answer, whatever its status. */
  async send<Body = unknown>(
    method: 'GET' | 'POST',
    path: string,
    sending: Sending = {},
  ): Promise<Heard<Body>> {
    this.stack.recordPersonalData(sending.body);
    const text = sending.text ?? (sending.body === undefined ? undefined : JSON.stringify(sending.body));
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...sending.headers,
      },
      ...(text === undefined ? {} : { body: text }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: JSON.parse(answer) };
  }

  /** Asks for a document. */
  issue(body: unknown, key: string = randomUUID()): Promise<Heard<CreatedDocument>> {
    return this.send('POST', '/documents', { body, headers: { 'idempotency-key': key } });
  }
}
