import { Injectable } from '@nestjs/common';
import { findPublicDocument, getDocument, type ReplyOf } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import type { DocumentKey } from '../db/delivery.tables.js';

/** A document as it was issued, with the business as it was then. */
export type IssuedFacts = ReplyOf<typeof findPublicDocument>;

/** Asks issuing for a document of which no message was planned. */
@Injectable()
export class IssuedDocuments {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws ApiError `not_found` where the business has no such document. */
  async fetch(key: DocumentKey): Promise<IssuedFacts> {
    const { document } = await this.rpc.call(getDocument, key);
    // It comes with the business as it was at issue.
    return this.rpc.call(findPublicDocument, { public_id: document.public_id });
  }
}
