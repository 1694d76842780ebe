import {
  type ApiKey,
  type ErrorEntry,
  errorCatalogue,
  type FullRequest,
  getDocument,
  isUuid,
  listKeys,
  openRequest,
  showRequest,
} from '@pinkas/contracts';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  emptyState,
  exactTime,
  facts,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  postForm,
  type Words,
} from '@pinkas/ui';
import { documentName } from '../../frame/parts.js';
import { unlessAway } from '../../frame/unless-away.js';
import { ConsolePage, PageController, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { isMasked, requestBody } from './request-body.js';
import {
  answerBadges,
  attemptsLink,
  crumbsOf,
  milliseconds,
  requestsPath,
  routeOf,
} from './request-parts.js';
import { requestWords } from './request-words.js';

const texts = {
  what: { he: 'מה נענה', en: 'What was answered' },
  todo: { he: 'מה לעשות', en: 'What to do' },
  again: { he: 'לשלוח שוב?', en: 'Send it again?' },
  retryable: {
    he: 'כן, אותה בקשה עם אותו Idempotency-Key, אחרי המתנה',
    en: 'Yes, the same request with the same Idempotency-Key, after a wait',
  },
  final: { he: 'לא כמו שהיא', en: 'Not as it is' },
  document: { he: 'המסמך', en: 'Document' },
  body: { he: 'גוף הבקשה', en: 'Body of the request' },
  unmask: { he: 'הצגת הפרטים האישיים', en: 'Show what is personal' },
  unmaskHint: {
    he: 'יומן הפעולות ירשום מי פתח את הבקשה ומתי.',
    en: 'The trail records who has opened the request, and when.',
  },
  forOwners: { he: 'בעלים של העסק יכולים להציג אותם.', en: 'An owner of the business may show it.' },
  opened: {
    he: 'הפרטים האישיים מוצגים, והפתיחה נרשמה ביומן הפעולות. בטעינה מחדש הם שוב מוסתרים.',
    en: 'What is personal is shown, and the trail has that you opened it. It is masked when you come back.',
  },
  several: {
    he: 'לכמה בקשות יש המזהה הזה: התוכנה שלחה אותו בעצמה ב-X-Request-Id. החדשה ראשונה.',
    en: 'Several requests have this id: the program sent it in X-Request-Id. The latest is first.',
  },
  unknown: { he: 'הבקשה אינה ביומן', en: 'The request is not in the log' },
  unknownTitle: { he: 'בספר הזה אין בקשה עם המזהה הזה.', en: 'No request of this book has this id.' },
  unknownWhy: {
    he: 'היומן שומר 30 יום את הבקשות של מפתחות הספר הזה, שנייה או שתיים אחרי שנענו. בקשה במפתח שאינו מוכר, בקשה של הספר השני או של עסק אחר, ורוב הבקשות שמעל הקצב המותר אינן בו.',
    en: 'The log keeps the requests of the keys of this book for 30 days, from a second or two after they were answered. It has no request with an unknown key, of the other book or of another business, and few of those above the rate limit.',
  },
  toAll: { he: 'לכל הבקשות', en: 'To all requests' },
} as const satisfies Record<string, Words>;

/** One request: what was sent, what was answered, and what is wrong where. */
@PageController({ path: `${requestsPath}/:id`, access: 'owner', books: true })
export class RequestPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', access: 'reader' })
  show(visit: MemberVisit): Promise<PageReply> {
    return this.#page(visit, false, (named) => this.rpc.call(showRequest, named));
  }

  /** Shows what is masked, this once; the trail has who did. */
  @ConsolePage({ method: 'POST', path: '/open', changes: 'nothing' })
  open(visit: MemberVisit): Promise<PageReply> {
    const { personId: person_id } = visit.session;
    return this.#page(visit, true, (named) => this.rpc.call(openRequest, { ...named, person_id }));
  }

  async #page(
    visit: MemberVisit,
    isOpened: boolean,
    read: (named: {
      request_id: string;
      business_id: string;
    }) => Promise<{ readonly requests: readonly FullRequest[] }>,
  ): Promise<PageReply> {
    const { bookId, business, language, t, params } = visit;
    const id = params.id?.toLowerCase() ?? '';
    if (!isUuid(id)) {
      return unknownPage(visit);
    }
    try {
      const [{ requests }, known] = await Promise.all([
        read({ request_id: id, business_id: bookId }),
        unlessAway(this.rpc.call(listKeys, { business_id: business.id })),
      ]);
      const cards = await Promise.all(
        requests.map(async (request, n) =>
          requestCards(visit, request, {
            n,
            isOne: requests.length === 1,
            isOpened,
            key: known?.keys.find((key) => key.id === request.key_id),
            document: await this.#document(visit, request),
          }),
        ),
      );
      const [first] = requests as [FullRequest];
      const isOne = requests.length === 1;
      return page(
        `${t(requestWords.request)} ${id}`,
        html`${pageHead({
          title: isOne ? routeOf(first, language) : t(requestWords.title),
          language,
          crumbs: crumbsOf(visit, true),
          badge: isOne ? answerBadges(first, language) : null,
          lead: html`<code>${leftToRight(id)}</code>`,
        })}
${isOpened ? notice('done', t(texts.opened)) : null}
${isOne ? null : notice('info', t(texts.several))}
${cards}`,
      );
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        return unknownPage(visit);
      }
      throw error;
    }
  }

  /** The document that the request issued, or was answered with. */
  async #document({ bookId, language, link }: MemberVisit, { document_id }: FullRequest) {
    if (document_id === null) {
      return null;
    }
    const found = await unlessAway(this.rpc.call(getDocument, { business_id: bookId, document_id }));
    return (
      found &&
      html`<a href="${link(`/documents/${document_id}`)}">${documentName(found.document, language)}</a>`
    );
  }
}

