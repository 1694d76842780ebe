import { findPublicDocument, getArtifact } from '@pinkas/contracts';
import { Peers } from '@pinkas/service-kit';
import { HttpPage, type PageReply, type PageVisit } from '../http/http-page.js';
import { pdfHeaders } from './page-headers.js';
import { contentDisposition, matchesEntityTag } from './pdf-response.js';
import { publicIdOf } from './public-id.js';

/** The signed PDF of a document; its address is the permission. */
@HttpPage((config) => config.pdfUrlBase, '/:public_id')
export class ServePdf {
  constructor(private readonly peers: Peers) {}

  async handle(visit: PageVisit): Promise<PageReply> {
    const { document, business } = await this.peers.ask(findPublicDocument, {
      public_id: publicIdOf(visit),
    });
    const artifact = await this.peers.ask(getArtifact, {
      business_id: document.business_id,
      document_id: document.id,
    });
    const tag = `"${artifact.sha256}"`;
    if (matchesEntityTag(visit.ifNoneMatch, tag)) {
      return { status: 304, headers: { etag: tag, 'cache-control': pdfHeaders['cache-control'] }, body: '' };
    }
    const headers = {
      ...pdfHeaders,
      etag: tag,
      'content-disposition': contentDisposition(document, business.language),
    };
    return { status: 200, headers, body: Buffer.from(artifact.pdf, 'base64') };
  }
}
