import { Injectable } from '@nestjs/common';
import { showBusiness } from '@pinkas/contracts';
import { businessOfBook } from '@pinkas/domain';
import {
  acrossTenants,
  type Clock,
  type Database,
  databaseNow,
  forTenant,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  newContext,
  RpcClient,
  withContext,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import { sql } from 'kysely';
import type { DeliveryTables } from '../db/delivery.tables.js';
import type { EndpointRow } from '../db/webhook.tables.js';
import { NoticeMailer } from '../notice/notice-mailer.js';
import { changeEndpoint, disableEndpoint } from './endpoint.repository.js';
import { endpointNotice } from './endpoint-notice.js';

const everyMs = 60_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** After so long without an attempt that succeeds the owner gets an email. */
const noticeAfterMs = dayMs;
/** After so long it is disabled. */
const disableAfterMs = 5 * dayMs;
/** How long an email may take before another process sends it. */
const claimMs = 60_000;

/** Sends notices to the owners of endpoints that fail, and disables those that fail for days. */
@Injectable()
export class EndpointMonitor extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<DeliveryTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    private readonly mailer: NoticeMailer,
  ) {
    super('endpoint-monitor', everyMs, logger);
  }

  override async tick(): Promise<TickResult> {
    const endpoint = await claimFailing(acrossTenants(this.db), this.clock);
    if (!endpoint) {
      return 'idle';
    }
    await withContext(newContext(claimMs), () => this.#process(endpoint));
    return { done: 1 };
  }

  async #process(endpoint: EndpointRow): Promise<void> {
    const db = forTenant(this.db, endpoint.business_id);
    const isOver = overdueSince(endpoint, this.clock.now()) >= disableAfterMs;
    if (isOver && endpoint.enabled) {
      await db.transaction().execute((trx) => disableEndpoint(trx, endpoint, 'failing', 'service:delivery'));
    }
    const isDisabled = isOver || !endpoint.enabled;
    const outcome = await this.#notify(endpoint, isDisabled ? 'disabled' : 'failing');
    if (outcome === 'again') {
      return;
    }
    const fields = { business_id: endpoint.business_id, endpoint_id: endpoint.id };
    this.logger.warn(fields, isDisabled ? 'webhook endpoint disabled' : 'webhook endpoint failing');
    await db
      .transaction()
      .execute((trx) =>
        changeEndpoint(trx, endpoint, { notices: isDisabled ? 2 : 1, notice_claimed_until: null }),
      );
  }

  /** @returns `again`: the mail server did not take it now. */
  async #notify(endpoint: EndpointRow, kind: 'failing' | 'disabled'): Promise<'done' | 'again'> {
    const { business } = await this.rpc.call(showBusiness, {
      business_id: businessOfBook(endpoint.business_id),
    });
    if (business.email === null) {
      return 'done';
    }
    const owner = { recipient: business.email, language: business.language };
    const outcome = await this.mailer.send(endpointNotice(endpoint, kind, owner));
    return outcome.kind === 'temporary' ? 'again' : 'done';
  }
}

const overdueSince = ({ failing_since: since }: EndpointRow, now: Date): number =>
  since ? now.getTime() - since.getTime() : 0;

/** An endpoint about which its owner has to get a notice, claimed for this process. */
async function claimFailing(all: Database<DeliveryTables>, clock: Clock): Promise<EndpointRow | undefined> {
  const now = await databaseNow(all, clock);
  const before = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await sql<EndpointRow>`
    with claimed as (
      select business_id, id from webhook_endpoint
      where removed_at is null and failing_since is not null and notices < 2
        and disabled_reason is distinct from 'owner'
        and (notices = 0 and failing_since <= ${before(noticeAfterMs)} or failing_since <= ${before(disableAfterMs)}
          or disabled_reason = 'gone')
        and (notice_claimed_until is null or notice_claimed_until < ${now})
      order by failing_since limit 1
      for update skip locked
    )
    update webhook_endpoint as endpoint set notice_claimed_until = ${new Date(now.getTime() + claimMs)}
    from claimed where endpoint.business_id = claimed.business_id and endpoint.id = claimed.id
    returning endpoint.*`.execute(all);
  return rows[0];
}
