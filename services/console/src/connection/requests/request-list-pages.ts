import {
  findDocumentByKey,
  isUuid,
  type ListedRequest,
  listKeys,
  listRequests,
  loggedRequestsMax,
} from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import {
  button,
  choice,
  emptyState,
  exactTime,
  field,
  filterForm,
  html,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  table,
  type Words,
} from '@pinkas/ui';
import { bookTabs } from '../../frame/book-tabs.js';
import { unlessAway } from '../../frame/unless-away.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { inspector } from './inspector.js';
import {
  answerBadges,
  attemptsLink,
  crumbsOf,
  milliseconds,
  requestsPath,
  routeOf,
} from './request-parts.js';
import {
  codes,
  filterOf,
  type RequestValues,
  readPosition,
  readRequestValues,
  requestFields,
  statusClasses,
  writePosition,
} from './request-query.js';
import { requestWords } from './request-words.js';

const texts = {
  any: { he: 'הכול', en: 'All' },
  status: { he: 'תוצאה', en: 'Outcome' },
  2: { he: 'נענו (2xx)', en: 'Answered (2xx)' },
  4: { he: 'נדחו (4xx)', en: 'Refused (4xx)' },
  5: { he: 'נכשלו (5xx)', en: 'Failed (5xx)' },
  more: { he: 'מסננים נוספים', en: 'More filters' },
  show: { he: 'הצגה', en: 'Show' },
  clear: { he: 'ניקוי', en: 'Clear' },
  badId: {
    he: 'מזהה בקשה הוא ה-X-Request-Id של התשובה, 36 תווים: 1b4e28ba-2fa1-4d2e-883f-0016d3cca427.',
    en: 'A request id is the X-Request-Id of the answer, 36 characters: 1b4e28ba-2fa1-4d2e-883f-0016d3cca427.',
  },
  none: { he: 'ב-30 הימים האחרונים לא הגיעה בקשה.', en: 'No request has come in the last 30 days.' },
  noneHow: {
    he: 'בקשה של מפתח של הספר הזה נראית כאן שנייה או שתיים אחרי שנענתה. אם התוכנה שולחת ודבר לא מופיע, כדאי לבדוק את המפתח, את הכתובת ואת הספר.',
    en: 'A request with a key of this book is here a second or two after it was answered. If your program sends and nothing appears, check its key, its address and the book.',
  },
  toKeys: { he: 'למפתחות ולכתובת ה-API', en: 'To the keys and the address' },
  noHit: { he: 'אין בקשה כזאת ב-30 הימים האחרונים.', en: 'There is no such request in the last 30 days.' },
  noHitHow: {
    he: 'אפשר להסיר מסנן, או לחפש בספר השני.',
    en: 'Remove a filter, or look in the other book.',
  },
  full: {
    he: 'היום הגיעו {today} בקשות. {max} הראשונות ביומן; האחרות נענו, ונספרו בלבד.',
    en: 'There were {today} requests today. The log has the first {max}; the others were answered, and counted alone.',
  },
} as const satisfies Record<string, Words>;

/** Requests of one page. */
const pageSize = 50;

/** The requests of the keys of a book. */
@PageController({ path: requestsPath, access: 'reader', books: true })
export class RequestListPages {
  constructor(private readonly rpc: RpcClient) {}

