import { Readable } from 'node:stream';
import { fastifyCookie as cookie } from '@fastify/cookie';
import multipart from '@fastify/multipart';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, Tracing } from '@pinkas/service-kit';
import { ConcurrencyLimiter, QueueFullError } from '@pinkas/service-kit/concurrency';
import { checkPublicAddresses, Diagnosis } from '@pinkas/service-kit/diagnosis';
import { HttpFront, HttpMetrics, type HttpReply, type Refusal } from '@pinkas/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assets } from '../assets/assets.js';
import type { ConsoleConfig } from '../config.js';
import { BodyReceipts } from './body-receipts.js';
import { type BoundPage, pageBindingsOf, pagesOf, pathsOf } from './console-page.js';
import { usualForm } from './form-limits.js';
import type { Rejection } from './page-frame.js';
import { assetHeaders, downloadHeaders, pageHeaders } from './page-headers.js';
import { PagePipeline, type PageResponse, type RawVisit } from './page-pipeline.js';
import { headOf, isMultipart, parseForm, readVisit } from './read-visit.js';

/** More than the picture of a logo may have (75,000 bytes), so that a larger one gets a page that says so. */
const fileBytesMax = 256 * 1024;
const inFlightMax = 256;
/** Files that are read slowly end after a time. */
const downloadsMax = 64;
/** So that no one keeps the others from theirs. */
const downloadsOfPersonMax = 4;
const downloadMaxMs = 60 * 60 * 1000;

/** Binds the pages of the module to the front, and hands each request to the pipeline. */
@Injectable()
export class HttpServer extends HttpFront {
  readonly #limiter: ConcurrencyLimiter;
  readonly #bodies = new BodyReceipts();
  /** Who reads each of the files that are being sent. */
  readonly #downloads: string[] = [];

  constructor(
    modules: ModulesContainer,
    private readonly pipeline: PagePipeline,
    private readonly metrics: HttpMetrics,
    tracing: Tracing,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectLogger() private readonly logger: Logger,
    diagnosis: Diagnosis,
  ) {
    super({
      modules,
      metrics,
      tracing,
      logger,
      config,
      publicAddress: config.consoleUrl,
      requireHostHeader: true,
      options: { bodyLimit: fileBytesMax, routerOptions: { ignoreTrailingSlash: true } },
    });
    this.#limiter = new ConcurrencyLimiter(inFlightMax, () => metrics.rejected());
    metrics.observeInFlight(() => this.#limiter.inFlight);
    diagnosis.add('configuration', () =>
      checkPublicAddresses(config.production, {
        CONSOLE_URL: config.consoleUrl,
        BASE_URL: config.baseUrl,
        VIEW_URL_BASE: config.viewUrlBase,
        DOCS_URL: config.docsUrl,
      }),
    );
  }

  protected override async mount(server: FastifyInstance): Promise<void> {
    server.addHook('preParsing', (request, reply) => this.#beginBody(request, reply));
    // Forms send nothing else; a text of megabytes would be read as that many fields.
    server.removeAllContentTypeParsers();
    const form = { parseAs: 'string', bodyLimit: usualForm.bytes } as const;
    server.addContentTypeParser<string>('application/x-www-form-urlencoded', form, parseForm);
    await server.register(multipart, {
      limits: { fileSize: fileBytesMax, files: 1, fields: 60, fieldSize: 64 * 1024, parts: 61 },
    });
    this.#mountAssets();
    for (const { handler } of this.bound(pageBindingsOf)) {
      for (const page of pagesOf(handler)) {
        this.#mountPage(server, page);
      }
    }
  }

  protected override async refuse(request: FastifyRequest, { status, error }: Refusal): Promise<HttpReply> {
    const head = headOf(request);
    if (status === 404) {
      return this.#limited(head, () => this.pipeline.respondUnknown(head));
    }
    if (error) {
      this.logger[status < 500 ? 'info' : 'error']({ err: error }, 'http request rejected');
    }
    const isFile = status === 413 && isMultipart(request);
    return this.#rejection(head, status, {}, isFile ? 'file_too_large' : undefined);
  }

  #mountAssets(): void {
    for (const { path, mediaType, bytes } of assets()) {
      const reply = {
        status: 200,
        headers: { ...assetHeaders, 'content-type': mediaType },
        body: bytes,
        // A typeface is compressed by its format.
        compress: !mediaType.startsWith('font/'),
      };
      this.serve({ method: 'GET', url: path, timeoutMs: timeLimitsMs.request, respond: async () => reply });
    }
  }

  #mountPage(server: FastifyInstance, page: BoundPage): void {
    for (const url of pathsOf(page)) {
      server.route({
        method: page.method,
        url,
        config: { files: page.files === true, ...(page.form && { fields: page.form.fields }) },
        ...(page.form && { bodyLimit: page.form.bytes }),
        handler: async (request, reply) => {
          // It waits for the body, which is counted among the bodies.
          const raw = await readVisit(request);
          return this.send(request, reply, page.timeoutMs ?? timeLimitsMs.request, () =>
            this.#limited(raw, () => this.pipeline.respond(page, raw)),
          );
        },
      });
    }
  }

