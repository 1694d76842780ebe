import { card, dayAndTime, html, isolate, type Language, type Markup, type Words } from '@pinkas/ui';
import type { MemberVisit } from '../http/visit.js';
import { allocationSteps } from './allocation-steps.js';
import type { DocumentHistory, TimelineStep } from './document-history.js';
import { messageSteps } from './message-steps.js';
import { revisionSteps } from './revision-steps.js';

const texts = {
  timeline: { he: 'היסטוריה', en: 'History' },
  issued: { he: 'הופק', en: 'Issued' },
  cancelled: { he: 'בוטל', en: 'Cancelled' },
  tracking: {
    he: 'הדף וההודעות אינם עוקבים אחרי מי שקורא אותם.',
    en: 'Neither the page nor the messages track who reads them.',
  },
  moreRequests: {
    he: 'יש עוד בקשות למספר הקצאה, מאוחרות מאלה:',
    en: 'There are more requests for an allocation number, later than these:',
  },
  laterRequests: { he: 'לבקשות המאוחרות', en: 'Later requests' },
} as const satisfies Record<string, Words>;

/** All that happened to a document, in order: a later success adds to what failed before it. */
export function timeline(visit: MemberVisit, history: DocumentHistory): Markup {
  const { language, t } = visit;
  const { document, state, allocation, artifacts, messages } = history;
  const steps: TimelineStep[] = [
    { at: document.issued_at, kind: 'done', text: html`${t(texts.issued)}` },
    ...allocationSteps(history, language),
    ...revisionSteps(visit, document, artifacts?.revisions ?? []),
    ...(messages?.messages ?? []).flatMap((message) => messageSteps(message, visit)),
    ...(state.cancelled_at === null ? [] : [cancelledStep(state, state.cancelled_at, language)]),
  ];
  steps.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  const next = allocation?.next_after_attempt ?? null;
  const href = visit.link(`/documents/${document.id}`, { requests: String(next) });
  const later = html`<a href="${href}">${t(texts.laterRequests)}</a>`;
  const more = next === null ? null : html`<p>${t(texts.moreRequests)} ${later}</p>`;
  return card({
    id: 'timeline',
    title: t(texts.timeline),
    content: html`<ol class="timeline">
  ${steps.map((step) => stepMarkup(step, language))}
</ol>
${more}
<p class="hint">${t(texts.tracking)}</p>`,
  });
}

const stepMarkup = ({ at, kind, text, detail }: TimelineStep, language: Language) =>
  html`<li class="${kind}">
    <p>${text}</p>
    ${detail ? html`<p class="soft">${detail}</p>` : null}
    <p class="when">${dayAndTime(at, language)}</p>
  </li>
  `;

function cancelledStep(
  { cancel_reason }: DocumentHistory['state'],
  at: string,
  language: Language,
): TimelineStep {
  return {
    at,
    kind: 'ended',
    text: html`${texts.cancelled[language]}`,
    detail: cancel_reason ? isolate(cancel_reason, language) : null,
  };
}
