import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import {
  type BackgroundTask,
  InjectConfig,
  InjectLogger,
  type Logger,
  logBindings,
  newContext,
  SpanKind,
  Tracing,
} from '@pinkas/service-kit';
import {
  drainServer,
  HttpMetrics,
  methodLabel,
  networkOf,
  originOf,
  publicServerOptions,
  transportHeaders,
  UntrustedProxies,
} from '@pinkas/service-kit/http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { assets } from '../assets/assets.js';
import type { ConsoleConfig } from '../config.js';
import type { FoundSession } from '../session/session.repository.js';
import { BodyReceipts } from './body-receipts.js';
import { acceptsGzip, bestLevel, compressed } from './compression.js';
import { type PageBinding, type PageHandler, pageBindingOf } from './console-page.js';
import { assetHeaders, downloadHeaders, pageHeaders } from './page-headers.js';
import { PagePipeline, type PageResponse, type RawVisit } from './page-pipeline.js';
import type { UploadedFile } from './visit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose form it is, where it is one; undefined: not known. */
    found?: FoundSession | null | undefined;
  }
  interface FastifyContextConfig {
    /** Whether the form of the route has files. */
    files?: boolean;
  }
}

const formBytesMax = 256 * 1024;
/** More than any form has: each field costs time, and a short one two bytes. */
const formFieldsMax = 200;
/** More than the picture of a logo may have (75,000 bytes), so that a larger one gets a page that says so. */
const fileBytesMax = 256 * 1024;
const inFlightMax = 256;
/** Files that are read slowly must not keep pages waiting: they are counted by themselves, and end after a time. */
const downloadsMax = 64;
const downloadMaxMs = 60 * 60 * 1000;

/** Listens for HTTP requests of browsers, and drains before the process ends. */
@Injectable()
export class HttpServer implements BackgroundTask {
  #server: FastifyInstance | undefined;
  #draining = false;
  #inFlight = 0;
  readonly #bodies = new BodyReceipts();
  #downloads = 0;

  constructor(
    private readonly modules: ModulesContainer,
    private readonly pipeline: PagePipeline,
    private readonly metrics: HttpMetrics,
    private readonly tracing: Tracing,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  /** Where it listens, for example `http://127.0.0.1:8090`. */
  get origin(): string {
    return originOf(this.#server?.server);
  }

  async start(): Promise<void> {
    const server = this.#createServer();
    const untrusted = new UntrustedProxies(this.logger);
    server.addHook('onRequest', (request, _reply, done) => {
      untrusted.check(request);
      done();
    });
    await server.register(cookie);
    server.addHook('preParsing', (request, reply) => this.#beginBody(request, reply));
    // Forms send nothing else; a text of megabytes would be read as that many fields.
    server.removeAllContentTypeParsers();
    await server.register(formbody, { bodyLimit: formBytesMax, parser: parseForm });
    await server.register(multipart, {
      limits: { fileSize: fileBytesMax, files: 1, fields: 60, fieldSize: 8 * 1024, parts: 61 },
    });
    this.#mountAssets(server);
    for (const module of this.modules.values()) {
      for (const { instance } of module.providers.values()) {
        if (typeof instance === 'object' && instance !== null) {
          this.#mountPage(server, instance as PageHandler);
        }
      }
    }
    const respondUnknown = (request: FastifyRequest, reply: FastifyReply) =>
      this.#send(request, reply, timeLimitsMs.request, (raw) => this.pipeline.respondUnknown(raw));
    server.setNotFoundHandler(respondUnknown);
    server.setErrorHandler((error, request, reply) => {
      const status = (error as { statusCode?: number }).statusCode ?? 500;
      const fields = { err: error, request_id: request.id };
      this.logger[status < 500 ? 'info' : 'error'](fields, 'http request rejected');
      return reply
        .code(status)
        .headers(pageHeaders)

        .send(this.pipeline.pageOfRejected(headOf(request), status));
    });
    this.metrics.observeInFlight(() => this.#inFlight);
    this.#server = server;
    await server.listen({ host: this.config.httpHost, port: this.config.httpPort });
    this.logger.info({ origin: this.origin }, 'http server listening');
  }

  /** Drains: it listens for the shutdown delay first, since load balancers learn only now to send requests elsewhere. */
  async stop(): Promise<void> {
    this.#draining = true;
    if (this.#server) {
      await drainServer(this.#server, this.config.shutdownDelayMs);
    }
  }

  #createServer(): FastifyInstance {
    return fastify({
      ...publicServerOptions(this.config.trustedProxies),
      genReqId: () => randomUUID(),
      routerOptions: { ignoreTrailingSlash: true },
      bodyLimit: fileBytesMax,
      // An address that cannot be decoded reaches no hook and no handler.
      frameworkErrors: (_error, request, reply) => void this.#reject(request, reply, 404),
    });
  }

  #cookieOptions() {
    return {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.config.consoleUrl.startsWith('https:'),
    } as const;
  }

  #mountAssets(server: FastifyInstance): void {
    for (const asset of assets()) {
      // A typeface is compressed by its format.
      const isText = !asset.mediaType.startsWith('font/');
      let zipped: ReturnType<typeof compressed> | undefined;
      server.get(asset.path, async (request, reply) => {
        const accepted = request.headers['accept-encoding'];
        zipped ??= compressed(asset.bytes, 'gzip', bestLevel);
        const { body, headers } =
          isText && acceptsGzip(accepted) ? await zipped : { body: asset.bytes, headers: {} };
        return reply
          .headers({ ...assetHeaders, ...transportHeaders(this.config.consoleUrl), ...headers })
          .header('content-type', asset.mediaType)
          .send(body);
      });
    }
  }

  #mountPage(server: FastifyInstance, handler: PageHandler): void {
    const binding = pageBindingOf(handler.constructor);
    if (!binding) {
      return;
    }
    for (const url of pathsOf(binding)) {
      server.route({
        method: binding.method,
        url,
        config: { files: binding.files === true },
        handler: (request, reply) =>
          this.#send(request, reply, binding.timeoutMs ?? timeLimitsMs.request, (raw) =>
            this.pipeline.respond(binding, handler, raw),
          ),
      });
    }
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    timeoutMs: number,
    respond: (raw: RawVisit) => Promise<PageResponse>,
  ): Promise<FastifyReply> {
    const startedMs = performance.now();
    const { method } = request;
    const route = request.routeOptions.url;
    reply.headers(transportHeaders(this.config.consoleUrl)).header('x-request-id', request.id);
    // It waits for the body, which is counted among the bodies.
    const raw = await readVisit(request);
    if (this.#inFlight >= inFlightMax) {
      return this.#reject(request, reply, 503, 1);
    }
    const release = this.#occupy();
    reply.raw.once('close', () => {
      release();
      this.metrics.completed({ method, route }, reply.statusCode, startedMs);
    });
    if (this.#draining) {
      reply.header('connection', 'close');
    }
    const context = newContext(timeoutMs, request.id);
    const options = {
      kind: SpanKind.SERVER,
      isRoot: true,
      attributes: { 'http.request.method': methodLabel(method), 'http.route': route ?? 'unknown' },
    };
    const { response, ids } = await this.tracing.startEntrySpan(
      context,
      {},
      `${methodLabel(method)} ${route ?? 'unknown'}`,
      options,
      async () => ({ response: await respond(raw), ids: logBindings() }),
    );
    this.#setCookies(reply, response);
    const sent = await this.#sendReply(request, reply, response.reply, release);
    this.logger.info(
      {
        ...ids,
        request_id: request.id,
        method,
        route: route ?? null,
        status: reply.statusCode,
        ms: Math.round(performance.now() - startedMs),
      },
      'request handled',
    );
    return sent;
  }

