import { createHash } from 'node:crypto';
import { getOpenApi } from '@pinkas/contracts';
import { openApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpRoute, type RouteReply } from '../http/http-route.js';

/** The OpenAPI document of the HTTP API. */
@HttpRoute(getOpenApi)
export class GetOpenApi {
  #reply: RouteReply<Buffer> | undefined;

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  async handle(): Promise<RouteReply<Buffer>> {
    this.#reply ??= this.#create();
    return this.#reply;
  }

  #create(): RouteReply<Buffer> {
    const body = Buffer.from(JSON.stringify(openApiDocument(this.config)));
    // Weak: the same for both encodings.
    const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
    return { body, headers: { etag, 'cache-control': 'public, max-age=300' }, compress: true };
  }
}
