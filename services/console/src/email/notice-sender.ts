import { Injectable } from '@nestjs/common';
import { type RequestOf, sendNotice, showBusiness, timeLimitsMs } from '@pinkas/contracts';
import { nextAttemptAt } from '@pinkas/domain';
import {
  ApiError,
  acrossTenants,
  type BackgroundTask,
  type Clock,
  type Counter,
  type Database,
  databaseNow,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  InjectLogger,
  JobWorker,
  type Logger,
  Metrics,
  RpcClient,
  Tracing,
} from '@pinkas/service-kit';
import { findMember, setUndelivered } from '../access/people/member.repository.js';
import { insertLink, linkMs } from '../access/sign-in/sign-in.repository.js';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { failPackage } from '../files/months/fail-package.js';
import { exportsOfPackage, findPackage } from '../files/months/package.repository.js';
import {
  claimNotices,
  type DueNotice,
  deleteNotice,
  nextDueNotice,
  postponeNotice,
} from '../notice/notice.repository.js';
import {
  departureMail,
  type InvitedMember,
  invitationMail,
  packageFailedMail,
  packageMail,
  signInMail,
} from './notice-texts.js';

/** One attempt, with the calls of two services. */
const attemptMs = timeLimitsMs.sendNotice + timeLimitsMs.call;
/** Longer than an attempt, for storing its outcome. */
const claimMs = attemptMs + 15_000;

/** About the accountant's files. */
type PackageNotice = DueNotice & { readonly package_month: string };

type Mail = Pick<RequestOf<typeof sendNotice>, 'subject' | 'text' | 'html'>;

/**
 * Sends mails to people. Only here it is looked up whether somebody has the address, and the link is made: the request that asked
 * does the same work for every address.
 */
@Injectable()
export class NoticeSender implements BackgroundTask {
  readonly #worker: JobWorker<DueNotice>;
  readonly #all: Database<ConsoleTables>;
  readonly #notices: Counter<'outcome'>;

