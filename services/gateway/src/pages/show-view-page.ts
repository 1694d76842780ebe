import { findPublicDocument, type ReplyOf, renderPage } from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { type DocumentPageHandler, HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { htmlHeaders } from '../http/page-headers.js';
import { publicIdOf } from './public-id.js';
import { verifyUrl } from './verify/verify-path.js';

type Found = ReplyOf<typeof findPublicDocument>;

/** The hosted page of a document; its address is unguessable and needs no key. */
@HttpPage((config) => config.viewUrlBase, '/:public_id')
export class ShowViewPage implements DocumentPageHandler<Found> {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'baseUrl' | 'pdfUrlBase'>,
  ) {}

  async find(request: PageRequest): Promise<Found> {
    return this.rpc.call(findPublicDocument, { public_id: publicIdOf(request) });
  }

  async show(found: Found, request: PageRequest): Promise<PageReply> {
    const language = request.query.get('lang');
    const { html } = await this.rpc.call(renderPage, {
      ...found,
      pdf_url: `${this.config.pdfUrlBase}/${found.document.public_id}`,
      ...((language === 'he' || language === 'en') && { language }),
      verify_url: verifyUrl(
        this.config.baseUrl,
        found.document.public_id,
        language ?? found.business.language,
      ),
    });
    return { status: 200, headers: htmlHeaders(html), body: html };
  }
}
