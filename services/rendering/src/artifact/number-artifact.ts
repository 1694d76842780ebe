import { numberArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { RequestedRevision } from './requested-revision.js';

/**
 * Makes the revision that shows the allocation number, for a visitor who comes before the event is handled (`SettleArtifact`),
 * while the page and the reply of the HTTP API show the number already. The second of the two finds the work done.
 */
@Operation(numberArtifact)
export class NumberArtifact {
  constructor(private readonly revisions: RequestedRevision) {}

  handle(request: RequestOf<typeof numberArtifact>): Promise<ReplyOf<typeof numberArtifact>> {
    return this.revisions.showing(request, { allocationNumber: request.allocation_number });
  }
}