  #setCookies(reply: FastifyReply, { cookies }: PageResponse): void {
    for (const { name, value, maxAgeSeconds } of cookies) {
      reply.setCookie(name, value, {
        ...this.#cookieOptions(),
        ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
      });
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
    if (this.#inFlight >= inFlightMax) {
      this.#reject(request, reply, 503, 1);
      return;
    }
    const release = this.#occupy();
    const found = await this.pipeline.authenticate(head).finally(release);
    request.found = found;
    if (found === null && request.routeOptions.config.files && isMultipart(request)) {
      const response = this.pipeline.respondUnsigned(head);
      this.#setCookies(reply.header('connection', 'close'), response);
      await this.#sendReply(request, reply, response.reply, release);
      return;
    }
    if (request.raw.complete) {
      return;
    }
    const sender = { isSignedIn: !!found, id: found?.session.personId ?? head.network };
    const end = () => this.#reject(request, reply.header('connection', 'close'), 408);
    const finish = this.#bodies.begin(sender, end);
    const timeout = setTimeout(end, timeLimitsMs.receiveForm).unref();
    const stop = () => {
      clearTimeout(timeout);
      finish();
    };
    request.raw.once('end', stop);
    reply.raw.once('close', stop);
  }

  /** Responds with a page that has the reason in words. */
  #reject(request: FastifyRequest, reply: FastifyReply, status: 404 | 408 | 503, retryAfterSeconds?: number) {
    if (status === 503) {
      this.metrics.rejected();
    }
    if (retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(retryAfterSeconds));
    }
    this.logger.info({ request_id: request.id, status }, 'http request rejected');
    return reply
      .code(status)
      .headers(pageHeaders)
      .send(this.pipeline.pageOfRejected(headOf(request), status));
  }

  /** @returns what gives the place up, once. */
  #occupy(): () => void {
    this.#inFlight += 1;
    let isReleased = false;
    return () => {
      this.#inFlight -= isReleased ? 0 : 1;
      isReleased = true;
    };
  }

  async #sendReply(
    request: FastifyRequest,
    reply: FastifyReply,
    value: PageResponse['reply'],
    release: () => void,
  ): Promise<FastifyReply> {
    switch (value.kind) {
      case 'page': {
        if (value.retryAfterSeconds !== undefined) {
          reply.header('retry-after', String(value.retryAfterSeconds));
        }
        const { body, headers } = await compressed(
          Buffer.from(value.html),
          request.headers['accept-encoding'],
        );
        return reply
          .code(value.status)
          .headers({ ...pageHeaders, ...headers })
          .send(body);
      }
      case 'json':
        return reply
          .code(value.status)
          .headers({ ...downloadHeaders, 'content-type': 'application/json; charset=utf-8' })
          .send(JSON.stringify(value.value));
      case 'file':
        return Buffer.isBuffer(value.body) || typeof value.body === 'string'
          ? reply.headers(value.headers).send(value.body)
          : this.#stream(request, reply, value.headers, value.body, release);
      case 'redirect':
        return reply.code(303).headers(downloadHeaders).header('location', value.location).send('');
    }
  }

  #stream(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: Readonly<Record<string, string>>,
    chunks: AsyncIterable<Buffer>,
    release: () => void,
  ): FastifyReply {
    if (request.method === 'HEAD') {
      // Fastify would read the whole file to drop it.
      const { 'content-length': _, ...others } = headers;
      return reply.headers(others).send('');
    }
    if (this.#downloads >= downloadsMax) {
      return this.#reject(request, reply, 503, 60);
    }
    release();
    this.#downloads += 1;
    const timeout = setTimeout(() => reply.raw.destroy(), downloadMaxMs);
    timeout.unref();
    reply.raw.once('close', () => {
      clearTimeout(timeout);
      this.#downloads -= 1;
    });
    return reply.headers(headers).send(Readable.from(chunks));
  }
}

