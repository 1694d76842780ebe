import { type ReplyOf, type RequestOf, readTransmission, timeLimitsMs } from '@pinkas/contracts';
import { InjectConfig, Operation } from '@pinkas/service-kit';
import { AuthorityCalls } from '../authority/authority-calls.js';
import type { AllocationConfig } from '../config.js';
import { failureOf, transmissionOff, unreadable } from './transmission-failure.js';
import { readStatuses, statusRequest, statusUrl } from './transmission-interface.js';

/** Requests what became of uploaded files. */
@Operation(readTransmission)
export class ReadTransmission {
  constructor(
    @InjectConfig() private readonly config: AllocationConfig,
    private readonly calls: AuthorityCalls,
  ) {}

  async handle(request: RequestOf<typeof readTransmission>): Promise<ReplyOf<typeof readTransmission>> {
    if (this.config.taxAuthorityTransmission === 'off') {
      return { ...transmissionOff, files: [] };
    }
    const { business_id } = request;
    const timeoutMs = timeLimitsMs.transmission - timeLimitsMs.call;
    const answer = await this.calls.post(
      business_id,
      statusUrl(this.config),
      JSON.stringify(statusRequest(request)),
      { timeoutMs },
    );
    const failure = failureOf(answer);
    if (failure || answer.kind === 'failed') {
      return { outcome: 'failed', reason: null, ...failure, files: [] };
    }
    try {
      return { outcome: 'done', reason: null, files: readStatuses(answer.body, request) };
    } catch (error) {
      return { ...unreadable(error as Error), files: [] };
    }
  }
}
