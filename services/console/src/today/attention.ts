import type {
  Donation,
  FailedMessage,
  ReplyOf,
  reviewDocuments,
  Suppression,
  showAllocationThreshold,
  showConnection,
  showSigningCertificate,
} from '@pinkas/contracts';
import {
  addDays,
  allocationThresholdOn,
  dayInIsrael,
  formatDay,
  isReportingInstitution,
  type LawRule,
  law,
  lawChanges,
  lawText,
  thresholdDifference,
} from '@pinkas/domain';
import {
  amount,
  card,
  count,
  disclosure,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  type Task,
  taskList,
} from '@pinkas/ui';
import { unreportedDonations, withoutBuyerId } from '../debts/settlement.js';
import type { FailedPackage } from '../files/months/package.repository.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import {
  allocationCase,
  byCause,
  type Case,
  donationCase,
  messageCases,
  needsPerson,
  noteCases,
  packageCase,
} from './attention-cases.js';
import type { Dismissal } from './dismissal.js';
import { type Found, rowsMax, type UnresolvedAllocation } from './read-findings.js';
import { todayWords as texts } from './today-words.js';

const shownMax = 10;
const warnDays = 30;
const warnMs = warnDays * 24 * 60 * 60 * 1000;

/** What services report of what needs a person; null: one did not answer. */
export interface Findings {
  readonly review: ReplyOf<typeof reviewDocuments> | null;
  readonly allocations: Found<UnresolvedAllocation> | null;
  readonly donations: Found<Donation> | null;
  readonly failures: Found<FailedMessage> | null;
  readonly suppressions: Found<Suppression> | null;
  readonly connection: ReplyOf<typeof showConnection> | null;
  readonly threshold: ReplyOf<typeof showAllocationThreshold> | null;
  readonly certificate: ReplyOf<typeof showSigningCertificate> | null;
  readonly packages: readonly FailedPackage[];
  /** Whether the operator has registered this software, so that the rules for it hold. */
  readonly isRegisteredSoftware: boolean;
}

/** What a person may dismiss: they may judge that nothing is to be done. What the law asks for ends when it is done alone. */
function dismissibleCases(visit: MemberVisit, { review, failures, suppressions, packages }: Findings) {
  return {
    notes: noteCases(visit, review?.notes ?? []),
    messages: messageCases(visit, failures?.rows ?? [], suppressions?.rows ?? []),
    packages: packages.map((row) => packageCase(visit, row)),
  };
}

/** The rows of these findings that a person may dismiss. */
export const dismissalsOf = (visit: MemberVisit, findings: Findings): Dismissal[] =>
  Object.values(dismissibleCases(visit, findings))
    .flat()
    .flatMap(({ dismissal }) => dismissal ?? []);

/**
 * What needs a person, one row for one cause, each with what resolves it.
 * @param dismissed the keys of rows that are not shown any more.
 */
export function attention(
  visit: MemberVisit,
  findings: Findings,
  dismissed: ReadonlySet<string>,
  now: Date,
): Task[] {
  const { review, allocations, donations } = findings;
  const { notes, messages, packages } = dismissibleCases(visit, findings);
  const left = (cases: readonly Case[]) =>
    byCause(
      visit,
      cases.filter(({ dismissal }) => dismissal === null || !dismissed.has(dismissal.key)),
    );
  return [
    ...connectionTasks(visit, findings.connection),
    ...donationTasks(visit, now),
    ...certificateTasks(visit, findings.certificate, now),
    ...left(notes),
    ...[
      withoutBuyerId(visit, review?.without_buyer_id),
      unreportedDonations(visit, review?.unreported_donations),
    ].filter((row) => row !== null),
    ...left((allocations?.rows ?? []).filter(needsPerson).map((row) => allocationCase(visit, row))),
    ...left((donations?.rows ?? []).map((row) => donationCase(visit, row))),
    ...left(messages),
    ...moreTasks(visit, findings),
    ...left(packages),
    ...thresholdTasks(visit, findings),
    ...lawTasks(visit, findings.isRegisteredSoftware, now),
  ];
}

/** The section with what needs a person. */
export function attentionCard(tasks: readonly Task[], { t }: MemberVisit): Markup {
  const rest = tasks.slice(shownMax);
  return card({
    id: 'attention',
    kind: 'attention',
    title: html`${t(texts.needs)} ${count(tasks.length)}`,
    content: html`${taskList(tasks.slice(0, shownMax))}
${rest.length > 0 && disclosure(html`${t(texts.more)} (${leftToRight(String(rest.length))})`, taskList(rest))}`,
  });
}

