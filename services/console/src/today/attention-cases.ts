import type {
  DocumentHead,
  Donation,
  FailedMessage,
  ReplyOf,
  reviewDocuments,
  Suppression,
} from '@pinkas/contracts';
import {
  amount,
  button,
  dayAndTime,
  disclosure,
  hidden,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  postForm,
  type Task,
  taskList,
  type Words,
} from '@pinkas/ui';
import { noteNames, reviewed } from '../debts/settlement.js';
import { canAskAgain, deadlineText, isToBeCredited } from '../document/refusal.js';
import type { FailedPackage } from '../files/months/package.repository.js';
import { packageFailures, packageName, packageTitle } from '../files/months/package-words.js';
import { documentName, typeName } from '../frame/parts.js';
import { reasonText } from '../frame/reason-words.js';
import { decisionWords, refusalWords } from '../frame/refusal-words.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { type Dismissal, dismissAction, rowKey } from './dismissal.js';
import { type UnresolvedAllocation } from './read-findings.js';
import { todayWords as texts } from './today-words.js';

/** One thing of a cause, which several may have. */
export interface Case {
  readonly cause: string;
  /** When it happened, or empty: it holds now. */
  readonly at: string;
  /** The title, of this one alone and of several with the same cause. */
  readonly title: Markup;
  readonly titleOfMany: (cases: number) => Markup;
  /** What the case is about, in the list of several. */
  readonly subject: Markup;
  readonly detail: Markup;
  readonly action: Markup | null;
  /** Null: only what resolves it ends it. */
  readonly dismissal: Dismissal | null;
}

/** Cases with the same cause in one row; the others are shown on request. */
export function byCause(visit: MemberVisit, cases: readonly Case[]): Task[] {
  const causes = [...new Set(cases.map(({ cause }) => cause))];
  const groups = causes.map((cause) => cases.filter((row) => row.cause === cause));
  return groups.flatMap((group): Task[] => {
    const [first] = group;
    if (!first) {
      return [];
    }
    const tasks = group.map(({ title, detail, action: act, dismissal }): Task => {
      const dismiss = dismissal && dismissAction(visit, [dismissal]);
      return { title, detail, action: act || dismiss ? html`${act}${dismiss}` : null };
    });
    if (group.length === 1) {
      return tasks;
    }
    const rows = taskList(tasks.map((task, place) => ({ ...task, title: group[place]?.subject ?? '' })));
    return [
      {
        title: disclosure(first.titleOfMany(group.length), rows),
        action: dismissAction(
          visit,
          group.flatMap(({ dismissal }) => dismissal ?? []),
        ),
      },
    ];
  });
}

/** A button for those who may change the book. */
function action(visit: MemberVisit, path: string, fields: Markup, word: Words): Markup | null {
  const { csrfToken, t, role } = visit;
  const send = button({ text: t(word), kind: 'secondary' });
  return isAtLeast(role, 'issuer') ? postForm(visit.link(path), csrfToken, html`${fields}${send}`) : null;
}

const backToToday = hidden('back', 'today');

function documentLink(
  visit: MemberVisit,
  { id, type, number }: Pick<DocumentHead, 'id' | 'type' | 'number'>,
): Markup {
  const name = html`${typeName(type, visit.language)} ${leftToRight(String(number))}`;
  return html`<a href="${visit.link(`/documents/${id}`)}">${name}</a>`;
}

/** An invoice that was cancelled needs no one once its credit note is issued. */
export const needsPerson = ({ allocation, document, state }: UnresolvedAllocation): boolean =>
  allocation.decision?.state !== 'taken' ||
  allocation.decision.decision !== 'cancel' ||
  isToBeCredited(document, state);

