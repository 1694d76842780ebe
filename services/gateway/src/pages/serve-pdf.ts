import {
  cancelArtifact,
  findPublicDocument,
  getArtifact,
  numberArtifact,
  type ReplyOf,
} from '@pinkas/contracts';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import { type DocumentPageHandler, HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { fileHeaders } from '../http/page-headers.js';
import { contentDisposition, knownHashes } from './pdf-response.js';
import { publicIdOf } from './public-id.js';

type Found = ReplyOf<typeof findPublicDocument>;

/** The signed PDF of a document; its address is unguessable and needs no key. */
@HttpPage((config) => config.pdfUrlBase, '/:public_id')
export class ServePdf implements DocumentPageHandler<Found> {
  constructor(private readonly rpc: RpcClient) {}

  async find(request: PageRequest): Promise<Found> {
    return this.rpc.call(findPublicDocument, { public_id: publicIdOf(request) });
  }

  async show(found: Found, request: PageRequest): Promise<PageReply> {
    const { document, business } = found;
    const artifact = await this.#artifact(found, knownHashes(request.ifNoneMatch));
    const headers = {
      ...fileHeaders('application/pdf'),
      etag: `"${artifact.sha256}"`,
      'content-disposition': contentDisposition(
        document,
        business.language,
        request.query.has('download') ? 'attachment' : 'inline',
      ),
    };
    return { status: 200, headers, body: Buffer.from(artifact.pdf, 'base64') };
  }

  /**
   * The PDF always shows what the book knows, as the page does: the cancellation, and the tax authority's number. Where rendering
   * does not have that revision yet, it is rendered now.
   * @throws ApiError `engine_error` where it cannot be rendered now.
   */
  async #artifact(found: Found, knownSha256: string[]): Promise<ReplyOf<typeof getArtifact>> {
    const { document, business, state } = found;
    const artifact = await this.rpc.call(getArtifact, {
      business_id: document.business_id,
      document_id: document.id,
      known_sha256: knownSha256,
    });
    const { cancelled_at, cancel_reason: reason } = state;
    const allocation_number = state.allocation_number ?? state.donation?.number ?? null;
    try {
      if (cancelled_at !== null && !artifact.cancelled) {
        return await this.rpc.call(cancelArtifact, {
          document,
          business,
          cancelled_at,
          ...(reason !== undefined && { reason }),
        });
      }
      if (allocation_number !== null && !artifact.allocation_number) {
        return await this.rpc.call(numberArtifact, { document, business, allocation_number });
      }
      return artifact;
    } catch (error) {
      throw new ApiError('engine_error', { cause: error });
    }
  }
}
