import { type CreateDocument, type CreatedDocument, issueDocument, postDocuments } from '@pinkas/contracts';
import { InjectConfig, noteSubject, Peers } from '@pinkas/service-kit';
import { type Call, HttpRoute, type Reply } from '../http/http-route.js';
import { createDocumentFaults } from './create-document-rules.js';
import { type Addresses, presentCreated } from './present-document.js';

/** Issues a document, or answers a retry with the one that its key issued. */
@HttpRoute(postDocuments, createDocumentFaults)
export class PostDocuments {
  constructor(
    private readonly peers: Peers,
    @InjectConfig() private readonly addresses: Addresses,
  ) {}

  async handle({ caller, body, idempotencyKey }: Call<CreateDocument>): Promise<Reply<CreatedDocument>> {
    const { business, key } = caller;
    const issued = await this.peers.ask(issueDocument, {
      business,
      key: { id: key.id, daily_documents: key.daily_documents },
      idempotency_key: idempotencyKey,
      body,
    });
    noteSubject({ document_id: issued.document.id });
    return {
      body: presentCreated(issued, this.addresses),
      ...(issued.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    };
  }
}
