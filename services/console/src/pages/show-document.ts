import { getDocument, listArtifacts, listDocuments, listMessages, showAllocation } from '@pinkas/contracts';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import { badge, badges, html, leftToRight, linkButton, notice, pageHead, type Words } from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { actions, type WrongRecipient } from './document/actions.js';
import { basedOnIt, basedOnItRequest } from './document/based-on-it.js';
import { documentFacts, documentFigures } from './document/facts.js';
import { documentLines } from './document/lines.js';
import { outcomeNotice } from './document/outcomes.js';
import { documentNotes, paymentTable } from './document/payments.js';
import { isRefused, refusalCard, refusalNotice } from './document/refusal.js';
import { refusalWords } from './document/refusal-words.js';
import { timeline } from './document/timeline.js';
import { issueLinks } from './issue/issue-links.js';
import { documentName, statusBadge, typeName } from './parts.js';
import { settlementNotes } from './settlement.js';
import { unlessAway } from './unless-away.js';
import { words } from './words.js';

const texts = {
  page: { he: 'דף המסמך', en: 'Hosted page' },
  pdf: { he: 'PDF חתום', en: 'Signed PDF' },
  away: {
    he: 'חלק מהמידע אינו זמין כרגע; אפשר לטעון את הדף שוב בעוד דקה.',
    en: 'Some facts are not available right now; load the page again in a minute.',
  },
} as const satisfies Record<string, Words>;

/** One document: what it says, what became of it, and what can be done with it. */
@ConsolePage({ method: 'GET', path: '/documents/:id', access: 'reader', books: true })
export class ShowDocument {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  handle(visit: MemberVisit): Promise<PageReply> {
    return this.show(visit, null);
  }

  /** @param wrong what was typed in the form to send it, with the page as its reply. */
  async show(visit: MemberVisit, wrong: WrongRecipient | null): Promise<PageReply> {
    const { bookId, language, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const {
      document,
      state,
      allocation: outcome,
    } = await this.rpc.call(getDocument, { ...key, detailed: true });
    const [allocation, artifacts, messages, based] = await Promise.all([
      unlessAway(this.rpc.call(showAllocation, { ...key, after_attempt: shownFrom(visit) })),
      unlessAway(this.rpc.call(listArtifacts, key)),
      unlessAway(this.rpc.call(listMessages, key)),
      unlessAway(this.rpc.call(listDocuments, basedOnItRequest(visit))),
    ]);
    const isAway = [allocation, artifacts, messages, based].includes(null);
    const shown = allocation?.allocation ?? null;
    const { public_id: publicId } = document;
    const name = html`${typeName(document.type, language)} ${leftToRight(String(document.number))}`;
    const pdf = linkButton({
      href: visit.link(`/documents/${document.id}/pdf`),
      text: texts.pdf[language],
      kind: 'primary',
    });
    const hosted = linkButton({ href: `${this.config.viewUrlBase}/${publicId}`, text: texts.page[language] });
    return page(
      documentName(document, language),
      html`${pageHead({
        title: name,
        language,
        crumbs: [{ text: words.documents[language], href: visit.link('/documents') }],
        badge: badges([
          statusBadge(document, state, language),
          isRefused(state, shown) ? badge('bad', refusalWords.badge[language]) : null,
        ]),
        primary: pdf,
        secondary: [hosted],
      })}
${outcomeNotice(visit.outcome, language)}
${isAway ? notice('error', texts.away[language]) : null}
${refusalNotice(document, state, shown, language)}
${settlementNotes(visit, document, state)}
${documentFigures(document, state, language)}
<div class="columns">
  <div>
    <section class="card">
      ${documentFacts(visit, document, state)}
      ${documentLines(visit, document)}
      ${paymentTable(visit, document)}
      ${documentNotes(visit, document)}
    </section>
    ${refusalCard(visit, document, state, shown)}
    ${based && basedOnIt(visit, based)}
    ${actions(visit, document, state, shown, messages?.messages ?? [], wrong)}
  </div>
  <div>
    ${issueLinks(visit, document, state)}
    ${timeline(visit, { document, state, outcome, allocation, artifacts, messages })}
  </div>
</div>`,
      wrong === null ? 200 : 422,
    );
  }
}

/** The number of the request for an allocation number after which those of this page begin. */
function shownFrom({ query }: MemberVisit): number {
  const after = Number(query.get('requests'));
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}
