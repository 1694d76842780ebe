import {
  type DocumentDetail,
  getDocument,
  getDocumentById,
  type PublicUrls,
  toDocumentDetail,
} from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import { HttpRoute, type RouteReply, type RouteRequest } from '../http/http-route.js';

/** One document of the business of the key. */
@HttpRoute(getDocumentById)
export class GetDocumentById {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly addresses: PublicUrls,
  ) {}

  async handle({ principal, params: { id = '' } }: RouteRequest): Promise<RouteReply<DocumentDetail>> {
    const { document, state, listed } = await this.rpc.call(getDocument, {
      business_id: principal.business.id,
      document_id: id,
      listed: true,
    });
    if (!listed) {
      throw new Error('issuing replied without the document as lists show it');
    }
    const { allocation, delivery } = listed;
    return { body: toDocumentDetail({ document, state, allocation, delivery }, this.addresses) };
  }
}
