import { Injectable } from '@nestjs/common';
import { type BackgroundTask, InjectLogger, type Logger } from '@pinkas/service-kit';
import { Poller } from '@pinkas/service-kit/concurrency';
import { Signers } from './signers.js';

/** How often it looks for what is due, which is not a request. */
const idleMs = 60_000;

/** Keeps the proofs that no signing certificate is revoked at hand, beside the operations: no document waits for them. */
@Injectable()
export class ValidationDataRefresher implements BackgroundTask {
  readonly #poller: Poller;
  readonly #stopped = new AbortController();

  constructor(signers: Signers, @InjectLogger() logger: Logger) {
    this.#poller = new Poller({
      name: 'validation-data-refresher',
      idleMs,
      tick: async () => {
        await signers.refreshValidationData(this.#stopped.signal);
        return 'idle';
      },
      logger,
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#poller.stop();
  }
}
