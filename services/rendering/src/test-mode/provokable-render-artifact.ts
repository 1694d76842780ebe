import type { ReplyOf, RequestOf, renderArtifact } from '@pinkas/contracts';
import { provokedOutcomes } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';
import { RenderArtifact } from '../artifact/render-artifact.js';

/** Renders first PDFs; an item of a test document provokes that it fails (ADR 0052). */
export class ProvokableRenderArtifact extends RenderArtifact {
  override async handle(request: RequestOf<typeof renderArtifact>): Promise<ReplyOf<typeof renderArtifact>> {
    const { document } = request;
    if (provokedOutcomes(document.business_id, document).error === 'document_generation_failed') {
      const cause = new Error('an item of the test document provokes it');
      throw new ApiError('document_generation_failed', { cause });
    }
    return super.handle(request);
  }
}
