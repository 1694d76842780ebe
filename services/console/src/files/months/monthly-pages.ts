import { type Business, isUuid } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import {
  ApiError,
  actorOf,
  appendTrail,
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectDatabase,
  type Transaction,
} from '@pinkas/service-kit';
import { hidden, html, leftToRight } from '@pinkas/ui';
import { findMember } from '../../access/people/member.repository.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import { confirmation } from '../../frame/confirmation.js';
import { effectList } from '../../frame/parts.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../../http/console-page.js';
import { zipFile } from '../../http/file-replies.js';
import type { MemberVisit } from '../../http/visit.js';
import { fileNameOf, periodFrom, readPeriod } from '../../reports/period.js';
import { exportWords as texts } from '../export/export-words.js';
import { ExportWorker } from '../export/export-worker.js';
import { AccountantPackages } from './accountant-packages.js';
import { sendableNow } from './monthly-card.js';
import {
  exportsOfPackage,
  findSchedule,
  firstMonthOf,
  insertPackage,
  insertPackageExports,
  latestPackages,
  type PackageFormat,
  type PackageKey,
  packageFormats,
  restartPackage,
  type Schedule,
  storeSchedule,
} from './package.repository.js';
import { packageFile } from './package-file.js';
import { packageContents, packageName, packageTitle } from './package-words.js';

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
    const months = Number(form.get('months') ?? 1);
    await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        const before = await findSchedule(trx, business.id);
        const member = isUuid(recipientId)
          ? await findMember(trx, business.id, { personId: recipientId.toLowerCase() })
          : null;
        const isDay = Number.isInteger(day) && day >= 1 && day <= 28;
        if (recipientId !== '' && (!member || !isDay || (months !== 1 && months !== 2))) {
          throw ApiError.invalid([
            { path: '/recipient', message: 'must be a member, on a day from 1 to 28, for one month or two' },
          ]);
        }
        const rhythm = { day_of_month: day, months };
        const isSame = before?.day_of_month === day && before.months === months;
        const after = member && {
          ...rhythm,
          recipient_id: member.person_id,
          set_by: session.personId,
          // Files of earlier months may have reached the accountant in other ways, and none are sent unseen.
          first_month: isSame ? before.first_month : firstMonthOf(dayInIsrael(this.clock.now()), rhythm),
        };
        await storeSchedule(trx, business.id, after);
        await appendTrail(trx, {
          business_id: business.id,
          action: 'accountant.schedule',
          subject: business.id,
          actor: actorOf(session.personId),
          before: before ? recorded(before) : null,
          after: after && recorded(after),
        });
      });
    this.packages.trigger();
    return redirect(link('/exports'), { outcome: 'schedule_saved' });
  }

  /** Makes the files of a period that has failed once more. */
  @ConsolePage({ method: 'POST', path: '/again', changes: 'nothing' })
  async restart({ business, form, link, session }: MemberVisit): Promise<PageReply> {
    const key = keyOf(business, form.get('period'));
    const formats = packageFormats(business);
    const isRestarted = await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        const schedule = await findSchedule(trx, business.id);
        const again = schedule && { recipientId: schedule.recipient_id, formats };
        const isKnown = again !== undefined && (await restartPackage(trx, key, again, this.clock.now()));
        if (isKnown) {
          await appendSent(trx, 'accountant.restart', key, again.recipientId, session.personId);
        }
        return isKnown;
      });
    if (!isRestarted) {
      throw new ApiError('not_found');
    }
    this.exports.trigger();
    return redirect(link('/exports'), { outcome: 'restarted' });
  }

  /** Asks before the files of the latest complete period are sent. */
  @ConsolePage({ method: 'GET', path: '/now' })
  async confirmNow(visit: MemberVisit): Promise<PageReply> {
    const { business, language, t, link } = visit;
    const { now, recipient } = await this.#now(visit);
    const contents = packageFormats(business).map((format) => t(packageContents[format]));
    const title = t(texts.sendNowTitle);
    return confirmation(visit, {
      title,
      lead: html`${packageTitle(now, language)}, ${leftToRight(recipient)}`,
      crumbs: [{ text: t(words.exports), href: link('/exports') }],
      content: html`<p>${t(texts.sendNowLead)}</p>
<p>${t(texts.contents)}</p>
${effectList(contents)}`,
      fields: hidden('period', packageName(now)),
      button: { text: t(texts.sendNowAct) },
    });
  }

  /** Sends them, once: their day does not send them again. */
  @ConsolePage({ method: 'POST', path: '/now', changes: 'nothing' })
  async sendNow(visit: MemberVisit): Promise<PageReply> {
    const { business, form, link, session } = visit;
    const { now, schedule } = await this.#now(visit);
    // What was confirmed is what is sent: a month may have ended since.
    if (form.get('period') !== packageName(now)) {
      return redirect(link('/exports/monthly/now'));
    }
    const begun = { ...schedule, ...now, set_by: session.personId };
    await forTenant(this.db, business.id)
      .transaction()
      .execute(async (trx) => {
        const at = this.clock.now();
        if (await insertPackage(trx, begun, at)) {
          await insertPackageExports(trx, begun, packageFormats(business), at);
          await appendSent(trx, 'accountant.send', begun, begun.recipient_id, session.personId);
        }
      });
    this.exports.trigger();
    return redirect(link('/exports'), { outcome: 'sent_now' });
  }

  /** All files of a period as one zip. */
  @ConsolePage({ method: 'GET', path: '/:period/file', access: 'reader' })
  async download({ business, params }: MemberVisit): Promise<PageReply> {
    const key = keyOf(business, params.period ?? '');
    const parts = await exportsOfPackage(forTenant(this.db, business.id), key);
    const mtime = this.clock.now();
    const body =
      parts.length > 0 &&
      (await packageFile(
        this.db,
        business.id,
        parts.map(({ id, format }) => ({ exportId: id, folder: folders[format] })),
        mtime,
      ));
    if (!body) {
      throw new ApiError('not_found');
    }
    return zipFile(`pinkas-${fileNameOf(periodFrom(key.month, key.months))}.zip`, body);
  }

  /** @throws ApiError `not_found` where nothing can be sent: no member gets the files, or those of the period were begun. */
  async #now({ business }: MemberVisit) {
    const db = forTenant(this.db, business.id);
    const schedule = await findSchedule(db, business.id);
    const today = dayInIsrael(this.clock.now());
    const now = schedule && sendableNow(schedule, await latestPackages(db, business.id, begunMax), today);
    const member = schedule && (await findMember(db, business.id, { personId: schedule.recipient_id }));
    if (!schedule || !now || !member) {
      throw new ApiError('not_found');
    }
    return { schedule, now, recipient: member.email };
  }
}

