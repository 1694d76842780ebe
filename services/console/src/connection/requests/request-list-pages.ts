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
    const { bookId, business, isTest, language, t, link, query } = visit;
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
    const title = t(requestWords.title);
    return page(
      title,
      html`
${pageHead({ title, language, lead: t(requestWords.lead), crumbs: crumbsOf(visit, false) })}
${bookTabs(visit, requestsPath)}
${requestId === '' ? null : notice('error', t(texts.badId))}
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
  { t, link }: MemberVisit,
  values: RequestValues,
  keys: readonly { readonly id: string; readonly name: string }[],
  requestId: string,
): Markup {
  const any = ['', t(texts.any)] as const;
  return filterForm({
    action: link(requestsPath),
    content: html`
${choice({
  name: 'status',
  label: t(texts.status),
  value: values.status,
  options: [any, ...statusClasses.map((status) => [status, t(texts[status])] as const)],
})}
${field({
  name: 'idempotency_key',
  label: t(requestWords.idempotencyKey),
  value: values.idempotency_key,
  ltr: true,
})}
${field({ name: 'request', label: t(requestWords.requestId), value: requestId, ltr: true })}`,
    more: {
      text: t(texts.more),
      content: html`
${choice({
  name: 'code',
  label: t(requestWords.code),
  value: values.code,
  options: [any, ...codes.map((code) => [code, code] as const)],
})}
${choice({
  name: 'key',
  label: t(requestWords.key),
  value: values.key,
  options: [any, ...keys.map(({ id, name }) => [id, name] as const)],
})}`,
      isOpen: values.code !== '' || values.key !== '',
    },
    acts: html`
${button({ text: t(texts.show), kind: 'secondary' })}
${linkButton({ href: link(requestsPath), text: t(texts.clear), kind: 'quiet' })}`,
  });
}

function nothing({ business, t }: MemberVisit, values: RequestValues): Markup {
  return requestFields.every((name) => values[name] === '')
    ? emptyState({
        title: t(texts.none),
        text: t(texts.noneHow),
        action: linkButton({ href: `/b/${business.id}/connection`, text: t(texts.toKeys) }),
      })
    : emptyState({ title: t(texts.noHit), text: t(texts.noHitHow) });
}

function requestTable(visit: MemberVisit, requests: readonly ListedRequest[]): Markup {
  const { language, t, link } = visit;
  return table({
    caption: t(requestWords.title),
    kind: 'requests',
    language,
    rows: requests,
    columns: [
      {
        head: t(requestWords.time),
        value: ({ request_id: id, timestamp }) => html`
<a href="${link(`${requestsPath}/${id}`)}">${exactTime(timestamp, language)}</a>
<span class="number soft">${leftToRight(id)}</span>`,
      },
      {
        head: t(requestWords.request),
        value: (request) => html`<code>${routeOf(request, language)}</code>`,
      },
      {
        head: t(requestWords.answer),
        kind: 'status',
        value: (request) => html`
${answerBadges(request, language)}
${request.code === null ? null : html`<code>${leftToRight(request.code)}</code>`}`,
      },
      {
        head: t(requestWords.idempotencyKey),
        value: ({ idempotency_key: key }) => (key === null ? null : attemptsLink(visit, key)),
      },
      {
        head: t(requestWords.duration),
        kind: 'figure',
        value: ({ duration_ms: duration }) => milliseconds(duration),
      },
    ],
  });
}
