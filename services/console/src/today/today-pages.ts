import {
  listDocuments,
  listTopCustomers,
  type ReplyOf,
  reviewDocuments,
  showAllocationThreshold,
  showConnection,
  showSigningCertificate,
  summarizeDebts,
  summarizeMonths,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { unregisteredSoftware } from '@pinkas/exports';
import {
  type Clock,
  type Database,
  forTenant,
  InjectClock,
  InjectConfig,
  InjectDatabase,
  RpcClient,
} from '@pinkas/service-kit';
import { card, emptyState, html, linkButton, type Markup, notice, pageHead, stats } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { outcomeNotice } from '../document/outcomes.js';
import { type FailedPackage, failedPackages } from '../files/months/package.repository.js';
import { documentTable } from '../frame/parts.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { issueAct } from '../issue/issue-links.js';
import { isAtLeast } from '../session/roles.js';
import { attention, attentionCard, dismissalsOf, type Findings } from './attention.js';
import { checkLine, checkTasks } from './book-check.js';
import { knownCheck } from './book-check.repository.js';
import { dismissedRows, dismissRows } from './dismissal.js';
import { dismissFirstSteps, firstStepsCard, readFirstSteps } from './first-steps.js';
import {
  debtFigure,
  lastTwelveMonths,
  monthByType,
  monthFigures,
  shownMonths,
  topCustomers,
  yearChart,
} from './month.js';
import { readAllocations, readDonations, readFailures, readSuppressions, rowsMax } from './read-findings.js';
import { todayWords as texts } from './today-words.js';

const latestCount = 8;
const packagesMax = 12;
const topCustomersMax = 5;

/** What a business needs today. */
@PageController({ access: 'reader', books: true })
export class TodayPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'accountingSoftwareNumber'>,
  ) {}

  /** The first page of a business: what needs a person, how the month is, and what came in. */
  @ConsolePage({ method: 'GET', path: '/' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { language, t, outcome } = visit;
    const now = this.clock.now();
    const today = dayInIsrael(now);
    const [book, findings] = await Promise.all([this.#book(visit, today), this.#findings(visit)]);
    const [check, dismissed] = await Promise.all([
      knownCheck(forTenant(this.db, visit.business.id), visit.business.id),
      dismissedRows(this.db, visit.bookId, dismissalsOf(visit, findings)),
    ]);
    const tasks = [...checkTasks(visit, check, now), ...attention(visit, findings, dismissed, now)];
    const { latest } = book;
    const { review, allocations, donations, failures, suppressions } = findings;
    const isIncomplete = [
      ...Object.values(book),
      ...[review, allocations, donations, failures, suppressions],
    ].includes(null);
    const isFresh = latest !== null && latest.documents.length === 0;
    const steps = latest === null ? null : await this.#firstSteps(visit, !isFresh);
    const isBeginning = isFresh && (visit.isTest || steps !== null);
    const isCalm = tasks.length === 0 && !isBeginning && !isIncomplete;
    return page(
      t(words.today),
      html`${pageHead({
        title: t(words.today),
        language,
        lead: isCalm ? t(texts.nothing) : null,
        ...issueActs(visit, isBeginning, steps !== null),
      })}
${outcomeNotice(outcome, language) ?? dismissalNotice(visit)}
${isIncomplete ? notice('error', t(texts.unavailable)) : null}
${tasks.length > 0 ? attentionCard(tasks, visit) : null}
${steps && firstStepsCard(visit, steps)}
${
  isBeginning
    ? visit.isTest && emptyTestBook(visit)
    : html`${checkLine(visit, check, now)}
${bookSoFar(visit, book, today)}`
}`,
    );
  }

  /** The first steps are shown no more, whatever of them is done. */
  @ConsolePage({ method: 'POST', path: '/first-steps/dismiss', access: 'owner', changes: 'nothing' })
  async dismissSteps(visit: MemberVisit): Promise<PageReply> {
    await dismissFirstSteps(this.db, visit, this.clock.now());
    return redirect(visit.link('/'));
  }

  /** Rows of *Needs attention* are shown no more; what is not among them now stays. */
  @ConsolePage({
    method: 'POST',
    path: '/attention/dismiss',
    access: 'issuer',
    changes: 'nothing',
    form: { fields: 2 * rowsMax, bytes: 256 * 1024 },
  })
  async dismissRow(visit: MemberVisit): Promise<PageReply> {
    const keys = new Set(visit.form.getAll('row'));
    const rows = dismissalsOf(visit, await this.#findings(visit)).filter(({ key }) => keys.has(key));
    await dismissRows(this.db, visit, rows, this.clock.now());
    return redirect(visit.link('/'), { outcome: rows.length > 0 ? 'row_dismissed' : 'row_not_dismissed' });
  }

  /** A service that is away takes its own part of the page with it, and no other. */
  async #book({ bookId: business_id, business }: MemberVisit, today: string): Promise<BookSoFar> {
    const ofYear = { legal_type: business.legal_type, ...lastTwelveMonths(today), limit: topCustomersMax };
    const ofLatest = { include_cancelled: true, settlement: true, limit: latestCount, before: null };
    const [sums, debts, top, latest] = await Promise.all([
      unlessAway(this.rpc.call(summarizeMonths, { business_id, ...shownMonths(today) })),
      unlessAway(this.rpc.call(summarizeDebts, { business_id })),
      unlessAway(this.rpc.call(listTopCustomers, { business_id, ...ofYear })),
      unlessAway(this.rpc.call(listDocuments, { business_id, ...ofLatest })),
    ]);
    return { sums, debts, top, latest };
  }

  async #findings(visit: MemberVisit): Promise<Findings> {
    const { bookId: business_id, business } = visit;
    const [review, allocations, donations, failures, suppressions, connection, threshold, certificate] =
      await Promise.all([
        unlessAway(this.rpc.call(reviewDocuments, { business_id })),
        unlessAway(readAllocations(this.rpc, business_id)),
        unlessAway(readDonations(this.rpc, business_id)),
        unlessAway(readFailures(this.rpc, business_id)),
        unlessAway(readSuppressions(this.rpc, business_id)),
        unlessAway(this.rpc.call(showConnection, { business_id: business.id })),
        unlessAway(this.rpc.call(showAllocationThreshold, {})),
        unlessAway(this.rpc.call(showSigningCertificate, { business_id })),
      ]);
    return {
      ...{ review, allocations, donations, failures, suppressions },
      ...{ connection, threshold, certificate },
      packages: await this.#failedPackages(visit),
      isRegisteredSoftware: String(this.config.accountingSoftwareNumber) !== unregisteredSoftware,
    };
  }

  /** Once there are documents, they are for owners: others can do none of what is left. */
  async #firstSteps(visit: MemberVisit, hasDocuments: boolean) {
    const isShown = !visit.isTest && (!hasDocuments || isAtLeast(visit.role, 'owner'));
    return isShown
      ? readFirstSteps(visit, { rpc: this.rpc, db: this.db, now: this.clock.now() }, hasDocuments)
      : null;
  }

  /** The test book has no accountant. */
  async #failedPackages({ business, isTest }: MemberVisit): Promise<FailedPackage[]> {
    return isTest ? [] : failedPackages(forTenant(this.db, business.id), business.id, packagesMax);
  }
}

