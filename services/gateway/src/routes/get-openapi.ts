import { getOpenApi } from '@pinkas/contracts';
import { type OpenApiDocument, openApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpRoute, type RouteReply } from '../http/http-route.js';

/** The OpenAPI document of the HTTP API. */
@HttpRoute(getOpenApi)
export class GetOpenApi {
  readonly #document: OpenApiDocument;

  constructor(@InjectConfig() config: GatewayConfig) {
    this.#document = openApiDocument(config);
  }

  async handle(): Promise<RouteReply<OpenApiDocument>> {
    return { body: this.#document };
  }
}
