import { Injectable } from '@nestjs/common';
import { allocationThresholdOn, dayInIsrael } from '@pinkas/domain';
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
import type { AllocationTables } from '../allocation/allocation.tables.js';
import { minimumAmountBodies, minimumAmountPath, readMinimumAmount } from '../authority/minimum-amount.js';
import type { AllocationConfig } from '../config.js';
import { AuthorityCalls } from './authority-calls.js';
import { anyConnected } from './connection.repository.js';

/** How often it is tried until the authority has answered on a day. */
const tryEveryMs = 60 * 60 * 1_000;

/** Asks the authority once a day for its threshold of allocation numbers, and compares it with the table of law. */
@Injectable()
export class ThresholdMonitor extends PeriodicTask {
  #answer: { readonly day: string; readonly net: number } | null = null;

  constructor(
    @InjectDatabase() private readonly db: Database<AllocationTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    @InjectConfig() private readonly config: Pick<AllocationConfig, 'taxAuthorityInformationUrl'>,
    private readonly calls: AuthorityCalls,
    metrics: Metrics,
  ) {
    super('threshold-monitor', tryEveryMs, logger);
    metrics.gauge(
      'pinkas_authority_threshold_difference_ils',
      'How far the threshold that the tax authority names is from the table of law, in ILS; 0 without an answer.',
      async () => this.#difference(),
    );
  }

  override async tick(): Promise<undefined> {
    const day = dayInIsrael(this.clock.now());
    if (this.#answer?.day === day) {
      return;
    }
    const businessId = await anyConnected(acrossTenants(this.db), this.clock.now());
    const net = businessId === undefined ? null : await this.#ask(businessId, day);
    if (net === null) {
      return;
    }
    this.#answer = { day, net };
    if (this.#difference() !== 0) {
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

  #difference(): number {
    return this.#answer === null ? 0 : Math.abs(this.#answer.net - allocationThresholdOn(this.#answer.day));
  }
}
