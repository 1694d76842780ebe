import { ApiError } from '@pinkas/service-kit';
import { HttpPage, type PageReply, type PageRequest } from '../http/http-page.js';
import { assetHeaders } from './page-headers.js';
import { matchesEntityTag } from './pdf-response.js';
import { ReferenceAssets } from './reference-assets.js';

/** A file of the reference page. */
@HttpPage((config) => config.docsUrl, '/assets/:name')
export class ServeDocsAsset {
  constructor(private readonly assets: ReferenceAssets) {}

  async handle(request: PageRequest): Promise<PageReply> {
    const files = Object.values(await this.assets.files());
    const asset = files.find(({ name }) => name === request.params.name);
    if (!asset) {
      throw new ApiError('not_found');
    }
    const { tag, body } = request.acceptsGzip ? asset.gzipped : asset.plain;
    const headers = { ...assetHeaders, etag: tag };
    if (matchesEntityTag(request.ifNoneMatch, tag)) {
      return { status: 304, headers, body: '' };
    }
    const found = { ...headers, 'content-type': asset.contentType };
    return {
      status: 200,
      headers: request.acceptsGzip ? { ...found, 'content-encoding': 'gzip' } : found,
      body,
    };
  }
}
