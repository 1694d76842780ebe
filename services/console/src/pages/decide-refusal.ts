import {
  type Allocation,
  decideRefusal,
  getDocument,
  type IssuedDocument,
  showAllocation,
  timeLimitsMs,
} from '@pinkas/contracts';
import { openDecisions, type RefusalDecision, refusalDecisions } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import { amount, button, form, html, isolate, linkButton, notice, pageHead, type Words } from '@pinkas/ui';
import { ConsolePage, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { deadlineText } from './document/refusal.js';
import { decisionWords, notDecided } from './document/refusal-words.js';
import { documentName, effectList } from './parts.js';
import { words } from './words.js';

const texts = {
  what: { he: 'מה יקרה', en: 'What happens' },
  sent: {
    he: 'ההחלטה נשלחת לרשות המסים. אי אפשר לחזור ממנה, אלא להגיש השגה אחרי המשך בלי מספר.',
    en: 'The decision is sent to the tax authority. It cannot be undone; only after going on without a number an objection may follow.',
  },
  confirm: { he: 'החלטה ושליחה לרשות המסים', en: 'Decide, and tell the tax authority' },
} as const satisfies Record<string, Words>;

function decisionIn({ params }: MemberVisit): RefusalDecision {
  const found = refusalDecisions.find((decision) => decision === params.decision);
  if (!found) {
    throw new ApiError('not_found');
  }
  return found;
}

function confirmation(
  { csrfToken, language, link }: MemberVisit,
  document: IssuedDocument,
  allocation: Allocation,
  decision: RefusalDecision,
): PageReply {
  const { name, effects } = decisionWords[decision];
  const at = link(`/documents/${document.id}`);
  const title = `${name[language]}: ${documentName(document, language)}`;
  const confirm = button({
    text: texts.confirm[language],
    kind: decision === 'cancel' ? 'danger' : 'primary',
  });
  const back = linkButton({ href: at, text: words.back[language], kind: 'quiet' });
  return page(
    title,
    html`${pageHead({
      title,
      language,
      crumbs: [{ text: documentName(document, language), href: at }],
      lead: html`${isolate(document.customer.name, language)}, ${amount(document.totals.total, language)}`,
    })}
<section class="card">
  <h2>${texts.what[language]}</h2>
  ${decision === 'object' && html`<p><strong>${deadlineText(allocation, language)}</strong></p>`}
  ${effectList([...effects, texts.sent].map((effect) => effect[language]))}
  ${form({ action: `${at}/refusal/${decision}`, csrfToken, content: html``, acts: html`${confirm}${back}` })}
</section>`,
  );
}

/** The page of the document with why nothing is decided. */
const refused = ({ language, link, params }: MemberVisit, words_: Words): PageReply => {
  const back = linkButton({
    href: link(`/documents/${params.id}`),
    text: words.back[language],
    kind: 'quiet',
  });
  return page(
    words_[language],
    html`${notice('error', words_[language])}
${back}`,
    409,
  );
};

/** Explains what a decision about a refused number does. */
@ConsolePage({
  method: 'GET',
  path: '/documents/:id/refusal/:decision',
  access: 'owner',
  changes: 'book',
  books: true,
  freshProof: true,
})
export class PreviewDecision {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const decision = decisionIn(visit);
    const key = { business_id: visit.bookId, document_id: visit.params.id ?? '' };
    const { document } = await this.rpc.call(getDocument, key);
    const { allocation } = await this.rpc.call(showAllocation, key);
    if (allocation?.state !== 'refused') {
      return refused(visit, notDecided.not_refused);
    }
    if (decision === 'reverse_charge') {
      return refused(visit, notDecided.not_offered);
    }
    return openDecisions(allocation.decision ?? null).includes(decision)
      ? confirmation(visit, document, allocation, decision)
      : refused(visit, notDecided.decided);
  }
}

/** Records and sends a decision about a refused number. */
@ConsolePage({
  method: 'POST',
  path: '/documents/:id/refusal/:decision',
  access: 'owner',
  changes: 'book',
  books: true,
  freshProof: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class DecideRefusalNow {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, params, session } = visit;
    const decision = decisionIn(visit);
    const document_id = params.id ?? '';
    const { refusal, last } = await this.rpc.call(decideRefusal, {
      business_id: bookId,
      document_id,
      decision,
      person_id: session.personId,
    });
    if (refusal !== null) {
      return refused(visit, notDecided[refusal]);
    }
    const state = last?.state ?? 'pending';
    const at = visit.link(`/documents/${document_id}`);
    return decision === 'cancel' && state === 'taken'
      ? redirect(`${at}/credit`)
      : redirect(at, { outcome: `decision_${state}` });
  }
}
