import {
  type CancelDocument,
  type CancelledDocument,
  cancelDocument,
  getDocument,
  postDocumentCancel,
} from '@pinkas/contracts';
import { InjectConfig, Peers } from '@pinkas/service-kit';
import { type Call, HttpRoute, type Reply } from '../http/http-route.js';
import { type Addresses, presentHead } from './present-document.js';

/** Cancels a document that is no accounting document. */
@HttpRoute(postDocumentCancel)
export class PostDocumentCancel {
  constructor(
    private readonly peers: Peers,
    @InjectConfig() private readonly addresses: Addresses,
  ) {}

  /** A document that is not there comes before the faults of the request. */
  async requireFound({ caller, params: { id = '' } }: Pick<Call, 'caller' | 'params'>): Promise<void> {
    await this.peers.ask(getDocument, { business_id: caller.business.id, document_id: id });
  }

  async handle({
    caller,
    params: { id = '' },
    body,
  }: Call<CancelDocument | undefined>): Promise<Reply<CancelledDocument>> {
    const reason = body?.reason?.trim() ?? '';
    const cancelled = await this.peers.ask(cancelDocument, {
      business_id: caller.business.id,
      document_id: id,
      reason: reason === '' ? null : reason,
    });
    return { body: presentHead(cancelled, this.addresses) };
  }
}