function dismissalNotice({ t, outcome }: MemberVisit): Markup | null {
  switch (outcome) {
    case 'row_dismissed':
      return notice('done', t(texts.dismissed));
    case 'row_not_dismissed':
      return notice('info', t(texts.notDismissed));
    default:
      return null;
  }
}

/** What services report of a book; null: one did not answer. */
interface BookSoFar {
  readonly sums: ReplyOf<typeof summarizeMonths> | null;
  readonly debts: ReplyOf<typeof summarizeDebts> | null;
  readonly top: ReplyOf<typeof listTopCustomers> | null;
  readonly latest: ReplyOf<typeof listDocuments> | null;
}

function bookSoFar(visit: MemberVisit, { sums, debts, top, latest }: BookSoFar, today: string): Markup {
  return html`${figures(visit, sums, debts, today)}
${tables(visit, sums, top, today)}
${latest && latestDocuments(visit, latest)}`;
}

function figures(
  visit: MemberVisit,
  sums: ReplyOf<typeof summarizeMonths> | null,
  debts: ReplyOf<typeof summarizeDebts> | null,
  today: string,
): Markup | null {
  const shown = [
    ...(debts ? [debtFigure(visit, debts)] : []),
    ...(sums ? monthFigures(visit, sums.months, today) : []),
  ];
  return shown.length === 0
    ? null
    : html`${stats(shown)}
${sums && yearChart(visit, sums.months, today)}`;
}

/** What was issued this month, next to who brings in most. */
function tables(
  visit: MemberVisit,
  sums: BookSoFar['sums'],
  top: BookSoFar['top'],
  today: string,
): Markup | null {
  const [month, customers] = [
    sums && monthByType(visit, sums.months, today),
    top && topCustomers(visit, top),
  ];
  return month && customers
    ? html`<div class="columns even">
  ${customers}
  ${month}
</div>`
    : (month ?? customers);
}

function latestDocuments(visit: MemberVisit, { documents }: ReplyOf<typeof listDocuments>): Markup {
  const { language, t } = visit;
  const all = html`<a href="${visit.link('/documents')}">${t(texts.all)}</a>`;
  return card({
    id: 'latest',
    title: t(texts.latest),
    kind: 'flush',
    aside: all,
    content: documentTable(documents, (id) => visit.link(`/documents/${id}`), language),
  });
}

/** The next of the first steps is the primary act where there is one, and an empty test book has its own. */
function issueActs(visit: MemberVisit, isBeginning: boolean, hasSteps: boolean) {
  const act = (isSecondary: boolean) =>
    !isBeginning && hasSteps === isSecondary ? issueAct(visit, isSecondary ? 'secondary' : 'primary') : null;
  return { primary: act(false), secondary: [act(true)] };
}

/** How a test book begins. */
function emptyTestBook(visit: MemberVisit): Markup {
  const { business, t, role } = visit;
  const key = isAtLeast(role, 'owner')
    ? linkButton({ href: `/b/${business.id}/connection/new`, text: t(texts.testKey) })
    : null;
  return emptyState({
    title: t(texts.emptyTestBook),
    text: t(texts.emptyTestBookMore),
    action: html`<div class="buttons">
  ${issueAct(visit)}
  ${key}
</div>`,
  });
}