  /** Replies while one of the places for requests is taken. */
  async #limited(raw: RawVisit, respond: () => Promise<PageResponse>): Promise<HttpReply> {
    try {
      return await this.#limiter.run(async () => this.#toReply(raw, await respond()));
    } catch (error) {
      if (error instanceof QueueFullError) {
        return this.#rejection(raw, 503, { 'retry-after': '1' });
      }
      throw error;
    }
  }

  /**
   * Finds who sends a body, and counts it among those that are being received: one that arrives slowly takes no place of a page.
   * A body with files is read for signed-in people only.
   */
  async #beginBody(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.method !== 'POST') {
      return;
    }
    const head = headOf(request);
    const reject = (respond: () => Promise<HttpReply>) =>
      this.send(request, reply.header('connection', 'close'), timeLimitsMs.request, respond);
    try {
      request.found = await this.#limiter.run(() => this.pipeline.authenticate(head));
    } catch {
      await reject(async () => this.#rejection(head, 503, { 'retry-after': '1' }));
      return;
    }
    const { found } = request;
    if (found === null && request.routeOptions.config.files && isMultipart(request)) {
      await reject(() => this.#toReply(head, this.pipeline.respondUnsigned(head)));
      return;
    }
    if (request.raw.complete) {
      return;
    }
    const sender = { isSignedIn: !!found, id: found?.session.personId ?? head.network };
    const end = () => void reject(async () => this.#rejection(head, 408));
    const finish = this.#bodies.begin(sender, end);
    const timeout = setTimeout(end, timeLimitsMs.receiveForm).unref();
    const stop = () => {
      clearTimeout(timeout);
      finish();
    };
    request.raw.once('end', stop);
    reply.raw.once('close', stop);
  }

  /** The page that has the reason in words. */
  #rejection(
    raw: RawVisit,
    status: number,
    headers: Readonly<Record<string, string>> = {},
    reason?: Rejection,
  ): HttpReply {
    return {
      status,
      headers: { ...pageHeaders, ...headers },
      body: this.pipeline.pageOfRejected(raw, status, reason),
    };
  }

  async #toReply(raw: RawVisit, { reply, cookies, personId }: PageResponse): Promise<HttpReply> {
    const set = cookies.map(({ name, value, maxAgeSeconds }) =>
      cookie.serialize(name, value, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: this.config.consoleUrl.startsWith('https:'),
        ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
      }),
    );
    const made = await this.#bodyOf(raw, reply, personId ?? raw.network);
    return set.length === 0 ? made : { ...made, headers: { ...made.headers, 'set-cookie': set } };
  }

  async #bodyOf(raw: RawVisit, reply: PageResponse['reply'], reader: string): Promise<HttpReply> {
    switch (reply.kind) {
      case 'page': {
        const { status, html, retryAfterSeconds: seconds } = reply;
        const retry = seconds === undefined ? {} : { 'retry-after': String(seconds) };
        // It may hold what a form sent beside a token (BREACH): the token is masked in another way in each response, and a request
        // from another site has no session (SameSite).
        return { status, headers: { ...pageHeaders, ...retry }, body: html, compress: true };
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
          : this.#stream(raw, reply.headers, reply.body, reader);
      case 'redirect':
        return { status: 303, headers: { ...downloadHeaders, location: reply.location }, body: '' };
    }
  }

  /** A file that is read while it is sent; downloads are counted apart from the requests that pages wait for. */
  #stream(
    raw: RawVisit,
    headers: Readonly<Record<string, string>>,
    chunks: AsyncIterable<Buffer>,
    reader: string,
  ): HttpReply {
    if (raw.isHead) {
      // Fastify would read the whole file to drop it.
      const { 'content-length': _, ...others } = headers;
      return { status: 200, headers: others, body: '' };
    }
    const own = this.#downloads.filter((other) => other === reader);
    if (this.#downloads.length >= downloadsMax || own.length >= downloadsOfPersonMax) {
      this.metrics.rejected();
      return this.#rejection(raw, 503, { 'retry-after': '60' });
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
