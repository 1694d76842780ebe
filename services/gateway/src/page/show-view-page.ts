import { findPublicDocument, renderPage } from '@pinkas/contracts';
import { InjectConfig, Peers } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpPage, type PageReply, type PageVisit } from '../http/http-page.js';
import { htmlHeaders } from './page-headers.js';
import { publicIdOf } from './public-id.js';

/** The hosted page of a document; its address is the permission. */
@HttpPage((config) => config.viewUrlBase, '/:public_id')
export class ShowViewPage {
  constructor(
    private readonly peers: Peers,
    @InjectConfig() private readonly config: Pick<GatewayConfig, 'pdfUrlBase'>,
  ) {}

  async handle(visit: PageVisit): Promise<PageReply> {
    const publicId = publicIdOf(visit);
    const found = await this.peers.ask(findPublicDocument, { public_id: publicId });
    const language = new URLSearchParams(visit.query).get('lang');
    const { html } = await this.peers.ask(renderPage, {
      ...found,
      pdf_url: `${this.config.pdfUrlBase}/${publicId}`,
      ...((language === 'he' || language === 'en') && { language }),
    });
    return { status: 200, headers: htmlHeaders(html), body: html };
  }
}
