import multipart from '@fastify/multipart';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, InjectLogger, type Logger, Tracing } from '@pinkas/service-kit';
import { type ConcurrencyLimiter, QueueFullError } from '@pinkas/service-kit/concurrency';
import { checkPublicAddresses, Diagnosis } from '@pinkas/service-kit/diagnosis';
import { HttpFront, HttpMetrics, type HttpReply, type Refusal } from '@pinkas/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { assets } from '../assets/assets.js';
import type { ConsoleConfig } from '../config.js';
import { BodyReceipts } from './body-receipts.js';
import { type BoundPage, pageBindingsOf, pagesOf, pathsOf } from './console-page.js';
import { usualForm } from './form-limits.js';
import { assetHeaders } from './page-headers.js';
import { PagePipeline } from './page-pipeline.js';
import { headOf, isMultipart, parseForm, type RawVisit, readVisit } from './read-visit.js';

/** More than the picture of a logo may have (75,000 bytes), so that a larger one gets a page that says so. */
const fileBytesMax = 256 * 1024;
const inFlightMax = 256;

/** Binds the pages of the module to the front, and hands each request to the pipeline. */
@Injectable()
export class HttpServer extends HttpFront {
  readonly #limiter: ConcurrencyLimiter;
  readonly #bodies = new BodyReceipts();

  constructor(
    modules: ModulesContainer,
    private readonly pipeline: PagePipeline,
    metrics: HttpMetrics,
    tracing: Tracing,
    @InjectConfig() config: ConsoleConfig,
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
    this.#limiter = metrics.limiter(inFlightMax);
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
    return this.pipeline.refuse(head, status, isFile ? 'file_too_large' : undefined);
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
  async #limited(raw: RawVisit, respond: () => Promise<HttpReply>): Promise<HttpReply> {
    try {
      return await this.#limiter.run(respond);
    } catch (error) {
      if (error instanceof QueueFullError) {
        return this.pipeline.refuse(raw, 503, 'busy', 1);
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
      await reject(async () => this.pipeline.refuse(head, 503, 'busy', 1));
      return;
    }
    const { found } = request;
    if (found === null && request.routeOptions.config.files && isMultipart(request)) {
      await reject(async () => this.pipeline.respondUnsigned(head));
      return;
    }
    if (request.raw.complete) {
      return;
    }
    const sender = { isSignedIn: !!found, id: found?.session.personId ?? head.network };
    const end = () => void reject(async () => this.pipeline.refuse(head, 408));
    const finish = this.#bodies.begin(sender, end);
    const timeout = setTimeout(end, timeLimitsMs.receiveForm).unref();
    const stop = () => {
      clearTimeout(timeout);
      finish();
    };
    request.raw.once('end', stop);
    reply.raw.once('close', stop);
  }
}
