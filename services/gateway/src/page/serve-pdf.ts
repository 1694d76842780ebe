import { cancelArtifact, findPublicDocument, getArtifact, type ReplyOf } from '@pinkas/contracts';
import { Peers, Problem } from '@pinkas/service-kit';
import { HttpPage, type PageReply, type PageVisit } from '../http/http-page.js';
import { pdfHeaders } from './page-headers.js';
import { contentDisposition, matchesEntityTag } from './pdf-response.js';
import { publicIdOf } from './public-id.js';

/** The signed PDF of a document; its address is the permission. */
@HttpPage((config) => config.pdfUrlBase, '/:public_id')
export class ServePdf {
  constructor(private readonly peers: Peers) {}

  async handle(visit: PageVisit): Promise<PageReply> {
    const found = await this.peers.ask(findPublicDocument, { public_id: publicIdOf(visit) });
    const { document, business } = found;
    const artifact = await this.#artifact(found);
    const tag = `"${artifact.sha256}"`;
    if (matchesEntityTag(visit.ifNoneMatch, tag)) {
      return { status: 304, headers: { etag: tag, 'cache-control': pdfHeaders['cache-control'] }, body: '' };
    }
    const headers = {
      ...pdfHeaders,
      etag: tag,
      'content-disposition': contentDisposition(
        document,
        business.language,
        new URLSearchParams(visit.query).has('download') ? 'attachment' : 'inline',
      ),
    };
    return { status: 200, headers, body: Buffer.from(artifact.pdf, 'base64') };
  }

  /**
   * A document that the book has as cancelled is never shown as one that stands: where rendering has not heard of it yet, it
   * is told now.
   * @throws Problem `engine_error` where the PDF that says so cannot be made now.
   */
  async #artifact(found: ReplyOf<typeof findPublicDocument>): Promise<ReplyOf<typeof getArtifact>> {
    const { document, business, state } = found;
    const artifact = await this.peers.ask(getArtifact, {
      business_id: document.business_id,
      document_id: document.id,
    });
    if (state.cancelled_at === null || artifact.cancelled) return artifact;
    try {
      return await this.peers.ask(cancelArtifact, { document, business, cancelled_at: state.cancelled_at });
    } catch (error) {
      throw new Problem('engine_error', { cause: error });
    }
  }
}
