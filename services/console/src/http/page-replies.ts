import { Readable } from 'node:stream';
import { fastifyCookie as cookie } from '@fastify/cookie';
import { Injectable } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { HttpMetrics, type HttpReply } from '@pinkas/service-kit/http';
import type { ConsoleConfig } from '../config.js';
import type { PageReply, SetCookie } from './console-page.js';
import { PageFrame } from './page-frame.js';
import { downloadHeaders, pageHeaders } from './page-headers.js';
import type { RawVisit } from './read-visit.js';
import type { Visit } from './visit.js';

/** A reply that is shown in the frame. */
export type HtmlReply = Extract<PageReply, { kind: 'html' }>;

type FileReply = Extract<PageReply, { kind: 'file' }>;

/** Files that are read slowly end after a time. */
const downloadsMax = 64;
/** So that no one keeps the others from theirs. */
const downloadsOfPersonMax = 4;
const downloadMaxMs = 60 * 60 * 1000;

/** Makes responses of the replies of pages. */
@Injectable()
export class PageReplies {
  /** Who reads each of the files that are being sent. */
  readonly #downloads: string[] = [];

  constructor(
    @InjectConfig() private readonly config: ConsoleConfig,
    private readonly frame: PageFrame,
    private readonly metrics: HttpMetrics,
  ) {}

  toHttp(reply: PageReply, visit: Visit & RawVisit, cookies: readonly SetCookie[]): HttpReply {
    const made = this.#made(reply, visit);
    const set = cookies.map(({ name, value, maxAgeSeconds }) =>
      cookie.serialize(name, value, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: this.config.consoleUrl.startsWith('https:'),
        ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
      }),
    );
    return set.length === 0 ? made : { ...made, headers: { ...made.headers, 'set-cookie': set } };
  }

  #made(reply: PageReply, visit: Visit & RawVisit): HttpReply {
    switch (reply.kind) {
      case 'html': {
        const { status, retryAfterSeconds: seconds } = reply;
        const retry = seconds === undefined ? {} : { 'retry-after': String(seconds) };
        const body = this.frame.frame(reply, visit);
        // It may hold what a form sent, next to a token (BREACH): the token is masked in another way in each response, and a
        // request from another site has no session (SameSite).
        return { status, headers: { ...pageHeaders, ...retry }, body, compress: true };
      }
      case 'json':
        return {
          status: reply.status,
          headers: { ...downloadHeaders, 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(reply.value),
        };
      case 'file':
        return Buffer.isBuffer(reply.body) || typeof reply.body === 'string'
          ? { status: 200, headers: reply.headers, body: reply.body }
          : this.#stream(reply.headers, reply.body, visit);
      case 'redirect':
        return { status: 303, headers: { ...downloadHeaders, location: reply.location }, body: '' };
    }
  }

  /** A file that is read while it is sent; downloads are counted apart from the requests that pages wait for. */
  #stream(headers: FileReply['headers'], chunks: AsyncIterable<Buffer>, visit: Visit & RawVisit): HttpReply {
    if (visit.isHead) {
      // Fastify would read all of the file to drop it.
      const { 'content-length': _, ...others } = headers;
      return { status: 200, headers: others, body: '' };
    }
    const reader = visit.session?.personId ?? visit.network;
    const own = this.#downloads.filter((other) => other === reader);
    if (this.#downloads.length >= downloadsMax || own.length >= downloadsOfPersonMax) {
      this.metrics.rejected();
      const busy = this.frame.rejected('busy', visit.language);
      return this.#made({ ...busy, status: 503, retryAfterSeconds: 60 } as HtmlReply, visit);
    }
    this.#downloads.push(reader);
    const body = Readable.from(chunks);
    const timeout = setTimeout(() => body.destroy(), downloadMaxMs).unref();
    body.once('close', () => {
      clearTimeout(timeout);
      this.#downloads.splice(this.#downloads.indexOf(reader), 1);
    });
    return { status: 200, headers, body };
  }
}
