import { cancelArtifact, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { Operation } from '@pinkas/service-kit';
import { RequestedRevision } from './requested-revision.js';

/**
 * Makes the revision that shows that its document is cancelled, for a visitor who comes before the event is handled
 * (`RenderCancellation`) or after it is dead-lettered. The second of the two finds the work done.
 */
@Operation(cancelArtifact)
export class CancelArtifact {
  constructor(private readonly revisions: RequestedRevision) {}

  handle(request: RequestOf<typeof cancelArtifact>): Promise<ReplyOf<typeof cancelArtifact>> {
    return this.revisions.showing(request, {
      cancelledAt: request.cancelled_at,
      cancelReason: request.reason ?? null,
    });
  }
}
