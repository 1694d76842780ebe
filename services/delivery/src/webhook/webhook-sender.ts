import { Injectable } from '@nestjs/common';
import { timeLimitsMs, toEventId } from '@pinkas/contracts';
import { softwareVersion } from '@pinkas/domain';
import {
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  Tracing,
} from '@pinkas/service-kit';
import type { DeliveryConfig } from '../config.js';
import type { DeliveryTables } from '../db/delivery.tables.js';
import { disableEndpoint } from './endpoint.repository.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import {
  type ClaimedWebhook,
  claimDueWebhooks,
  type NewWebhook,
  nextDueWebhook,
  releaseWebhook,
  storeWebhookAttempt,
  type WebhookTransition,
} from './webhook.repository.js';
import { WebhookClient, type WebhookOutcome } from './webhook-client.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { nextWebhookAttempt } from './webhook-schedule.js';

/** Requests in flight in one process; endpoints that fail have half of them. */
const concurrency = 64;
/** The answer of an endpoint that wants nothing more. */
const gone = 410;

/**
 * Sends events to the endpoints of their businesses: claim, send, store the outcome. A claim whose process dies expires, and the
 * event is sent again under its id.
 */
@Injectable()
export class WebhookSender implements BackgroundTask {
  readonly #worker: JobWorker<ClaimedWebhook>;
  readonly #claimMs: number;

  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() config: Pick<DeliveryConfig, 'webhookTimeoutMs'>,
    @InjectLogger() private readonly logger: Logger,
    private readonly client: WebhookClient,
    private readonly secrets: EndpointSecrets,
    private readonly metrics: WebhookMetrics,
    tracing: Tracing,
  ) {
    const all = acrossTenants(db);
    this.#claimMs = config.webhookTimeoutMs + timeLimitsMs.webhookClaimMargin;
    this.#worker = new JobWorker<ClaimedWebhook>({
      name: 'webhook-sender',
      concurrency,
      claimMs: this.#claimMs,
      logger,
      tracing,
      nextDue: () => nextDueWebhook(all, clock),
      claim: (limit, now, until) => claimDueWebhooks(all, limit, now, until, concurrency / 2),
      run: (row) => this.#run(row),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** A webhook may be due. */
  trigger(): void {
    this.#worker.trigger();
  }

  /** How long a webhook that is due at once may be claimed by the process that stores it; null: not at all, the worker has no room. */
  get claimMs(): number | null {
    return this.#worker.hasRoom ? this.#claimMs : null;
  }

  /** Sends those that were stored as claimed an instant ago, and lets the others be claimed. */
  sendNew(rows: readonly NewWebhook[]): void {
    for (const row of rows.filter(({ is_claimed }) => is_claimed)) {
      if (!this.#worker.execute(row)) {
        const { business_id, endpoint_id, event_id } = row;
        // Else the claim expires.
        releaseWebhook(forTenant(this.db, business_id), row).catch((error: unknown) =>
          this.logger.warn({ endpoint_id, event_id, err: error }, 'webhook claim release failed'),
        );
      }
    }
    if (rows.some(({ is_claimed }) => !is_claimed)) {
      this.trigger();
    }
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /** Never rejects: what could not be stored is sent again when the claim expires. */
  async #run(row: ClaimedWebhook): Promise<void> {
    try {
      const startedAt = this.clock.now();
      const startedMs = performance.now();
      const outcome = await this.#send(row, startedAt);
      const durationMs = Math.round(performance.now() - startedMs);
      await this.#store(row, { ...outcome, startedAt, durationMs });
    } catch (error) {
      const { endpoint_id, event_id } = row;
      this.logger.error({ endpoint_id, event_id, err: error }, 'webhook processing failed');
    } finally {
      // The bound of its endpoint has room for the next one.
      this.trigger();
    }
  }

  #send(row: ClaimedWebhook, at: Date): Promise<WebhookOutcome> {
    const id = toEventId(row.event_id);
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Pinkas/${softwareVersion}`,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': this.secrets.sign({ ...row, id: row.endpoint_id }, { id, at, body: row.body }),
    };
    return this.client.post(row.url, headers, row.body);
  }

  async #store(
    row: ClaimedWebhook,
    attempt: WebhookOutcome & { startedAt: Date; durationMs: number },
  ): Promise<void> {
    const { business_id, endpoint_id, event_id, type } = row;
    const now = this.clock.now();
    const transition = transitionOf(row, attempt, now);
    const db = forTenant(this.db, business_id);
    const store = (on: Parameters<typeof storeWebhookAttempt>[0]) =>
      storeWebhookAttempt(on, row, attempt, transition, now);
    const isStored =
      attempt.status === gone
        ? await db.transaction().execute(async (trx) => {
            const stored = await store(trx);
            await disableEndpoint(trx, { business_id, id: endpoint_id }, 'gone', 'service:delivery');
            return stored;
          })
        : await store(db);
    const fields = { endpoint_id, event_id, type, status: attempt.status, duration_ms: attempt.durationMs };
    if (isStored) {
      this.metrics.countAttempt(transition.state);
      this.logger.info({ ...fields, state: transition.state, attempts: row.attempts }, 'webhook sent');
    }
  }
}

function transitionOf(row: ClaimedWebhook, { reason }: WebhookOutcome, now: Date): WebhookTransition {
  if (reason === null) {
    return { state: 'received', nextAttemptAt: null };
  }
  const nextAttemptAt = nextWebhookAttempt(row.attempts - row.earlier_attempts, now, Math.random());
  return { state: nextAttemptAt ? 'pending' : 'given_up', nextAttemptAt };
}
