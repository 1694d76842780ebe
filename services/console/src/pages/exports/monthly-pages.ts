import { isUuid } from '@pinkas/contracts';
import { dayInIsrael, isCalendarDate } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendAudit,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
} from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';
import { ExportWorker } from '../../export/export-worker.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { AccountantPackages } from '../../package/accountant-packages.js';
import {
  dueMonth,
  findSchedule,
  firstOfMonth,
  restartPackage,
  storeSchedule,
} from '../../package/package.repository.js';
import { findMember } from '../../people/member.repository.js';

/** The files that the accountant gets each month. */
@PageController({ path: '/exports/monthly', access: 'owner', freshProof: true })
export class MonthlyPages {
  constructor(
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    private readonly packages: AccountantPackages,
    private readonly exports: ExportWorker,
  ) {}

  /** Sets who gets the files of each month, and when. */
  @ConsolePage({ method: 'POST', changes: 'settings' })
  async save({ business, form, link, session }: MemberVisit): Promise<PageReply> {
    const recipientId = form.get('recipient') ?? '';
    const day = Number(form.get('day'));
    await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        const before = await findSchedule(trx, business.id);
        const member = isUuid(recipientId)
          ? await findMember(trx, business.id, { personId: recipientId.toLowerCase() })
          : null;
        if (recipientId !== '' && (!member || !Number.isInteger(day) || day < 1 || day > 28)) {
          throw ApiError.invalid([
            { path: '/recipient', message: 'must be a member, on a day from 1 to 28' },
          ]);
        }
        const after = member && {
          day_of_month: day,
          recipient_id: member.person_id,
          set_by: session.personId,
          // Files of earlier months may have reached the accountant in other ways.
          first_month: before?.first_month ?? this.#firstMonth(day),
        };
        await storeSchedule(trx, business.id, after);
        await appendAudit(trx, {
          business_id: business.id,
          action: 'accountant.schedule',
          subject: business.id,
          actor: actorOf(session.personId),
          before: before ? { day_of_month: before.day_of_month, recipient_id: before.recipient_id } : null,
          after: after && { day_of_month: day, recipient_id: after.recipient_id },
        });
      });
    this.packages.trigger();
    return redirect(link('/exports'), { outcome: 'schedule_saved' });
  }

  /** Makes the files of a month that has failed once more. */
  @ConsolePage({ method: 'POST', path: '/again', changes: 'nothing' })
  async restart({ business, form, link }: MemberVisit): Promise<PageReply> {
    const month = form.get('month') ?? '';
    if (!isCalendarDate(month)) {
      throw new ApiError('not_found');
    }
    const isRestarted = await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        const schedule = await findSchedule(trx, business.id);
        const key = { business_id: business.id, month };
        return schedule !== undefined && restartPackage(trx, key, schedule.recipient_id, this.clock.now());
      });
    if (!isRestarted) {
      throw new ApiError('not_found');
    }
    this.exports.trigger();
    return redirect(link('/exports'), { outcome: 'restarted' });
  }

  /** The month before this one, where its day is still to come; otherwise this one. */
  #firstMonth(day: number): string {
    const today = dayInIsrael(this.clock.now());
    const isDue = dueMonth(today, day) === firstOfMonth(today, 1);
    return firstOfMonth(today, isDue ? 0 : 1);
  }
}
