import { findPublicDocument, renderPage } from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { htmlHeaders } from './page-headers.js';
import { publicIdOf } from './public-id.js';

/** The hosted page of a document; its address is unguessable and needs no key. */
@HttpPage((config) => config.viewUrlBase, '/:public_id')
export class ShowViewPage {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'pdfUrlBase'>,
  ) {}

  async handle(request: PageRequest): Promise<PageReply> {
    const publicId = publicIdOf(request);
    const found = await this.rpc.call(findPublicDocument, { public_id: publicId });
    const language = new URLSearchParams(request.query).get('lang');
    const { html } = await this.rpc.call(renderPage, {
      ...found,
      pdf_url: `${this.config.pdfUrlBase}/${publicId}`,
      ...((language === 'he' || language === 'en') && { language }),
    });
    return { status: 200, headers: htmlHeaders(html), body: html };
  }
}