/** More than the periods that can have begun after the latest complete one. */
const begunMax = 12;

/** What the files of each kind are below, in the zip of all. */
const folders: Readonly<Record<PackageFormat, string>> = {
  report: 'report',
  pcn874: 'pcn874',
  uniform: 'uniform',
  csv: 'tables',
  'pdf-zip': 'documents',
};

/** The key of a period in an address or a form. @throws ApiError `not_found` where it names none. */
function keyOf({ id: business_id }: Business, name: string | null): PackageKey {
  const period = readPeriod(name);
  if (!period || period.name.length === 4) {
    throw new ApiError('not_found');
  }
  return { business_id, month: period.from, months: period.name.length > 7 ? 2 : 1 };
}

/** Records that a person has the files of a period made and sent. */
const appendSent = (
  trx: Transaction<ConsoleTables>,
  action: 'accountant.restart' | 'accountant.send',
  key: PackageKey,
  recipient_id: string,
  personId: string,
) =>
  appendTrail(trx, {
    business_id: key.business_id,
    ...{ action, subject: key.business_id, actor: actorOf(personId) },
    before: null,
    after: { month: packageName(key), recipient_id },
  });

/** What the trail has of a schedule. */
const recorded = ({ day_of_month, months, recipient_id }: Omit<Schedule, 'business_id'>) => ({
  ...{ day_of_month, recipient_id },
  ...(months !== 1 && { months }),
});
