import { listDocuments, type RequestOf, reviewNotes, searchCustomers } from '@pinkas/contracts';
import { documentTypes, isCalendarDate } from '@pinkas/domain';
import { RpcClient } from '@pinkas/service-kit';
import { html, type Markup } from '@pinkas/ui';
import { ConsolePage, type PageReply, page } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { checkbox, choice, documentTable, field, notice, pager, typeName } from './parts.js';
import { noteNames } from './settlement.js';
import { type Words, words } from './words.js';

const texts = {
  search: { he: 'חיפוש', en: 'Search' },
  searchHint: {
    he: 'מספר מסמך, שם לקוח, ח.פ. או אסמכתא שלכם',
    en: 'A document number, a customer, a tax id or your reference',
  },
  type: { he: 'סוג', en: 'Type' },
  anyType: { he: 'כל הסוגים', en: 'All types' },
  status: { he: 'מצב', en: 'Status' },
  anyStatus: { he: 'כל המצבים', en: 'Any status' },
  note: { he: 'לבדיקה', en: 'To check' },
  anyNote: { he: 'כל המסמכים', en: 'All documents' },
  open: { he: 'פתוח', en: 'Open' },
  closed: { he: 'סגור', en: 'Closed' },
  cancelled: { he: 'מבוטל', en: 'Cancelled' },
  from: { he: 'מתאריך', en: 'From' },
  to: { he: 'עד תאריך', en: 'To' },
  filters: { he: 'סינון', en: 'Filters' },
  show: { he: 'הצגה', en: 'Show' },
  clear: { he: 'ניקוי', en: 'Clear' },
  withCancelled: { he: 'כולל מבוטלים', en: 'Cancelled ones too' },
  none: { he: 'לא נמצאו מסמכים.', en: 'No documents were found.' },
  badDate: { he: 'תאריך אינו תקין ולא נלקח בחשבון.', en: 'A date is not valid and was not used.' },
} as const satisfies Record<string, Words>;

const pageSize = 50;
const statuses = ['open', 'closed', 'cancelled'] as const;
/** Larger numbers are references or tax ids. */
const numberMax = 999_999_999;

type Filter = Pick<RequestOf<typeof listDocuments>, 'number' | 'customer_ids' | 'external_ref'>;

/** The documents of a book, newest first, with filters and search. */
@ConsolePage({ method: 'GET', path: '/documents', access: 'reader', books: true })
export class ListDocumentsPage {
  constructor(private readonly rpc: RpcClient) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const { bookId, language, query } = visit;
    const given = (name: string) => query.get(name)?.trim() ?? '';
    const search = given('q');
    const type = documentTypes.find((known) => known === given('type'));
    const status = statuses.find((known) => known === given('status'));
    const note = reviewNotes.find((known) => known === given('note'));
    const dates = { from: given('from'), to: given('to') };
    const valid = (date: string) => (isCalendarDate(date) ? date : undefined);
    const [from, to] = [valid(dates.from), valid(dates.to)];
    const before = Number(given('before'));
    const request = {
      business_id: bookId,
      ...(type && { type }),
      ...(status && { status }),
      ...(note && { note }),
      ...(from && { from }),
      ...(to && { to }),
      // What is to be checked is counted whatever its status.
      include_cancelled: status === 'cancelled' || note !== undefined || query.has('cancelled'),
      settlement: true,
      limit: pageSize,
      before: Number.isSafeInteger(before) && before > 0 ? before : null,
    };
    const reply = await this.#find(request, search);
    const linkTo = (position: string | undefined) =>
      visit.link('/documents', {
        q: search,
        type,
        status,
        note,
        ...dates,
        cancelled: query.has('cancelled') ? 'yes' : '',
        before: position,
      });
    const rows =
      reply.documents.length === 0
        ? html`<p class="empty">${texts.none[language]}</p>`
        : documentTable(reply.documents, (id) => visit.link(`/documents/${id}`), language);
    const next = reply.next_before === null ? null : linkTo(String(reply.next_before));
    const isBadDate = (dates.from !== '' && !from) || (dates.to !== '' && !to);
    return page(
      words.documents[language],
      html`<h1>${words.documents[language]}</h1>
${isBadDate ? notice('error', texts.badDate[language]) : null}
${this.#form(visit, { search, type, status, note, ...dates })}
${rows}
${pager({ first: request.before === null ? null : linkTo(undefined), next }, language, words.documents[language])}`,
    );
  }

  /** Looks for what a person may have typed: a number first, then a reference, then a customer. */
  async #find(request: RequestOf<typeof listDocuments>, search: string) {
    if (search === '') {
      return this.rpc.call(listDocuments, request);
    }
    const number = /^\d{1,9}$/.test(search) ? Number(search) : 0;
    const candidates: Filter[] = [
      ...(number > 0 && number <= numberMax ? [{ number }] : []),
      ...(search.length <= 64 ? [{ external_ref: search }] : []),
    ];
    for (const candidate of candidates) {
      const found = await this.rpc.call(listDocuments, {
        ...request,
        ...candidate,
        // A person who looks for one document wants it in any state.
        include_cancelled: true,
      });
      if (found.documents.length > 0) {
        return found;
      }
    }
    const { customers } = await this.rpc.call(searchCustomers, {
      business_id: request.business_id,
      query: search,
      limit: 50,
    });
    if (customers.length === 0) {
      return { documents: [], next_before: null };
    }
    return this.rpc.call(listDocuments, { ...request, customer_ids: customers.map(({ id }) => id) });
  }

  #form(
    visit: MemberVisit,
    given: {
      search: string;
      type: string | undefined;
      status: string | undefined;
      note: string | undefined;
      from: string;
      to: string;
    },
  ): Markup {
    const { language, query } = visit;
    const isFiltered =
      [given.type, given.status, given.note, given.from, given.to].some(Boolean) || query.has('cancelled');
    return html`<form class="filters card" method="get" action="${visit.link('/documents')}" role="search">
${field({ name: 'q', type: 'search', label: texts.search[language], hint: texts.searchHint[language], value: given.search, maxLength: 120 })}
<details open data-closed-when-narrow="${isFiltered ? 'no' : 'yes'}"><summary>${texts.filters[language]}</summary><div class="grid">${choice({ name: 'type', label: texts.type[language], value: given.type ?? '', options: [['', texts.anyType[language]], ...documentTypes.map((type) => [type, typeName(type, language)] as const)] })}
${choice({ name: 'status', label: texts.status[language], value: given.status ?? '', options: [['', texts.anyStatus[language]], ...statuses.map((status) => [status, texts[status][language]] as const)] })}
${choice({ name: 'note', label: texts.note[language], value: given.note ?? '', options: [['', texts.anyNote[language]], ...reviewNotes.map((note) => [note, noteNames[note][language]] as const)] })}
${field({ name: 'from', type: 'date', label: texts.from[language], value: given.from })}
${field({ name: 'to', type: 'date', label: texts.to[language], value: given.to })}
${checkbox({ name: 'cancelled', label: texts.withCancelled[language], checked: query.has('cancelled') })}</div></details>
<div class="buttons"><button>${texts.show[language]}</button><a class="button quiet" href="${visit.link('/documents')}">${texts.clear[language]}</a></div>
</form>`;
  }
}
