import { listDeliveryStates, listDocuments, sumDocuments } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  attributes,
  button,
  card,
  emptyState,
  form,
  hidden,
  html,
  type Markup,
  notice,
  pageHead,
  pager,
} from '@pinkas/ui';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { issueAct } from '../issue/issue-links.js';
import { isAtLeast } from '../session/roles.js';
import { listFilters, usualFilters } from './list-filters.js';
import { type ListQuery, listFields, readListQuery } from './list-query.js';
import {
  type DeliveryStates,
  type ListedDocument,
  listSums,
  listTable,
  selectionForm,
} from './list-table.js';
import { listWords as texts } from './list-words.js';

/** The documents of a book. */
@PageController({ path: '/documents', access: 'reader', books: true })
export class DocumentListPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** The documents of a book, with filters, search, orders, sums, and what can be done with the hits. */
  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId: business_id, language, t, link } = visit;
    const query = await readListQuery(this.rpc, business_id, visit.query);
    const { filter, order, ascending, size, values } = query;
    const before = positionOf(visit.query.get('before'));
    const isWrong = query.wrong.length > 0 || (before === null && Boolean(visit.query.get('before')));
    const [list, sums] = await Promise.all([
      this.rpc.call(listDocuments, {
        ...filter,
        ...{ business_id, order, ascending, before },
        settlement: true,
        limit: size,
      }),
      unlessAway(this.rpc.call(sumDocuments, { ...filter, business_id })),
    ]);
    const deliveries = await this.#deliveries(business_id, list.documents);
    const hits =
      list.documents.length === 0
        ? emptyState({ title: t(texts.none) })
        : html`
${listTable(visit, query, list.documents, deliveries)}
${bulkActs(visit, query)}
${listSums(sums?.types ?? null, language)}`;
    const linkTo = (position: number | null) =>
      link('/documents', { ...values, before: position === null ? undefined : String(position) });
    return page(
      t(words.documents),
      html`
${pageHead({ title: t(words.documents), language, primary: issueAct(visit) })}
${isWrong ? notice('error', t(texts.wrong)) : null}
${query.isPartial ? notice('info', t(texts.partial)) : null}
${usualFilters(visit, query, dayInIsrael(this.clock.now()))}
${listFilters(visit, query)}
${hits}
${pager(
  {
    first: before === null ? null : linkTo(null),
    next: list.next_before === null ? null : linkTo(list.next_before),
  },
  language,
  t(words.documents),
)}`,
      isWrong ? 400 : 200,
    );
  }

  /** Without delivery, the list is shown without what it knows. */
  async #deliveries(business_id: string, documents: readonly ListedDocument[]): Promise<DeliveryStates> {
    const document_ids = documents.map(({ document }) => document.id);
    const reply = await unlessAway(this.rpc.call(listDeliveryStates, { business_id, document_ids }));
    return new Map(reply?.documents.map(({ document_id, state }) => [document_id, state]));
  }
}

function positionOf(text: string | null): number | null {
  const position = Number(text ?? '');
  return Number.isSafeInteger(position) && position > 0 ? position : null;
}

/** What can be done with the documents that are selected, or with all hits. */
function bulkActs({ csrfToken, t, link, role }: MemberVisit, { values }: ListQuery): Markup {
  const kept = listFields.filter((name) => values[name] !== '').map((name) => hidden(name, values[name]));
  const action = attributes({ class: 'secondary', formaction: link('/documents/send') });
  // The page stays, and so do its buttons.
  const csv = attributes({ class: 'secondary', formaction: link('/documents/table'), 'data-stays': true });
  const email = html`<button${action}>${t(texts.email)}</button>`;
  const acts = html`
<button${csv}>${t(texts.csv)}</button>
${button({ text: t(texts.pdfs), kind: 'secondary' })}
${isAtLeast(role, 'issuer') && email}`;
  return card({
    id: 'bulk',
    title: t(texts.bulk),
    titleHidden: true,
    content: html`
<p class="of-all">${t(texts.bulkAll)}</p>
<p class="of-selected">${t(texts.bulkSelected)}</p>
${form({ id: selectionForm, action: link('/documents/selection'), csrfToken, content: html`${kept}`, acts })}`,
  });
}
