import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { getOpenApi } from '@pinkas/contracts';
import { openApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { matchesEntityTag } from '../http/entity-tag.js';
import { HttpRoute, type PublicRouteRequest, type RouteReply } from '../http/http-route.js';

/** The OpenAPI document of the HTTP API. */
@HttpRoute(getOpenApi)
export class GetOpenApi {
  #document: { text: Buffer; zipped: Buffer; tag: string } | undefined;

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  async handle({ ifNoneMatch, acceptsGzip }: PublicRouteRequest): Promise<RouteReply<Buffer>> {
    this.#document ??= this.#create();
    const { text, zipped, tag } = this.#document;
    // Weak: the same for both encodings.
    const headers = { etag: `W/${tag}`, 'cache-control': 'public, max-age=300', vary: 'accept-encoding' };
    if (matchesEntityTag(ifNoneMatch, tag)) {
      return { status: 304, headers, body: Buffer.alloc(0) };
    }
    return acceptsGzip
      ? { headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped }
      : { headers, body: text };
  }

  #create() {
    const text = Buffer.from(JSON.stringify(openApiDocument(this.config)));
    const tag = `"${createHash('sha256').update(text).digest('base64url')}"`;
    return { text, zipped: gzipSync(text, { level: 9 }), tag };
  }
}