function unknownPage(visit: MemberVisit): PageReply {
  const { language, t, link } = visit;
  const title = t(texts.unknown);
  return page(
    title,
    html`${pageHead({ title, language, crumbs: crumbsOf(visit, true) })}
${emptyState({
  title: t(texts.unknownTitle),
  text: t(texts.unknownWhy),
  action: linkButton({ href: link(requestsPath), text: t(texts.toAll) }),
})}`,
    404,
  );
}

interface Known {
  readonly n: number;
  readonly isOne: boolean;
  readonly isOpened: boolean;
  readonly key: ApiKey | undefined;
  readonly document: Markup | null;
}

function requestCards(
  visit: MemberVisit,
  request: FullRequest,
  { n, isOne, isOpened, key, document }: Known,
): Markup {
  const { language, t } = visit;
  const { code, duration_ms, idempotency_key, status, timestamp } = request;
  const entry = entryOf(code);
  const known = facts(
    [
      [t(requestWords.time), exactTime(timestamp, language)],
      [t(requestWords.code), code && html`<code>${leftToRight(code)}</code>`],
      [t(texts.what), entry && (language === 'he' ? entry.messageHe : entry.message)],
      // The hint is what the answer had, which is in English.
      [t(texts.todo), entry?.hint ? leftToRight(entry.hint) : null],
      ...Object.entries(request.details ?? {}).map(
        ([name, value]) => [name, html`<code>${leftToRight(JSON.stringify(value))}</code>`] as const,
      ),
      [t(texts.again), entry && t(texts[entry.retryable ? 'retryable' : 'final'])],
      [t(texts.document), document],
      [
        t(requestWords.idempotencyKey),
        idempotency_key === null ? null : attemptsLink(visit, idempotency_key),
      ],
      [t(requestWords.key), key ? isolate(key.name, language) : null],
      [t(requestWords.duration), milliseconds(duration_ms)],
    ],
    language,
  );
  const isRefused = status >= 400 && status < 500;
  return html`${card({
    id: `request-${n}`,
    title: routeOf(request, language),
    titleHidden: isOne,
    aside: answerBadges(request, language),
    content: known,
  })}
${isRefused ? bodyCard(visit, request, { n, isOpened }) : null}
`;
}

function bodyCard(
  visit: MemberVisit,
  request: FullRequest,
  { n, isOpened }: Pick<Known, 'n' | 'isOpened'>,
): Markup {
  const { csrfToken, language, t, link, role } = visit;
  const open = postForm(
    link(`${requestsPath}/${request.request_id}/open`),
    csrfToken,
    html`<p class="hint">${t(texts.unmaskHint)}</p>
${button({ text: t(texts.unmask), kind: 'secondary' })}`,
  );
  const forOthers = html`<p class="hint">${t(texts.forOwners)}</p>`;
  const more = role === 'owner' ? open : forOthers;
  return card({
    id: `body-${n}`,
    title: t(texts.body),
    content: html`${requestBody(request, language)}
${isMasked(request) && !isOpened ? more : null}`,
  });
}

/** What the catalogue has of a code; null where there was no error, or it is of another release. */
function entryOf(code: string | null): ErrorEntry | null {
  return code !== null && Object.hasOwn(errorCatalogue, code)
    ? errorCatalogue[code as keyof typeof errorCatalogue]
    : null;
}
