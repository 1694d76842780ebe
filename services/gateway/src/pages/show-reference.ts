import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpPage, type PageReply } from '../http/http-page.js';
import { docsPage } from './docs-page.js';
import { referenceHeaders } from './page-headers.js';
import { ReferenceAssets } from './reference-assets.js';

/** The reference of the HTTP API for people: every operation, field and example. */
@HttpPage((config) => config.docsUrl, '')
export class ShowReference {
  constructor(
    private readonly assets: ReferenceAssets,
    @InjectConfig() private readonly config: GatewayConfig,
  ) {}

  async handle(): Promise<PageReply> {
    const { redoc, script } = await this.assets.files();
    const docsPath = new URL(this.config.docsUrl).pathname.replace(/\/+$/, '');
    const body = docsPage({
      title: 'Reference',
      docsPath,
      openApiUrl: `${this.config.baseUrl}/openapi.json`,
      bodyHtml: `<noscript><main><p>The reference is drawn by a script. The <a href="${docsPath}/errors">errors</a> and the OpenAPI document can be read without.</p></main></noscript>
<div id="reference"></div>
<script src="${docsPath}/assets/${redoc.name}"></script>
<script src="${docsPath}/assets/${script.name}"></script>`,
    });
    return { status: 200, headers: referenceHeaders, body };
  }
}
