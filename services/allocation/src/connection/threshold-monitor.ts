import { Injectable } from '@nestjs/common';
import { allocationThresholdOn, dayInIsrael, thresholdDifference } from '@pinkas/domain';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Metrics,
} from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import { AuthorityCalls } from '../authority/authority-calls.js';
import { anyConnected } from '../authority/connection.repository.js';
import { minimumAmountBodies, minimumAmountPath, readMinimumAmount } from '../authority/minimum-amount.js';
import type { AllocationConfig } from '../config.js';
import type { AllocationTables } from '../db/allocation.tables.js';
import { latestThreshold, storeThreshold, takeThresholdQuestion } from './threshold.repository.js';

/** How often it is looked whether the authority has answered today. */
const checkEveryMs = 60 * 60 * 1_000;
/** How long an attempt without an answer keeps every replica from another; less than the pause of the replica that made it. */
const attemptMs = checkEveryMs / 2;

/** Asks the authority once a day for its threshold of allocation numbers, and compares it with the table of law. */
@Injectable()
export class ThresholdMonitor extends PeriodicTask {
  readonly #all: Database<AllocationTables>;

  constructor(
    @InjectDatabase() db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() private readonly config: Pick<AllocationConfig, 'taxAuthorityInformationUrl'>,
    private readonly calls: AuthorityCalls,
    metrics: Metrics,
  ) {
    super('threshold-monitor', checkEveryMs, logger);
    this.#all = acrossTenants(db);
    metrics.gauge(
      'pinkas_authority_threshold_difference_ils',
      'How far the threshold that the tax authority names is from the table of law, in ILS; 0 without an answer.',
      async () => Math.abs(thresholdDifference(await latestThreshold(this.#all))),
    );
  }

  override async tick(): Promise<undefined> {
    const now = this.clock.now();
    const day = dayInIsrael(now);
    const businessId = await anyConnected(this.#all, now);
    const triedBefore = new Date(now.getTime() - attemptMs);
    if (businessId === undefined || !(await takeThresholdQuestion(this.#all, day, now, triedBefore))) {
      return;
    }
    const net = await this.#ask(businessId, day);
    if (net === null) {
      return;
    }
    await storeThreshold(this.#all, { day, net });
    if (thresholdDifference({ day, net }) !== 0) {
      const table = allocationThresholdOn(day);
      this.logger.warn({ authority: net, table, day }, 'allocation threshold differs from the table of law');
    }
  }

  async #ask(businessId: string, day: string): Promise<number | null> {
    const url = `${this.config.taxAuthorityInformationUrl}/${minimumAmountPath}`;
    for (const body of minimumAmountBodies(day)) {
      const called = await this.calls.post(businessId, url, JSON.stringify(body), { endsConnection: false });
      const net = called.kind === 'answered' && called.status === 200 ? readMinimumAmount(called.body) : null;
      if (net !== null) {
        return net;
      }
      // The other form of the day; nothing else is answered to it.
      if (called.kind === 'failed' || (called.status !== 400 && called.status !== 422)) {
        return null;
      }
    }
    return null;
  }
}
