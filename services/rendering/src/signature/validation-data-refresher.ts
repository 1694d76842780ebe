import { Injectable } from '@nestjs/common';
import { InjectLogger, type Logger } from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import { Signers } from './signers.js';

/** How often it looks for what is due, which is not a request. */
const lookEveryMs = 60_000;

/** Keeps the proofs that no signing certificate is revoked at hand: no document waits for them. */
@Injectable()
export class ValidationDataRefresher extends PeriodicTask {
  readonly #stopped = new AbortController();

  constructor(
    private readonly signers: Signers,
    @InjectLogger() logger: Logger,
  ) {
    super('validation-data-refresher', lookEveryMs, logger);
  }

  async tick(): Promise<undefined> {
    await this.signers.refreshValidationData(this.#stopped.signal);
  }

  override stop(): Promise<void> {
    this.#stopped.abort();
    return super.stop();
  }
}
