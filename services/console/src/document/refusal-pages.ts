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
import { html, linkButton, notice, type Words } from '@pinkas/ui';
import { documentConfirmation } from '../frame/confirmation.js';
import { effectList } from '../frame/parts.js';
import { decisionWords, notDecided } from '../frame/refusal-words.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { deadlineText } from './refusal.js';

const texts = {
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

function confirmDecision(
  visit: MemberVisit,
  document: IssuedDocument,
  allocation: Allocation,
  decision: RefusalDecision,
): PageReply {
  const { name, effects } = decisionWords[decision];
  return documentConfirmation(visit, document, {
    title: name,
    content: html`<h2>${visit.t(words.whatHappens)}</h2>
  ${decision === 'object' && html`<p><strong>${deadlineText(allocation, visit.language)}</strong></p>`}
  ${effectList([...effects, texts.sent].map((effect) => visit.t(effect)))}`,
    button: { text: visit.t(texts.confirm), kind: decision === 'cancel' ? 'danger' : 'primary' },
  });
}

/** The page of the document with why nothing is decided. */
const refused = ({ t, link, params }: MemberVisit, words_: Words): PageReply => {
  const back = linkButton({
    href: link(`/documents/${params.id}`),
    text: t(words.back),
    kind: 'quiet',
  });
  return page(
    t(words_),
    html`${notice('error', t(words_))}
${back}`,
    409,
  );
};

/** What an owner decides about a refused allocation number. */
@PageController({ path: '/documents/:id/refusal/:decision', access: 'owner', books: true, freshProof: true })
export class RefusalPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'book' })
  async confirm(visit: MemberVisit): Promise<PageReply> {
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
      ? confirmDecision(visit, document, allocation, decision)
      : refused(visit, notDecided.decided);
  }

  @ConsolePage({ method: 'POST', changes: 'book', timeoutMs: timeLimitsMs.operatorCall })
  async decide(visit: MemberVisit): Promise<PageReply> {
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
