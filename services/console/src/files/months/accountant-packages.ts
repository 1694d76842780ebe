import { Injectable } from '@nestjs/common';
import { showBusiness } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
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
  RpcClient,
  type Transaction,
} from '@pinkas/service-kit';
import { PeriodicTask, type TickResult } from '@pinkas/service-kit/concurrency';
import { findMember } from '../../access/people/member.repository.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { NoticeTrigger } from '../../notice/notice-trigger.js';
import { ExportWorker } from '../export/export-worker.js';
import { failPackage } from './fail-package.js';
import {
  dueSchedules,
  endPackage,
  insertPackage,
  insertPackageExports,
  insertPackageNotices,
  lockEnded,
  packageFormats,
  type Schedule,
} from './package.repository.js';

const everyMs = 15_000;
/** How many periods are begun in one tick. */
const begunMax = 20;

/**
 * Makes the files of each period for the accountants who get them: begins the exports of what is due, and emails a link once they
 * are ready, or tells the owners why not. The key of a period begins it once, and the lock of its row ends it once, whatever dies.
 */
@Injectable()
export class AccountantPackages extends PeriodicTask {
  /** The last business of a full page: those that cannot be begun keep no other waiting. */
  #after: string | null = null;

  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly exports: ExportWorker,
    private readonly notices: NoticeTrigger,
    private readonly rpc: RpcClient,
  ) {
    super('accountant-packages', everyMs, logger);
  }

  override async tick(): Promise<TickResult> {
    const all = acrossTenants(this.db);
    const now = await databaseNow(all, this.clock);
    const due = await dueSchedules(all, dayInIsrael(now), { limit: begunMax, after: this.#after });
    const isFull = due.length === begunMax;
    this.#after = (isFull && due.at(-1)?.business_id) || null;
    let done = 0;
    for (const schedule of due) {
      try {
        await this.#begin(schedule, now);
        done += 1;
      } catch (err) {
        // It is due again.
        this.logger.warn({ business_id: schedule.business_id, err }, 'accountant package not begun');
      }
    }
    const hasEnded = await all.transaction().execute((trx) => this.#endOne(trx, now));
    if (due.length > 0) {
      this.exports.trigger();
    }
    if (hasEnded) {
      this.notices.trigger();
    }
    return hasEnded || isFull ? { done: done + Number(hasEnded) } : 'idle';
  }

  async #begin(schedule: Schedule & { month: string }, now: Date): Promise<void> {
    const { business_id, month } = schedule;
    const { business } = await this.rpc.call(showBusiness, { business_id });
    const isBegun = await forTenant(this.db, business_id)
      .transaction()
      .execute(async (trx) => {
        const isNew = await insertPackage(trx, schedule, now);
        if (isNew) {
          await insertPackageExports(trx, schedule, packageFormats(business), now);
        }
        return isNew;
      });
    if (isBegun) {
      this.logger.info({ business_id, month }, 'accountant package begun');
    }
  }

  /** @returns whether there was one. */
  async #endOne(trx: Transaction<ConsoleTables>, now: Date): Promise<boolean> {
    const ended = await lockEnded(trx);
    if (!ended) {
      return false;
    }
    const { business_id, month, recipient_id } = ended;
    const recipient = await findMember(trx, business_id, { personId: recipient_id });
    const failure = ended.failures[0] ?? (recipient ? null : 'no_recipient');
    if (failure === null && recipient) {
      await endPackage(trx, ended, null, now);
      await insertPackageNotices(trx, ended, 'package', [recipient.email], now);
    } else {
      await failPackage(trx, ended, failure ?? 'no_recipient', now);
    }
    this.logger[failure === null ? 'info' : 'warn'](
      { business_id, month, failure },
      'accountant package ended',
    );
    return true;
  }
}
