import { setTimeout as delay } from 'node:timers/promises';
import type { CreateDocument, NewDocument } from '@pinkas/contracts';
import { provokedOutcomes } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import type { RouteReply, RouteRequest } from '../http/http-route.js';
import { PostDocuments } from '../routes/post-documents.js';

/** Issues documents; items of a test document delay the reply, or replace it by an error (ADR 0052). */
export class ProvokablePostDocuments extends PostDocuments {
  override async handle(request: RouteRequest<CreateDocument>): Promise<RouteReply<NewDocument>> {
    const { error, delaySeconds = 0 } = provokedOutcomes(request.principal.business.id, request.body);
    if (error === 'engine_error' || error === 'rate_limited' || error === 'daily_limit_reached') {
      throw provoked(error);
    }
    const reply = await super.handle(request);
    if (!reply.headers?.['idempotent-replayed']) {
      // The document is issued, and its caller does not learn it: a retry with the same key does.
      await delay(delaySeconds * 1_000);
      if (error === 'engine_error_after_issue' || error === 'request_in_progress') {
        throw provoked(error === 'request_in_progress' ? error : 'engine_error');
      }
    }
    return reply;
  }
}

type Provoked = 'engine_error' | 'request_in_progress' | 'rate_limited' | 'daily_limit_reached';

const provoked = (code: Provoked): ApiError =>
  new ApiError(code, { cause: new Error('an item of the test document provokes it') });