/** Before its body is read, which the plugin goes by. */
const isMultipart = ({ headers }: FastifyRequest): boolean =>
  /^multipart\//i.test(headers['content-type'] ?? '');

/** Reads a form. */
function parseForm(text: string): { form: URLSearchParams } {
  if (text.split('&', formFieldsMax + 1).length > formFieldsMax) {
    throw Object.assign(new Error('the form has too many fields'), { statusCode: 413 });
  }
  return { form: new URLSearchParams(text) };
}

/** The addresses of a page. */
function pathsOf({ access, path, books }: PageBinding): string[] {
  if (access === 'anyone' || access === 'person') {
    return [path];
  }
  const below = path === '/' ? '' : path;
  return [`/b/:business${below}`, ...(books ? [`/t/:business${below}`] : [])];
}

/** Browsers say where a form comes from; what says nothing is judged by the token alone. */
function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

interface SentForm {
  readonly form: URLSearchParams;
  readonly files: Record<string, UploadedFile>;
}

async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (request.isMultipart()) {
    if (!request.routeOptions.config.files) {
      throw Object.assign(new Error('the form has no files'), { statusCode: 415 });
    }
    return readParts(request).catch((error: unknown) => {
      // The parser's own errors have no status: what was sent is no form.
      throw Object.assign(new Error('the form cannot be read', { cause: error }), {
        statusCode: (error as { statusCode?: number }).statusCode ?? 400,
      });
    });
  }
  const { form = new URLSearchParams() } = (request.body ?? {}) as Partial<ReturnType<typeof parseForm>>;
  return { form, files: {} };
}

async function readParts(request: FastifyRequest): Promise<SentForm> {
  const form = new URLSearchParams();
  const files: SentForm['files'] = {};
  for await (const part of request.parts()) {
    if (part.type === 'field') {
      form.append(part.fieldname, String(part.value));
      continue;
    }
    const bytes = await part.toBuffer();
    // A field for a file in which none was chosen has no bytes.
    if (bytes.length > 0) {
      files[part.fieldname] = { mediaType: part.mimetype, bytes };
    }
  }
  return { form, files };
}

async function readVisit(request: FastifyRequest): Promise<RawVisit> {
  const head = headOf(request);
  if (head.method === 'GET') {
    return head;
  }
  const { form, files } = await readForm(request);
  return { ...head, form, files, sentToken: form.get('_csrf') ?? head.sentToken };
}

/** The path that a header Referer names; where it leads is checked when it is used. */
function pathOfReferrer(referrer: string): string {
  if (!URL.canParse(referrer)) {
    return '';
  }
  const { pathname, search } = new URL(referrer);
  return `${pathname}${search}`;
}

/** A request without what it has sent. */
function headOf(request: FastifyRequest): RawVisit {
  const isPost = request.method === 'POST';
  // By its slashes alone: `//host` would be read as another host, and `//` as none.
  const url = new URL(`http://console.invalid${request.url.startsWith('/') ? request.url : '/'}`);
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    method: isPost ? 'POST' : 'GET',
    path: url.pathname,
    formPath: isPost ? pathOfReferrer(header('referer')) : '',
    params: { ...(request.params as Record<string, string>) },
    query: url.searchParams,
    form: new URLSearchParams(),
    files: {},
    cookies: request.cookies ?? {},
    acceptLanguage: header('accept-language'),
    network: networkOf(request.ip),
    userAgent: header('user-agent'),
    sentToken: header('x-csrf-token'),
    isFromAnotherSite: isPost && isFromAnotherSite(request),
    found: request.found,
  };
}
