import { type DocumentDetail, getDocument, getDocumentById } from '@pinkas/contracts';
import { InjectConfig, Peers } from '@pinkas/service-kit';
import { type Call, HttpRoute, type Reply } from '../http/http-route.js';
import { type Addresses, presentDetail } from './present-document.js';

/** One document of the business of the key. */
@HttpRoute(getDocumentById)
export class GetDocumentById {
  constructor(
    private readonly peers: Peers,
    @InjectConfig() private readonly addresses: Addresses,
  ) {}

  async handle({ caller, params: { id = '' } }: Call): Promise<Reply<DocumentDetail>> {
    const view = await this.peers.ask(getDocument, { business_id: caller.business.id, document_id: id });
    return { body: presentDetail(view, this.addresses) };
  }
}