/** That a list has more than the page reads: what is shown is resolved first, or all of them are in the list of documents. */
function moreTasks(
  { t, link }: MemberVisit,
  { allocations, donations, failures, suppressions }: Findings,
): Task[] {
  const all = (href: string) => linkButton({ href, text: t(texts.allOfThem), kind: 'secondary' });
  const rows = [
    [allocations, texts.moreNumbers, all(link('/documents', { number: 'missing' }))],
    [donations, texts.moreDonations, all(link('/documents', { type: 'donation_receipt' }))],
    [failures, texts.moreMessages, all(link('/documents', { delivery: 'failed' }))],
    [suppressions, texts.moreAddresses, null],
  ] as const;
  return rows.flatMap(([found, title, action]) =>
    found?.hasMore ? [{ title: `${t(title)} ${rowsMax}`, action }] : [],
  );
}

function connectionTasks(visit: MemberVisit, reply: Findings['connection']): Task[] {
  const { language, t, business, isTest } = visit;
  const connection = reply?.connection;
  if (isTest || !business.tax_authority_connected || !connection || connection.state === 'connected') {
    return [];
  }
  const hasEnded = connection.state === 'ended' || connection.until === null;
  const until = connection.until ?? '';
  const title = hasEnded
    ? html`${t(texts.connectionEnded)}`
    : html`${t(texts.connectionEnds)} ${leftToRight(formatDay(dayInIsrael(new Date(until)), language))}`;
  return [
    {
      title,
      tone: hasEnded ? 'bad' : 'waiting',
      detail: t(texts.connectionMore),
      action: linkButton({
        href: visit.link('/authority'),
        text: t(texts.connect),
        kind: 'secondary',
      }),
    },
  ];
}

/** An institution whose donations are not reported, since it is not connected. */
function donationTasks({ business, isTest, t, link, role }: MemberVisit, now: Date): Task[] {
  if (isTest || business.tax_authority_connected || !isReportingInstitution(business, dayInIsrael(now))) {
    return [];
  }
  const connect = linkButton({ href: link('/authority'), text: t(texts.connect), kind: 'secondary' });
  return [
    {
      title: html`${t(texts.donationsUnconnected)}`,
      tone: 'bad',
      detail: t(texts.donationsUnconnectedMore),
      action: isAtLeast(role, 'owner') ? connect : null,
    },
  ];
}

function certificateTasks({ language, t }: MemberVisit, reply: Findings['certificate'], now: Date): Task[] {
  if (!reply || Date.parse(reply.not_after) - now.getTime() > warnMs) {
    return [];
  }
  const until = formatDay(dayInIsrael(new Date(reply.not_after)), language);
  return [
    {
      title: html`${t(texts.certificateEnds)} ${leftToRight(until)}`,
      detail: t(texts.certificateMore),
    },
  ];
}

/** Whether a rule of law concerns a business; one without a kind may be of any. */
function isConcerned(
  { business: { legal_type: kind } }: MemberVisit,
  { concerns }: LawRule,
  isRegisteredSoftware: boolean,
): boolean {
  return concerns === 'registered software'
    ? isRegisteredSoftware
    : concerns === undefined || kind === null || concerns.includes(kind);
}

/** That the tax authority names another threshold of allocation numbers than the table of law. */
function thresholdTasks(visit: MemberVisit, { threshold, isRegisteredSoftware }: Findings): Task[] {
  const { isTest, language, t } = visit;
  const answer = threshold?.answer ?? null;
  if (
    isTest ||
    !answer ||
    thresholdDifference(answer) === 0 ||
    !isConcerned(visit, law.allocationThreshold, isRegisteredSoftware)
  ) {
    return [];
  }
  const known = amount(allocationThresholdOn(answer.day), language);
  return [
    {
      title: html`${t(texts.threshold)}: ${amount(answer.net, language)}`,
      detail: html`${t(texts.thresholdKnown)}: ${known}. ${t(texts.thresholdMore)}`,
    },
  ];
}

/** The rules of law that change soon and concern the business. */
function lawTasks(visit: MemberVisit, isRegisteredSoftware: boolean, now: Date): Task[] {
  const { isTest, language, t } = visit;
  const concerned = lawChanges(dayInIsrael(now), warnDays).filter(({ rule }) =>
    isConcerned(visit, rule, isRegisteredSoftware),
  );
  return isTest
    ? []
    : concerned.map(({ rule, from, value }) => {
        const text = typeof value === 'number' ? html`: ${leftToRight(lawText(rule, value))}` : null;
        const day = leftToRight(formatDay(value === null ? addDays(from, -1) : from, language));
        const when = t(texts[value === null ? 'lawUntil' : 'lawFrom']);
        return {
          title: html`${when} ${day}: ${t(rule.name)}${text}`,
          detail: html`${t(texts.lawSource)} ${isolate(rule.source, language)}`,
        };
      });
}
