import { type ErrorCatalogueEntry, type ErrorEntry, errorCatalogue, getErrors } from '@pinkas/contracts';
import { InjectConfig } from '@pinkas/service-kit';
import type { GatewayConfig } from '../config.js';
import { errorAddress } from '../http/error-body.js';
import { HttpRoute, type Reply } from '../http/http-route.js';

/** The error catalogue for programs: one entry for each code. */
@HttpRoute(getErrors)
export class GetErrors {
  constructor(@InjectConfig() private readonly config: Pick<GatewayConfig, 'docsUrl'>) {}

  async handle(): Promise<Reply<{ data: ErrorCatalogueEntry[] }>> {
    const data = Object.entries<ErrorEntry>(errorCatalogue).map(([code, entry]) => ({
      code,
      http_status: entry.httpStatus,
      retryable: entry.retryable,
      message: entry.message,
      message_he: entry.messageHe,
      hint: entry.hint ?? null,
      doc_url: errorAddress(this.config.docsUrl, code),
      details: [...entry.details],
    }));
    return { body: { data } };
  }
}