  /** With a request id in its address it leads to the page of that request. */
  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId, business, isTest, language, link, query } = visit;
    const requestId = query.get('request')?.trim() ?? '';
    if (isUuid(requestId)) {
      return redirect(link(`${requestsPath}/${requestId.toLowerCase()}`));
    }
    const values = readRequestValues(query);
    const after = readPosition(query.get('after'));
    const ofKey = { business_id: bookId, idempotency_key: values.idempotency_key };
    const [list, known, found] = await Promise.all([
      this.rpc.call(listRequests, {
        ...filterOf(values),
        business_id: bookId,
        limit: pageSize,
        ...(after && { after }),
      }),
      unlessAway(this.rpc.call(listKeys, { business_id: business.id })),
      values.idempotency_key === '' ? null : unlessAway(this.rpc.call(findDocumentByKey, ofKey)),
    ]);
    const keys = (known?.keys ?? []).filter(({ mode }) => (mode === 'test') === isTest);
    const linkTo = (position: string | undefined) => link(requestsPath, { ...values, after: position });
    const isPart = after !== undefined || list.next_after !== null;
    const title = requestWords.title[language];
    return page(
      title,
      html`
${pageHead({ title, language, lead: requestWords.lead[language], crumbs: crumbsOf(visit, false) })}
${bookTabs(visit, requestsPath)}
${requestId === '' ? null : notice('error', texts.badId[language])}
${list.today > loggedRequestsMax ? notice('warn', fullText(list.today, language)) : null}
${requestFilters(visit, values, keys, requestId)}
${values.idempotency_key === '' ? null : inspector(visit, values, found, isPart ? null : list.requests)}
${list.requests.length === 0 ? nothing(visit, values) : requestTable(visit, list.requests)}
${pager(
  {
    first: after ? linkTo(undefined) : null,
    next: list.next_after && linkTo(writePosition(list.next_after)),
  },
  language,
  title,
)}`,
      requestId === '' ? 200 : 400,
    );
  }
}

function fullText(today: number, language: MemberVisit['language']): string {
  return texts.full[language]
    .replace('{today}', today.toLocaleString('en-US'))
    .replace('{max}', loggedRequestsMax.toLocaleString('en-US'));
}

function requestFilters(
  { language, link }: MemberVisit,
  values: RequestValues,
  keys: readonly { readonly id: string; readonly name: string }[],
  requestId: string,
): Markup {
  const any = ['', texts.any[language]] as const;
  return filterForm({
    action: link(requestsPath),
    content: html`
${choice({
  name: 'status',
  label: texts.status[language],
  value: values.status,
  options: [any, ...statusClasses.map((status) => [status, texts[status][language]] as const)],
})}
${field({
  name: 'idempotency_key',
  label: requestWords.idempotencyKey[language],
  value: values.idempotency_key,
  ltr: true,
})}
${field({ name: 'request', label: requestWords.requestId[language], value: requestId, ltr: true })}`,
    more: {
      text: texts.more[language],
      content: html`
${choice({
  name: 'code',
  label: requestWords.code[language],
  value: values.code,
  options: [any, ...codes.map((code) => [code, code] as const)],
})}
${choice({
  name: 'key',
  label: requestWords.key[language],
  value: values.key,
  options: [any, ...keys.map(({ id, name }) => [id, name] as const)],
})}`,
      isOpen: values.code !== '' || values.key !== '',
    },
    acts: html`
${button({ text: texts.show[language], kind: 'secondary' })}
${linkButton({ href: link(requestsPath), text: texts.clear[language], kind: 'quiet' })}`,
  });
}

function nothing({ business, language }: MemberVisit, values: RequestValues): Markup {
  return requestFields.every((name) => values[name] === '')
    ? emptyState({
        title: texts.none[language],
        text: texts.noneHow[language],
        action: linkButton({ href: `/b/${business.id}/connection`, text: texts.toKeys[language] }),
      })
    : emptyState({ title: texts.noHit[language], text: texts.noHitHow[language] });
}

function requestTable(visit: MemberVisit, requests: readonly ListedRequest[]): Markup {
  const { language, link } = visit;
  return table({
    caption: requestWords.title[language],
    kind: 'requests',
    language,
    rows: requests,
    columns: [
      {
        head: requestWords.time[language],
        value: ({ request_id: id, timestamp }) => html`
<a href="${link(`${requestsPath}/${id}`)}">${exactTime(timestamp, language)}</a>
<span class="number soft">${leftToRight(id)}</span>`,
      },
      {
        head: requestWords.request[language],
        value: (request) => html`<code>${routeOf(request, language)}</code>`,
      },
      {
        head: requestWords.answer[language],
        kind: 'status',
        value: (request) => html`
${answerBadges(request, language)}
${request.code === null ? null : html`<code>${leftToRight(request.code)}</code>`}`,
      },
      {
        head: requestWords.idempotencyKey[language],
        value: ({ idempotency_key: key }) => (key === null ? null : attemptsLink(visit, key)),
      },
      {
        head: requestWords.duration[language],
        kind: 'figure',
        value: ({ duration_ms: duration }) => milliseconds(duration),
      },
    ],
  });
}