export function allocationCase(visit: MemberVisit, row: UnresolvedAllocation): Case {
  const { allocation, document } = row;
  const { language, t } = visit;
  const { state, reason, refusal_codes: refusalCodes, decided_at: decidedAt } = allocation;
  const title = t(state === 'refused' ? texts.refused : texts.gaveUp);
  // The words of the authority usually begin with the code.
  const more = refusalCodes.filter((code) => !reason?.includes(code));
  const codes = more.length === 0 ? null : html` (${leftToRight(more.join(', '))})`;
  const subject = html`${documentLink(visit, document)}, ${amount(document.totals.total, language)}`;
  return {
    cause: `${state} ${reason} ${refusalCodes.join()} ${allocation.decision?.decision}`,
    at: decidedAt,
    title: html`${title}: ${subject}`,
    titleOfMany: (cases) => html`${title}: ${leftToRight(String(cases))} ${t(texts.documents)}`,
    subject,
    detail: html`${reasonText(reason ?? '', language)}${codes} · ${dayAndTime(decidedAt, language)}${refusalDetail(row, language)}`,
    action:
      state === 'refused'
        ? refusalAction(visit, row)
        : action(visit, `/documents/${document.id}/allocation`, backToToday, texts.retry),
    dismissal: null,
  };
}

/** What was decided about a refusal, or until when it can be answered. */
function refusalDetail({ allocation }: UnresolvedAllocation, language: Language): Markup | null {
  if (allocation.state !== 'refused') {
    return null;
  }
  const { decision } = allocation;
  return decision && decision.state !== 'failed'
    ? html` · ${refusalWords.decided[language]}: ${decisionWords[decision.decision].name[language]}`
    : html` · ${deadlineText(allocation, language)}`;
}

function refusalAction(
  visit: MemberVisit,
  { allocation, document, state }: UnresolvedAllocation,
): Markup | null {
  const at = `/documents/${document.id}`;
  const link = (href: string, word: Words) =>
    linkButton({ href: visit.link(href), text: visit.t(word), kind: 'secondary' });
  if (isToBeCredited(document, state)) {
    return isAtLeast(visit.role, 'issuer') ? link(`${at}/credit`, refusalWords.creditNow) : null;
  }
  if (canAskAgain(allocation)) {
    return action(visit, `${at}/allocation`, backToToday, texts.retry);
  }
  return linkButton({
    href: `${visit.link(at)}#refusal`,
    text: visit.t(refusalWords.ways),
    kind: 'secondary',
  });
}

export function donationCase(visit: MemberVisit, donation: Donation): Case {
  const { language, t } = visit;
  const { document_id: id, document_number: number, state, reason, decided_at: decidedAt } = donation;
  const subject = documentLink(visit, { id, type: 'donation_receipt', number });
  return {
    cause: `${state} ${reason}`,
    at: decidedAt,
    title: html`${t(texts.unreported)}: ${subject}`,
    titleOfMany: (cases) => html`${leftToRight(String(cases))} ${t(texts.unreportedMany)}`,
    subject,
    detail: html`${reasonText(reason ?? '', language)} · ${dayAndTime(decidedAt, language)}`,
    action: action(visit, `/documents/${id}/allocation`, backToToday, texts.retry),
    dismissal: null,
  };
}

/** Documents to look at, which a person may know to be as they should; a business without a connection cannot know that. */
export function noteCases(visit: MemberVisit, notes: ReplyOf<typeof reviewDocuments>['notes']): Case[] {
  return notes.flatMap((row): Case[] => {
    const found = reviewed(visit, row);
    const { note, documents, amount: sum, documents_sha256: hash = null } = row;
    const name = visit.t(noteNames[note]);
    return found === null
      ? []
      : [
          {
            ...{ cause: note, at: '', titleOfMany: () => found.title, subject: found.title },
            ...found,
            dismissal:
              note === 'number_missing'
                ? null
                : {
                    ...{ key: rowKey('note', note, documents, sum, hash), name, nameOfMany: name },
                    entry: {
                      action: 'note.dismiss',
                      subject: note,
                      after: { note, documents, ...(sum !== null && { amount: sum }) },
                    },
                  },
          },
        ];
  });
}

