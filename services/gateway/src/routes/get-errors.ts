import { type ErrorCatalogueEntry, type ErrorEntry, errorCatalogue, getErrors } from '@pinkas/contracts';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { HttpRoute, type RouteReply } from '../http/http-route.js';
import { errorUrl } from '../http/json-renderer.js';

/** The error catalogue for programs: one entry for each code. */
@HttpRoute(getErrors)
export class GetErrors {
  constructor(@InjectConfig() private readonly config: Pick<GatewayConfig, 'docsUrl'>) {}

  async handle(): Promise<RouteReply<{ data: ErrorCatalogueEntry[] }>> {
    const data = Object.entries<ErrorEntry>(errorCatalogue).map(([code, entry]) => ({
      code,
      http_status: entry.httpStatus,
      retryable: entry.retryable,
      message: entry.message,
      message_he: entry.messageHe,
      hint: entry.hint ?? null,
      doc_url: errorUrl(this.config.docsUrl, code),
      details: [...entry.details],
    }));
    return { body: { data } };
  }
}
