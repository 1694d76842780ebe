import { type OpenApiDocument, openApiDocument } from '@pinkas/contracts/openapi';
import type { GatewayConfig } from '../config.js';

/** The OpenAPI document of the interface at its configured addresses. */
export function describeInterface({
  baseUrl,
  docsUrl,
}: Pick<GatewayConfig, 'baseUrl' | 'docsUrl'>): OpenApiDocument {
  return openApiDocument({ baseUrl, docsUrl });
}
