import { Injectable } from '@nestjs/common';
import { InjectConfig, inSpan, markFailed, SpanKind } from '@pinkas/service-kit';
import { Agent, type Dispatcher, fetch, ProxyAgent } from 'undici';
import type { AllocationConfig } from '../config.js';

/** More than any answer of the authority that we know. */
const answerBytesMax = 64 * 1024;

/** What is sent. */
interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The response, of any status. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: string;
}

/** Failures before a connection stood: nothing was asked. */
const neverLeft = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether a call that failed may have reached the authority. In doubt it has. */
export function mayHaveArrived(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown } } | null)?.cause;
  return !neverLeft.has(String(cause?.code));
}

/** The way to the authority: directly, or through the configured proxy. */
@Injectable()
export class AuthorityHttp {
  readonly #dispatcher: Dispatcher;

  constructor(@InjectConfig() { taxAuthorityProxyUrl: proxy }: AllocationConfig) {
    this.#dispatcher = proxy === '' ? new Agent() : new ProxyAgent(proxy);
  }

  /**
   * One call. Redirects are not followed, and no more than 64 KB are read.
   * @param signal ends it, also while the body is being read.
   * @throws Error when the authority cannot be reached, the signal ends it, or the answer is too long.
   */
  call(url: string, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { hostname, pathname } = new URL(url);
    const attributes = { 'http.request.method': request.method, 'server.address': hostname };
    return inSpan(`${request.method} ${pathname}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const answer = await this.#call(url, request, signal);
      span.setAttribute('http.response.status_code', answer.status);
      if (answer.status >= 400) {
        markFailed(span, String(answer.status));
      }
      return answer;
    });
  }

  async #call(url: string, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const response = await fetch(url, {
      ...request,
      redirect: 'manual',
      signal,
      dispatcher: this.#dispatcher,
    });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      // Leaving the loop cancels the body, and with it the connection.
      if (bytes > answerBytesMax) {
        throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
      }
      chunks.push(chunk);
    }
    // PostgreSQL keeps no NUL; none belongs into JSON either.
    const body = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '');
    return { status: response.status, headers: response.headers, body };
  }
}
