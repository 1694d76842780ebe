import {
  CreateDocument,
  createDocumentErrors,
  fingerprint,
  issueDocument,
  type NewDocument,
  type PublicUrls,
  postDocuments,
  toNewDocument,
  withoutEmptyTexts,
} from '@pinkas/contracts';
import { InjectConfig, RpcClient, setLogContext } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { withCashHint } from './cash-hint.js';

/** Issues a document, or returns the one that was issued with the same Idempotency-Key. */
@HttpRoute(postDocuments, createDocumentErrors)
export class PostDocuments {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly addresses: PublicUrls,
  ) {}

  async handle({
    principal,
    body: sent,
    idempotencyKey,
  }: RouteRequest<CreateDocument>): Promise<RouteReply<NewDocument>> {
    const { business, key } = principal;
    const body = withoutEmptyTexts(CreateDocument, sent);
    const issued = await withCashHint(
      body,
      this.rpc.call(issueDocument, {
        business,
        issuer: { kind: 'key', id: key.id, daily_documents: key.daily_documents },
        idempotency_key: idempotencyKey,
        body,
        body_sha256: fingerprint(body).toString('hex'),
      }),
    );
    setLogContext({ document_id: issued.document.id });
    return {
      body: toNewDocument(issued, this.addresses),
      ...(issued.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    };
  }
}
