import { Injectable } from '@nestjs/common';
import { type Business, showAllocationThreshold } from '@pinkas/contracts';
import { decidingThreshold, type ThresholdAnswer } from '@pinkas/domain';
import { InjectLogger, type Logger, RpcClient } from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';

/** How old the answer is at most; it changes with the law. */
const readEveryMs = 60_000;

/** The threshold of allocation numbers that the tax authority has named, as allocation last replied; no document waits for it. */
@Injectable()
export class AuthorityThreshold extends PeriodicTask {
  #answer: ThresholdAnswer | null = null;

  constructor(
    private readonly rpc: RpcClient,
    @InjectLogger() logger: Logger,
  ) {
    super('authority-threshold', readEveryMs, logger);
  }

  override async tick(): Promise<undefined> {
    const { answer } = await this.rpc.call(showAllocationThreshold, {});
    this.#answer = answer;
  }

  /** The business with the threshold that decides about a document of now, which the document keeps. */
  appliedTo(business: Business): Business {
    const threshold = decidingThreshold(business.allocation_threshold_net, this.#answer);
    return { ...business, allocation_threshold_net: threshold };
  }
}