/** The accountant's files of a month, which an owner has made again once someone is there to get them. */
export function packageCase(visit: MemberVisit, row: FailedPackage): Case {
  const { language, t } = visit;
  const subject = html`${packageTitle(row, language)}`;
  const at = row.ended_at?.toISOString() ?? '';
  const failure = row.has_recipient ? (row.failure ?? 'unavailable') : 'no_recipient';
  return {
    cause: failure,
    at,
    title: html`${t(texts.failedPackage)}: ${subject}`,
    titleOfMany: (cases) => html`${t(texts.failedPackage)}: ${leftToRight(String(cases))} ${t(texts.months)}`,
    subject,
    detail: html`${t(packageFailures[failure])}${at === '' ? null : html` · ${dayAndTime(at, language)}`}`,
    action: isAtLeast(visit.role, 'owner') ? packageAction(visit, row) : null,
    dismissal: {
      key: rowKey('package', packageName(row), failure, at),
      name: packageTitle(row, language),
      nameOfMany: t(texts.failedPackage),
      entry: {
        action: 'accountant.dismiss',
        subject: visit.business.id,
        after: { month: packageName(row) },
      },
    },
  };
}

function packageAction({ csrfToken, t, link }: MemberVisit, row: FailedPackage): Markup {
  const send = button({ text: t(texts.makeAgain), kind: 'secondary' });
  return row.has_recipient
    ? postForm(link('/exports/monthly/again'), csrfToken, html`${hidden('period', packageName(row))}${send}`)
    : linkButton({ href: `${link('/exports')}#monthly`, text: t(texts.chooseRecipient) });
}

/** Messages that have failed and addresses that get none, the latest first. */
export function messageCases(
  visit: MemberVisit,
  failures: readonly FailedMessage[],
  suppressions: readonly Suppression[],
): Case[] {
  const explained = new Set(failures.map((row) => row.suppressed_address));
  return [
    ...failures.map((row) => failureCase(visit, row)),
    ...suppressions
      .filter(({ address }) => !explained.has(address))
      .map((row) => suppressionCase(visit, row)),
  ].sort((one, other) => (one.at > other.at ? -1 : Number(one.at < other.at)));
}

function failureCase(visit: MemberVisit, row: FailedMessage): Case {
  const { language, t } = visit;
  const { document_id: id, document_type: type, document_number: number, recipient, reason } = row;
  const subject = documentLink(visit, { id, type, number });
  const to = leftToRight(recipient);
  return {
    cause: `${recipient} ${row.suppressed_address}`,
    at: row.failed_at,
    title: html`${t(texts.failedMessage)} ${to}: ${subject}`,
    titleOfMany: (cases) => html`${leftToRight(String(cases))} ${t(texts.failedMessages)} ${to}`,
    subject,
    detail: html`${reasonText(reason, language)} · ${dayAndTime(row.failed_at, language)}`,
    action:
      row.suppressed_address === null
        ? action(visit, `/documents/${id}/resend`, backToToday, texts.resend)
        : suppressedActions(visit, row.suppressed_address, id),
    dismissal: {
      key: rowKey('message', row.delivery_id, row.failed_at),
      name: `${recipient}, ${documentName({ type, number }, language)}`,
      nameOfMany: recipient,
      entry: {
        action: 'message.dismiss',
        subject: id,
        // Its document is named: the address is not needed, and a trail is for ever.
        after: { delivery_id: row.delivery_id, channel: row.channel },
      },
    },
  };
}

/** An address that is right is allowed again; instead of a wrong one another is typed on the page of the document. */
function suppressedActions(visit: MemberVisit, address: string, documentId: string): Markup | null {
  const allow = allowAction(visit, address);
  const href = `${visit.link(`/documents/${documentId}`)}#send`;
  const other = linkButton({ href, text: visit.t(texts.otherAddress), kind: 'quiet' });
  return allow && html`${allow}${other}`;
}

function suppressionCase(visit: MemberVisit, row: Suppression): Case {
  const { language, t } = visit;
  const title = html`${t(texts.suppressed)} ${leftToRight(row.address)}`;
  return {
    cause: row.address,
    at: row.since,
    title,
    titleOfMany: () => title,
    subject: title,
    detail: html`${t(texts[row.reason])}${row.detail && html`: ${isolate(row.detail, language)}`} · ${dayAndTime(row.since, language)}`,
    action: allowAction(visit, row.address),
    dismissal: {
      key: rowKey('suppression', row.channel, row.address, row.since),
      name: row.address,
      nameOfMany: row.address,
      entry: { action: 'suppression.dismiss', subject: row.address, after: { reason: row.reason } },
    },
  };
}

const allowAction = (visit: MemberVisit, address: string): Markup | null =>
  action(visit, '/suppressions/remove', hidden('address', address), texts.allow);
