import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateDocument,
  type CreatedDocument,
  createDocumentErrors,
  fingerprint,
  issueDocument,
  type PublicUrls,
  postDocuments,
  toCreatedDocument,
} from '@pinkas/contracts';
import { provokedOutcomes } from '@pinkas/domain';
import { ApiError, InjectConfig, RpcClient, setLogContext } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';

/** Issues a document, or returns the one that was issued with the same Idempotency-Key. */
@HttpRoute(postDocuments, createDocumentErrors)
export class PostDocuments {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly addresses: PublicUrls,
  ) {}

  async handle({
    principal,
    body,
    idempotencyKey,
  }: RouteRequest<CreateDocument>): Promise<RouteReply<CreatedDocument>> {
    const { business, key } = principal;
    const provoked = provokedOutcomes(business.id, body);
    if (provoked.error === 'engine_error') {
      throw provokedError('engine_error');
    }
    const issued = await this.rpc.call(issueDocument, {
      business,
      issuer: { kind: 'key', id: key.id, daily_documents: key.daily_documents },
      idempotency_key: idempotencyKey,
      body,
      body_sha256: fingerprint(body).toString('hex'),
    });
    setLogContext({ document_id: issued.document.id });
    if (!issued.replayed) {
      // The document is issued, and its caller does not learn it: a retry with the same key does.
      await delay((provoked.delaySeconds ?? 0) * 1_000);
      if (provoked.error === 'engine_error_after_issue') {
        throw provokedError('engine_error');
      }
      if (provoked.error === 'request_in_progress') {
        throw provokedError('request_in_progress');
      }
    }
    return {
      body: toCreatedDocument(issued, this.addresses),
      ...(issued.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    };
  }
}

const provokedError = (code: 'engine_error' | 'request_in_progress'): ApiError =>
  new ApiError(code, { cause: new Error('an item of the test document provokes it') });
