import { InjectConfig } from '@pinkas/service-kit';
import { html } from '@pinkas/ui';
import type { GatewayConfig } from '../config.js';
import { HttpPage, type PageReply } from '../http/http-page.js';
import { htmlHeaders } from '../http/page-headers.js';
import { docsPage } from './docs-page.js';
import { guideFor } from './guide-for.js';
import { document } from './markdown.js';

/** The guide for developers, from the first call to going live. */
@HttpPage((config) => config.docsUrl, '/guide')
export class ShowGuidePage {
  readonly #page: string;

  constructor(@InjectConfig() config: GatewayConfig) {
    const { baseUrl, docsUrl } = config;
    this.#page = docsPage({
      title: 'Guide',
      docsPath: new URL(docsUrl).pathname.replace(/\/+$/, ''),
      openApiUrl: `${baseUrl}/openapi.json`,
      body: html`<main>
${document(guideFor(config))}
</main>`,
    });
  }

  async handle(): Promise<PageReply> {
    return { status: 200, headers: htmlHeaders(this.#page), body: this.#page };
  }
}