  constructor(
    @InjectDatabase() db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'consoleUrl'>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    tracing: Tracing,
    metrics: Metrics,
  ) {
    this.#notices = metrics.counter(
      'pinkas_notices_total',
      'Mails with links: accepted, rejected by the mail server, or expired unsent.',
      ['outcome'],
    );
    this.#all = acrossTenants(db);
    this.#worker = new JobWorker({
      name: 'notice-sender',
      concurrency: 8,
      claimMs,
      logger,
      tracing,
      nextDue: () => nextDueNotice(this.#all, clock),
      claim: (limit, now, until) => claimNotices(this.#all, limit, now, until),
      run: (notice) => this.#process(notice),
    });
  }

  start(): void {
    this.#worker.start();
  }

  /** A mail may be due. */
  trigger(): void {
    this.#worker.trigger();
  }

  async stop(): Promise<void> {
    await this.#worker.stop();
  }

  /** Never rejects: what could not be stored is processed again when the claim expires. */
  async #process(notice: DueNotice): Promise<void> {
    try {
      const failure = await this.#send(notice).catch((error: unknown) => error);
      if (failure === null) {
        await deleteNotice(this.#all, notice.id);
        return;
      }
      await this.#repeat(notice, failure);
    } catch (error) {
      this.logger.error({ notice_id: notice.id, err: error }, 'notice processing failed');
    }
  }

  /** @returns why another attempt may succeed; null: there is nothing more to do. */
  async #send(notice: DueNotice): Promise<unknown> {
    const person = await this.#all
      .selectFrom('person')
      .select(['id', 'language'])
      .where('email', '=', notice.email)
      .executeTakeFirst();
    const mail = person ? await this.#compose(notice, person) : null;
    if (mail === null) {
      if (notice.kind === 'package') {
        // Who was to get the files has left: the owners learn of it.
        await this.#recordUndelivered(notice, 'no_recipient');
      }
      return null;
    }
    const { outcome, reason } = await this.rpc.call(sendNotice, {
      notice_id: notice.id,
      recipient: notice.email,
      ...mail,
    });
    if (outcome === 'rejected') {
      this.logger.warn({ notice_id: notice.id }, 'notice rejected');
      await this.#recordUndelivered(notice);
    }
    if (outcome !== 'failed') {
      this.#notices.inc({ outcome });
    }
    return outcome === 'failed' ? (reason ?? 'failed') : null;
  }

  /** @returns null where the reason for the mail is gone: the person was removed again. */
  async #compose(
    notice: DueNotice,
    person: { id: string; language: DueNotice['language'] | null },
  ): Promise<Mail | null> {
    const membership = notice.business_id === null ? null : await this.#membership(notice, person.id);
    if (notice.business_id !== null && membership === null) {
      return null;
    }
    const language = person.language ?? notice.language;
    if (membership && notice.package_month !== null) {
      return this.#composePackage(
        { ...notice, package_month: notice.package_month },
        language,
        membership.businessName,
      );
    }
    if (membership && notice.left_email !== null) {
      // Without a link that signs in: no one asked for one.
      return membership.role === 'owner'
        ? departureMail(language, `${this.config.consoleUrl}${notice.next_path}`, {
            businessName: membership.businessName,
            email: notice.left_email,
          })
        : null;
    }
    const { token } = await insertLink(
      this.#all,
      {
        person_id: person.id,
        notice_id: notice.id,
        browser_hash: notice.browser_hash,
        next_path: notice.next_path,
        business_id: notice.business_id,
      },
      this.clock.now(),
    );
    const addresses = {
      link: `${this.config.consoleUrl}/sign-in/link/${token}`,
      signIn: `${this.config.consoleUrl}/sign-in`,
    };
    return membership ? invitationMail(language, addresses, membership) : signInMail(language, addresses);
  }

  /** Without a link that signs in: the files are for who may use the business when the link is opened. */
  async #composePackage(
    { kind, business_id, package_month: month, package_months: months, next_path }: PackageNotice,
    language: DueNotice['language'],
    businessName: string,
  ): Promise<Mail> {
    const address = `${this.config.consoleUrl}${next_path}`;
    const key = { business_id: business_id ?? '', month, months };
    if (kind === 'package') {
      const files = await exportsOfPackage(this.#all, key);
      const formats = files.map(({ format }) => format);
      return packageMail(language, address, { businessName, month, months, formats });
    }
    const found = await findPackage(this.#all, key);
    return packageFailedMail(language, address, {
      ...{ businessName, month, months },
      failure: found?.failure ?? 'unavailable',
    });
  }

  async #membership({ business_id }: DueNotice, personId: string): Promise<InvitedMember | null> {
    const membership = await this.#all
      .selectFrom('membership')
      .leftJoin('person as inviter', 'inviter.id', 'membership.invited_by')
      .select(['business_id', 'role', 'inviter.email as inviter'])
      .where('business_id', '=', business_id)
      .where('person_id', '=', personId)
      .executeTakeFirst();
    if (!membership) {
      return null;
    }
    const { business } = await this.rpc.call(showBusiness, { business_id: membership.business_id });
    return { businessName: business.name, role: membership.role, inviter: membership.inviter };
  }

  async #repeat(notice: DueNotice, failure: unknown): Promise<void> {
    const now = await databaseNow(this.#all, this.clock);
    const next = nextAttemptAt(notice.attempts, notice.requested_at, now);
    // No one waits for a link that was asked for longer ago.
    const isTooLate =
      notice.kind === 'sign_in' && next !== null && next.getTime() - notice.requested_at.getTime() > linkMs;
    const fields = {
      notice_id: notice.id,
      attempts: notice.attempts,
      code: failure instanceof ApiError ? failure.code : undefined,
      err: failure instanceof Error && !(failure instanceof ApiError) ? failure : undefined,
    };
    if (next === null || isTooLate) {
      this.logger.error(fields, 'notice expired');
      this.#notices.inc({ outcome: 'expired' });
      await this.#recordUndelivered(notice);
      await deleteNotice(this.#all, notice.id);
      return;
    }
    this.logger.warn(fields, 'notice postponed');
    await postponeNotice(this.#all, notice.id, next);
  }

  /** Its owners see on the page of people that an invitation did not arrive. */
  async #recordUndelivered(
    { business_id, email, kind, package_month: month, package_months: months }: DueNotice,
    failure: 'undelivered' | 'no_recipient' = 'undelivered',
  ): Promise<void> {
    if (business_id !== null && kind === 'package' && month !== null) {
      await this.#all
        .transaction()
        .execute((trx) => failPackage(trx, { business_id, month, months }, failure, this.clock.now()));
      this.trigger();
      return;
    }
    if (business_id === null || kind !== 'invitation') {
      return;
    }
    const member = await findMember(this.#all, business_id, { email });
    if (member) {
      await setUndelivered(this.#all, member, this.clock.now());
    }
  }
}
