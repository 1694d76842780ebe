import { getOpenApi } from '@pinkas/contracts';
import type { OpenApiDocument } from '@pinkas/contracts/openapi';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpRoute, type Reply } from '../http/http-route.js';
import { describeInterface } from './describe-interface.js';

/** The interface described as OpenAPI, for programs. */
@HttpRoute(getOpenApi)
export class GetOpenApi {
  readonly #document: OpenApiDocument;

  constructor(@InjectConfig() config: GatewayConfig) {
    this.#document = describeInterface(config);
  }

  async handle(): Promise<Reply<OpenApiDocument>> {
    return { body: this.#document };
  }
}
