import {
  getArtifact,
  getDocument,
  isUuid,
  listArtifacts,
  listDocuments,
  listMessages,
  type ReplyOf,
  resendDelivery,
  retryAllocation,
  sendMessage,
  showAllocation,
  timeLimitsMs,
} from '@pinkas/contracts';
import { ApiError, type Database, InjectConfig, InjectDatabase, RpcClient } from '@pinkas/service-kit';
import {
  badge,
  badges,
  html,
  leftToRight,
  type Markup,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import type { ConsoleConfig } from '../config.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { settlementNotes } from '../debts/settlement.js';
import { documentName, statusBadge, typeName } from '../frame/parts.js';
import { refusalWords } from '../frame/refusal-words.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import { downloadHeaders } from '../http/page-headers.js';
import type { MemberVisit } from '../http/visit.js';
import { actions, type WrongRecipient } from './actions.js';
import { basedOnIt, basedOnItRequest } from './based-on-it.js';
import { documentActs } from './document-acts.js';
import { documentFacts, documentFigures } from './facts.js';
import { issuedBy } from './issued-by.js';
import { documentLines } from './lines.js';
import { outcomeNotice } from './outcomes.js';
import { paidProformaNotice } from './paid-proforma.js';
import { documentNotes, paymentTable } from './payments.js';
import { isRefused, refusalCard, refusalNotice } from './refusal.js';
import { timeline } from './timeline.js';

const texts = {
  away: {
    he: 'חלק מהמידע אינו זמין כרגע; אפשר לטעון את הדף שוב בעוד דקה.',
    en: 'Some facts are not available right now; load the page again in a minute.',
  },
} as const satisfies Record<string, Words>;

/** The number of the request for an allocation number after which those of this page begin. */
function shownFrom({ query }: MemberVisit): number {
  const after = Number(query.get('requests'));
  return Number.isSafeInteger(after) && after > 0 ? after : 0;
}

/** Where a button was pressed: back to there. */
function backTo(visit: MemberVisit, done: string): PageReply {
  return visit.form.get('back') === 'today'
    ? redirect(visit.link(''), { outcome: done })
    : redirect(visit.link(`/documents/${visit.params.id}`), { outcome: done });
}

const keyOf = ({ bookId, params, session }: MemberVisit) => ({
  business_id: bookId,
  document_id: params.id ?? '',
  person_id: session.personId,
});

/** One document, and what is done with it. */
@PageController({ path: '/documents/:id', access: 'issuer', books: true })
export class DocumentPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectDatabase() private readonly db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  @ConsolePage({ method: 'GET', access: 'reader' })
  show(visit: MemberVisit): Promise<PageReply> {
    return this.#show(visit, null);
  }

  /** A signed PDF of a document: the latest, or the revision that the query names. */
  @ConsolePage({ method: 'GET', path: '/pdf', access: 'reader' })
  async pdf({ bookId, params, query }: MemberVisit): Promise<PageReply> {
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const revision = Number(query.get('revision'));
    const { document } = await this.rpc.call(getDocument, key);
    const artifact = await this.rpc.call(getArtifact, {
      ...key,
      ...(Number.isSafeInteger(revision) && revision > 0 && { revision }),
    });
    const name = `${document.type}-${document.number}-${artifact.revision}.pdf`;
    return {
      kind: 'file',
      headers: {
        ...downloadHeaders,
        'content-type': 'application/pdf',
        'content-disposition': `inline; filename="${name}"`,
      },
      body: Buffer.from(artifact.pdf, 'base64'),
    };
  }

  /** Requests the allocation number of a document now. */
  @ConsolePage({ method: 'POST', path: '/allocation', changes: 'book', timeoutMs: timeLimitsMs.operatorCall })
  async retryAllocation(visit: MemberVisit): Promise<PageReply> {
    const { outcome } = await this.rpc.call(retryAllocation, keyOf(visit));
    return backTo(visit, outcome);
  }

  /** Sends the failed messages of a document again. */
  @ConsolePage({ method: 'POST', path: '/resend', changes: 'book' })
  async resend(visit: MemberVisit): Promise<PageReply> {
    const { resent, suppressed } = await this.rpc.call(resendDelivery, keyOf(visit));
    if (suppressed > 0) {
      // Where another address can be typed.
      const outcome = resent > 0 ? 'partly_resent' : 'suppressed';
      return redirect(visit.link(`/documents/${visit.params.id}`), { outcome });
    }
    return backTo(visit, resent > 0 ? 'resent' : 'nothing');
  }

  /** Sends a document to an address; a form that is sent twice sends it once. */
  @ConsolePage({ method: 'POST', path: '/send', changes: 'book' })
  async send(visit: MemberVisit): Promise<PageReply> {
    const { form, params } = visit;
    const id = form.get('delivery_id') ?? '';
    const channel = form.get('channel') === 'whatsapp' ? 'whatsapp' : 'email';
    const recipient = readField(form, 'recipient', channel === 'email' ? 'email' : 'phone');
    if (!isUuid(params.id ?? '')) {
      throw new ApiError('not_found');
    }
    try {
      if (!isUuid(id) || recipient === '') {
        throw new ApiError('validation_error');
      }
      await this.rpc.call(sendMessage, {
        ...keyOf(visit),
        delivery_id: id,
        channel,
        recipient,
      });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        return this.#show(visit, { recipient, channel });
      }
      throw error;
    }
    return backTo(visit, 'sent');
  }

  /** @param wrong what was typed in the form to send it, with the page as its reply. */
  async #show(visit: MemberVisit, wrong: WrongRecipient | null): Promise<PageReply> {
    const { bookId, language, params } = visit;
    const key = { business_id: bookId, document_id: params.id ?? '' };
    const found = await this.rpc.call(getDocument, { ...key, detailed: true });
    const { document, state, allocation: outcome } = found;
    const [allocation, artifacts, messages, based, issuer, paidProforma] = await Promise.all([
      unlessAway(this.rpc.call(showAllocation, { ...key, after_attempt: shownFrom(visit) })),
      unlessAway(this.rpc.call(listArtifacts, key)),
      unlessAway(this.rpc.call(listMessages, key)),
      unlessAway(this.rpc.call(listDocuments, basedOnItRequest(visit))),
      issuedBy({ rpc: this.rpc, db: this.db }, visit, found),
      paidProformaNotice(visit, this.rpc, document, state),
    ]);
    const isAway = [allocation, artifacts, messages, based].includes(null);
    const shown = allocation?.allocation ?? null;
    return page(
      documentName(document, language),
      html`${this.#head(visit, { document, state, shown, messages: messages?.messages ?? null })}
${outcomeNotice(visit.outcome, language)}
${isAway ? notice('error', texts.away[language]) : null}
${refusalNotice(document, state, shown, language)}
${settlementNotes(visit, document, state)}
${paidProforma}
${documentFigures(document, state, language)}
<div class="columns">
  <div>
    <section class="card">
      ${documentFacts(visit, document, state, issuer)}
      ${documentLines(visit, document)}
      ${paymentTable(visit, document)}
      ${documentNotes(visit, document)}
    </section>
    ${refusalCard(visit, document, state, shown)}
    ${based && basedOnIt(visit, based)}
    ${actions(visit, document, state, shown, messages?.messages ?? [], wrong)}
  </div>
  <div>
    ${timeline(visit, { document, state, outcome, allocation, artifacts, messages })}
  </div>
</div>`,
      wrong === null ? 200 : 422,
    );
  }

  #head(
    visit: MemberVisit,
    {
      document,
      state,
      shown,
      messages,
    }: Pick<ReplyOf<typeof getDocument>, 'document' | 'state'> & {
      shown: ReplyOf<typeof showAllocation>['allocation'] | null;
      messages: ReplyOf<typeof listMessages>['messages'] | null;
    },
  ): Markup {
    const { language, t } = visit;
    return pageHead({
      title: html`${typeName(document.type, language)} ${leftToRight(String(document.number))}`,
      language,
      crumbs: [{ text: t(words.documents), href: visit.link('/documents') }],
      badge: badges([
        statusBadge(document, state, language),
        isRefused(state, shown) ? badge('bad', t(refusalWords.badge)) : null,
      ]),
      ...documentActs(visit, document, state, {
        messages,
        pageUrl: `${this.config.viewUrlBase}/${document.public_id}`,
      }),
    });
  }
}
