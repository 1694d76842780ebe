import {
  type CancelDocument,
  type CancelledDocument,
  cancelDocument,
  getDocument,
  type PublicUrls,
  postDocumentCancel,
  toCancelledDocument,
} from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';

/** Cancels a document that is no accounting document. */
@HttpRoute(postDocumentCancel)
export class PostDocumentCancel {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly addresses: PublicUrls,
  ) {}

  /** A missing document is reported before validation errors. */
  async requireFound({
    principal,
    params: { id = '' },
  }: Pick<RouteRequest, 'principal' | 'params'>): Promise<void> {
    await this.rpc.call(getDocument, { business_id: principal.business.id, document_id: id });
  }

  async handle({
    principal,
    params: { id = '' },
    body,
  }: RouteRequest<CancelDocument | undefined>): Promise<RouteReply<CancelledDocument>> {
    const cancelled = await this.rpc.call(cancelDocument, {
      business_id: principal.business.id,
      document_id: id,
      reason: body?.reason ?? null,
      events: principal.business.events === true,
      key_id: principal.key.id,
    });
    return { body: toCancelledDocument(cancelled, this.addresses) };
  }
}
