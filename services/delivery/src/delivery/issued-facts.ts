import { Injectable } from '@nestjs/common';
import { findPublicDocument, getDocument } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import type { DeliveryFacts, DocumentKey } from './delivery.tables.js';
import { factsOf } from './delivery-facts.js';

/** Asks issuing what a message says of a document of which none was planned. */
@Injectable()
export class IssuedFacts {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws ApiError `not_found` where the business has no such document. */
  async fetch(key: DocumentKey): Promise<DeliveryFacts> {
    const { document } = await this.rpc.call(getDocument, {
      business_id: key.business_id,
      document_id: key.document_id,
    });
    // It comes with the business as it was at issue.
    return factsOf(await this.rpc.call(findPublicDocument, { public_id: document.public_id }));
  }
}
