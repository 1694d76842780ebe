import { randomUUID } from 'node:crypto';
import type { CreatedDocument, ErrorBody } from '@pinkas/contracts';
import type { Answer, CallOptions, RunningStack } from '../harness/running-stack.js';

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
  send<Body>(method: string, path: string, options?: CallOptions): Promise<Answer<Body & ErrorBody>> {
    return this.stack.call<Body>(this.key, method, path, options);
  }

  /** Asks for a document. */
  issue(body: unknown, key: string = randomUUID()): Promise<Answer<CreatedDocument & ErrorBody>> {
    return this.send('POST', '/documents', { body, headers: { 'idempotency-key': key } });
  }
}
