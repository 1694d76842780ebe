import { Problem } from '@pinkas/service-kit';
import { HttpPage, type PageReply, type PageVisit } from '../http/http-page.js';
import { assetHeaders } from './page-headers.js';
import { matchesEntityTag } from './pdf-response.js';
import { ReferenceAssets } from './reference-assets.js';

/** A file of the reference page. */
@HttpPage((config) => config.docsUrl, '/assets/:name')
export class ServeDocsAsset {
  constructor(private readonly assets: ReferenceAssets) {}

  async handle(visit: PageVisit): Promise<PageReply> {
    const files = Object.values(await this.assets.files());
    const asset = files.find(({ name }) => name === visit.params.name);
    if (!asset) throw new Problem('not_found');
    const { tag, body } = visit.acceptsGzip ? asset.gzipped : asset.plain;
    const headers = { ...assetHeaders, etag: tag };
    if (matchesEntityTag(visit.ifNoneMatch, tag)) return { status: 304, headers, body: '' };
    const found = { ...headers, 'content-type': asset.contentType };
    return {
      status: 200,
      headers: visit.acceptsGzip ? { ...found, 'content-encoding': 'gzip' } : found,
      body,
    };
  }
}
