import type { Type } from '@nestjs/common';
import { InjectConfig } from '@pinkas/service-kit';
import { html } from '@pinkas/ui';
import type { GatewayConfig } from '../config.js';
import { HttpPage, type PageHandler, type PageReply } from '../http/http-page.js';
import { htmlHeaders } from '../http/page-headers.js';
import { guideFor, guideNames } from './guide-for.js';
import { docsPage } from './reference/docs-page.js';
import { document } from './reference/markdown.js';

function showGuidePage(name: string): Type<PageHandler> {
  @HttpPage((config) => config.docsUrl, `/${name}`)
  class ShowGuidePage implements PageHandler {
    readonly #page: string;

    constructor(@InjectConfig() config: GatewayConfig) {
      const { baseUrl, docsUrl } = config;
      const page = guideFor(config).find((candidate) => candidate.name === name);
      this.#page = docsPage({
        title: name === 'guide' ? 'Guide' : (page?.title ?? name),
        docsPath: new URL(docsUrl).pathname.replace(/\/+$/, ''),
        openApiUrl: `${baseUrl}/openapi.json`,
        body: html`<main>
${document(page?.text ?? '')}
</main>`,
      });
    }

    async handle(): Promise<PageReply> {
      return { status: 200, headers: htmlHeaders(this.#page), body: this.#page };
    }
  }
  return ShowGuidePage;
}

/** The guide for developers, from the first call to going live, and the pages that it links. */
export const showGuidePages = guideNames.map(showGuidePage);
