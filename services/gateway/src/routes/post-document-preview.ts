import {
  CreateDocument,
  createDocumentErrors,
  type DocumentPreview,
  postDocumentPreview,
  previewDocument,
  toDocumentPreview,
  withoutEmptyTexts,
} from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';
import { withCashHint } from './cash-hint.js';

/** Shows what a document would be, and issues nothing. */
@HttpRoute(postDocumentPreview, createDocumentErrors)
export class PostDocumentPreview {
  constructor(private readonly rpc: RpcClient) {}

  async handle({ principal, body }: RouteRequest<CreateDocument>): Promise<RouteReply<DocumentPreview>> {
    const { business, key } = principal;
    const previewed = await withCashHint(
      body,
      this.rpc.call(previewDocument, {
        business,
        issuer: { kind: 'key', id: key.id, daily_documents: key.daily_documents },
        body: withoutEmptyTexts(CreateDocument, body),
      }),
    );
    return { body: toDocumentPreview(previewed) };
  }
}
