import { Injectable } from '@nestjs/common';
import { findPublicDocument, getDocument, type ReplyOf } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import type { DocumentKey } from '../db/delivery.tables.js';
import { holdUntil } from './delivery-plan.js';
import type { PlannedDocument } from './document.repository.js';

/** A document as it was issued, with the business as it was then, and how its messages are planned. */
export interface IssuedFacts extends ReplyOf<typeof findPublicDocument> {
  readonly planned: PlannedDocument;
}

/** Asks issuing for a document of which no message was planned. */
@Injectable()
export class IssuedDocuments {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws ApiError `not_found` where the business has no such document. */
  async fetch(key: DocumentKey): Promise<IssuedFacts> {
    const reply = await this.rpc.call(getDocument, { ...key, detailed: true });
    // It comes with the business as it was at issue.
    const issued = await this.rpc.call(findPublicDocument, { public_id: reply.document.public_id });
    const numberRequired = isNumberRequired(reply);
    return { ...issued, planned: { holdUntil: holdUntil(issued.document, issued.business), numberRequired } };
  }
}

/** As issuing has decided it: what it was decided by may differ by now, and is its own. */
function isNumberRequired({ allocation, state }: ReplyOf<typeof getDocument>): boolean {
  if (state.donation) {
    return state.donation.status !== 'not_required';
  }
  // Before its outcome is known it is null.
  return !allocation || allocation.status === 'issued' || allocation.status === 'failed';
}
