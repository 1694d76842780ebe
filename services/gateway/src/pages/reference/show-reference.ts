import { gzipSync } from 'node:zlib';
import { openApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../../config.js';
import { HttpPage, type PageReply, type PageRequest } from '../../http/http-page.js';
import { htmlHeaders } from '../../http/page-headers.js';
import { docsPage } from './docs-page.js';
import { referenceBody } from './reference-page.js';

/** The reference of the HTTP API for people: the guide, every operation, field and example. */
@HttpPage((config) => config.docsUrl, '')
export class ShowReference {
  #page: { html: string; zipped: Buffer } | undefined;

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  async handle({ acceptsGzip }: PageRequest): Promise<PageReply> {
    this.#page ??= this.#create();
    const { html, zipped } = this.#page;
    const headers = { ...htmlHeaders(html), vary: 'accept-encoding' };
    return acceptsGzip
      ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped }
      : { status: 200, headers, body: html };
  }

  #create() {
    const docsPath = new URL(this.config.docsUrl).pathname.replace(/\/+$/, '');
    const html = docsPage({
      title: 'Reference',
      docsPath,
      openApiUrl: `${this.config.baseUrl}/openapi.json`,
      body: referenceBody(openApiDocument(this.config), docsPath),
    });
    return { html, zipped: gzipSync(html, { level: 9 }) };
  }
}
