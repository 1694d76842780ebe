import type { Allocation, DocumentHead, DocumentState, IssuedDocument } from '@pinkas/contracts';
import {
  dayInIsrael,
  documentTypeRules,
  openDecisions,
  type RefusalDeadlines,
  refusalDeadlines,
} from '@pinkas/domain';
import {
  amount,
  button,
  card,
  day,
  dayAndTime,
  html,
  join,
  type Language,
  linkButton,
  type Markup,
  notice,
  postForm,
} from '@pinkas/ui';
import { effectList } from '../frame/parts.js';
import { reasonText } from '../frame/reason-words.js';
import { decisionWords, refusalWords as texts } from '../frame/refusal-words.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';

/** A document whose number the authority has refused, as far as both services say so. */
export const isRefused = (state: DocumentState, allocation: Allocation | null): boolean =>
  state.refusal !== undefined && (allocation === null || allocation.state === 'refused');

/** Until when a refusal can be answered. */
const deadlinesOf = ({ refused_at: at, decided_at }: Allocation): RefusalDeadlines =>
  refusalDeadlines(dayInIsrael(new Date(at ?? decided_at)));

/** Whether an invoice that is to be cancelled is not credited in full yet. */
export const isToBeCredited = (
  { type, totals }: Pick<DocumentHead, 'type' | 'totals'>,
  state: DocumentState,
): boolean =>
  state.refusal?.decision === 'cancel' &&
  documentTypeRules.credit_note.sources.includes(type) &&
  (state.credited ?? 0) < totals.total;

/** Whether the number of a refused document may be requested again: after an objection, which may have been won. */
export const canAskAgain = ({ decision }: Allocation): boolean =>
  decision?.state === 'taken' && (decision.decision === 'object' || decision.decision === 'continue');

/** What the page of a refused document states before anything else. */
export function refusalNotice(
  document: IssuedDocument,
  state: DocumentState,
  allocation: Allocation | null,
  language: Language,
): Markup | null {
  if (!isRefused(state, allocation)) {
    return null;
  }
  const { decision } = state.refusal ?? { decision: null };
  return decision === null
    ? notice('error', html`${texts.banner[language]} ${amount(document.totals.vat, language)}.`)
    : notice(decision === 'cancel' ? 'warn' : 'info', decisionWords[decision].taken[language]);
}

/** The ways that the law leaves, one act each, with what each does and until when. */
export function refusalCard(
  visit: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  allocation: Allocation | null,
): Markup | null {
  if (!allocation || !isRefused(state, allocation)) {
    return null;
  }
  const { language, t, role } = visit;
  const reason = html`<p class="soft">${t(texts.reason)}: ${reasonText(allocation.reason ?? '', language)}</p>`;
  const content = html`${reason}
${lastDecision(visit, document, allocation)}
${nextStep(visit, document, state, allocation)}
${isAtLeast(role, 'owner') ? ways(visit, document, allocation) : html`<p>${t(texts.ownerOnly)}</p>`}`;
  return card({ id: 'refusal', title: t(texts.ways), kind: 'attention', content });
}

function lastDecision(
  { csrfToken, language, t, link, role }: MemberVisit,
  { id }: IssuedDocument,
  { decision }: Allocation,
): Markup | null {
  if (decision?.state === 'failed') {
    return notice('error', html`${t(texts.notTaken)} ${reasonText(decision.reason ?? '', language)}`);
  }
  if (decision?.state !== 'pending') {
    return null;
  }
  const send = button({ text: t(texts.sendAgain), kind: 'secondary' });
  const again =
    isAtLeast(role, 'owner') &&
    postForm(link(`/documents/${id}/refusal/${decision.decision}`), csrfToken, send);
  return html`${notice('warn', t(texts.pending))}
<p>${t(decisionWords[decision.decision].name)}, ${dayAndTime(decision.decided_at, language)}</p>
${again}`;
}

/** What a decision that is taken leaves to do. */
function nextStep(
  { csrfToken, t, link, role }: MemberVisit,
  document: IssuedDocument,
  state: DocumentState,
  allocation: Allocation,
): Markup | null {
  if (!isAtLeast(role, 'issuer')) {
    return null;
  }
  const at = link(`/documents/${document.id}`);
  if (isToBeCredited(document, state)) {
    return linkButton({ href: `${at}/credit`, text: t(texts.creditNow), kind: 'primary' });
  }
  const again = button({ text: t(texts.askAgain), kind: 'secondary' });
  return canAskAgain(allocation) ? postForm(`${at}/allocation`, csrfToken, again) : null;
}

function ways(
  { language, t, link }: MemberVisit,
  document: IssuedDocument,
  allocation: Allocation,
): Markup | null {
  const last = allocation.decision ?? null;
  const isCreditable = documentTypeRules.credit_note.sources.includes(document.type);
  const open =
    last?.state === 'pending' ? [] : openDecisions(last).filter((way) => way !== 'cancel' || isCreditable);
  if (open.length === 0) {
    return null;
  }
  const rows = open.map((way) => {
    const { name, act, effects } = decisionWords[way];
    const href = link(`/documents/${document.id}/refusal/${way}`);
    const until = way === 'object' ? deadlineText(allocation, language) : null;
    return html`<h3>${t(name)}</h3>
${until && html`<p><strong>${until}</strong></p>`}
${effectList(effects.map((effect) => t(effect)))}
${linkButton({ href, text: t(act), kind: way === 'cancel' ? 'danger' : 'secondary' })}`;
  });
  return html`${rows}
<p class="hint">${t(texts.noReverseCharge)}</p>`;
}

/** `Until 30/11/2026 for a hearing, 26/12/2026 for an objection`. */
export function deadlineText(allocation: Allocation, language: Language): Markup {
  const { hearing, objection } = deadlinesOf(allocation);
  return html`${texts.until[language]} ${join(
    [
      html`${day(hearing, language)} ${texts.hearing[language]}`,
      html`${day(objection, language)} ${texts.objection[language]}`,
    ],
    ', ',
  )}`;
}
