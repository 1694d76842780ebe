import {
  isEventId,
  listWebhookAttempts,
  removeEndpoint,
  resendWebhooks,
  rotateEndpointSecret,
  setEndpointEnabled,
  testEndpoint,
  type WebhookEndpoint,
} from '@pinkas/contracts';
import { beginningOfDayInIsrael, dayInIsrael, isCalendarDate } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  field,
  form,
  hidden,
  html,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  pager,
  postForm,
  type Words,
} from '@pinkas/ui';
import { confirmation } from '../../frame/confirmation.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import {
  crumbsOf,
  endpointFacts,
  endpointsPath,
  findEndpoint,
  namedEndpoint,
  secretPage,
  stateBadge,
} from './endpoint-parts.js';
import { readPosition, webhookLog, writePosition } from './webhook-log.js';

const texts = {
  state: { he: 'מצב', en: 'State' },
  test: { he: 'שליחת ניסיון', en: 'Send a test' },
  enable: { he: 'הפעלה', en: 'Enable' },
  disable: { he: 'השבתה', en: 'Disable' },
  rotate: { he: 'סוד חדש…', en: 'New secret…' },
  remove: { he: 'הסרה…', en: 'Remove…' },
  log: { he: 'מה נשלח', en: 'Log' },
  logHint: {
    he: 'כל ניסיון ב-30 הימים האחרונים, החדש ראשון.',
    en: 'Each attempt of the last 30 days, the latest first.',
  },
  missed: { he: 'שליחה של מה שלא התקבל', en: 'Send what was missed' },
  missedHint: {
    he: 'כל האירועים מאז היום הזה שהכתובת לא קיבלה.',
    en: 'All events since this day that the endpoint has not received.',
  },
  since: { he: 'מתאריך', en: 'Since' },
  send: { he: 'שליחה', en: 'Send them' },
  badSince: { he: 'תאריך, היום או לפניו.', en: 'A date, today or earlier.' },
  rotateTitle: { he: 'סוד חדש', en: 'New secret' },
  rotateWhat: {
    he: 'הכתובת מקבלת סוד חדש. הסוד הקודם חותם גם הוא עוד 24 שעות, כדי שיהיה זמן להחליף אותו בתוכנה.',
    en: 'The endpoint gets a new secret. The one before signs as well for 24 hours, so that there is time to replace it in the program.',
  },
  rotateButton: { he: 'יצירת סוד חדש', en: 'Make a new secret' },
  rotated: { he: 'הסוד הוחלף', en: 'The secret is replaced' },
  removeTitle: { he: 'הסרת כתובת', en: 'Remove an endpoint' },
  removeWhat: {
    he: 'לא יישלח עוד דבר לכתובת, ומה שממתין לה נמחק עם הרישום. את ההסרה אי אפשר לבטל.',
    en: 'Nothing more is sent to the endpoint; what waits for it is deleted, with its log. This cannot be undone.',
  },
  removeButton: { he: 'הסרת הכתובת', en: 'Remove the endpoint' },
} as const satisfies Record<string, Words>;

/** What a form has done, and what the page of the endpoint states of it. */
const outcomeWords = {
  tested: {
    he: 'הניסיון נשלח. יש לטעון את הדף שוב כדי לראות את התשובה.',
    en: 'The test is being sent. Load the page again to see the answer.',
  },
  is_enabled: {
    he: 'הכתובת פעילה. מה שקרה בינתיים נשלח רק לפי בקשה, כאן למטה.',
    en: 'The endpoint is enabled. What happened until now is sent only on request, below.',
  },
  is_disabled: {
    he: 'הכתובת מושבתת, ולא נשלח אליה דבר.',
    en: 'The endpoint is disabled, and nothing is sent to it.',
  },
  resent: {
    he: 'נשלח שוב. יש לטעון את הדף שוב כדי לראות את התשובה.',
    en: 'It is being sent again. Load the page again to see the answer.',
  },
  nothing_missed: { he: 'הכתובת קיבלה הכול מאז.', en: 'The endpoint has received everything since then.' },
  more_missed: {
    he: 'החלק הראשון נשלח. כדי לשלוח את ההמשך יש ללחוץ שוב.',
    en: 'The first part is being sent. Press the button again to send more.',
  },
} as const satisfies Record<string, Words>;
type EndpointOutcome = keyof typeof outcomeWords;

const pageSize = 20;

/** What was typed to send what was missed. */
interface MissedDraft {
  readonly since: string;
  readonly isWrong: boolean;
}

/** An endpoint, what can be done with it, and its log. */
async function endpointPage(
  rpc: RpcClient,
  today: string,
  visit: MemberVisit,
  draft: MissedDraft | null = null,
): Promise<PageReply> {
  const { bookId, language, t, link, query } = visit;
  const endpoint = await findEndpoint(rpc, visit);
  const after = readPosition(query.get('after'));
  const log = await rpc.call(listWebhookAttempts, {
    endpoint_id: endpoint.id,
    business_id: bookId,
    limit: pageSize,
    ...(after && { after }),
  });
  const at = link(`${endpointsPath}/${endpoint.id}`);
  const next =
    log.next_after && link(`${endpointsPath}/${endpoint.id}`, { after: writePosition(log.next_after) });
  const title = endpoint.url;
  return page(
    title,
    html`${pageHead({
      title: leftToRight(title),
      language,
      crumbs: crumbsOf(visit),
      badge: stateBadge(endpoint, language),
      ...actsOf(visit, endpoint, at),
    })}
${outcomeNotice(visit)}
${card({ id: 'state', title: t(texts.state), content: endpointFacts(endpoint, language) })}
${endpoint.enabled ? missedCard(visit, endpoint, at, today, draft) : null}
${card({
  id: 'log',
  title: t(texts.log),
  content: html`<p class="hint">${t(texts.logHint)}</p>
${webhookLog(visit, endpoint, log.attempts)}`,
})}
${pager({ first: after ? at : null, next }, language, t(texts.log))}`,
    draft?.isWrong ? 422 : 200,
  );
}

function outcomeNotice({ t, outcome }: MemberVisit): Markup | null {
  if (outcome === null || !Object.hasOwn(outcomeWords, outcome)) {
    return null;
  }
  const kind = outcome === 'is_disabled' || outcome === 'more_missed' ? 'warn' : 'done';
  return notice(kind, t(outcomeWords[outcome as EndpointOutcome]));
}

function actsOf({ csrfToken, t }: MemberVisit, { enabled }: WebhookEndpoint, at: string) {
  const act = (name: 'test' | 'enable' | 'disable', kind: 'primary' | 'secondary') =>
    postForm(`${at}/${name}`, csrfToken, button({ text: t(texts[name]), kind }));
  const rotate = linkButton({ href: `${at}/rotate`, text: t(texts.rotate) });
  const remove = linkButton({ href: `${at}/remove`, text: t(texts.remove), kind: 'danger' });
  return enabled
    ? { primary: act('test', 'primary'), secondary: [act('disable', 'secondary'), rotate, remove] }
    : { primary: act('enable', 'primary'), secondary: [rotate, remove] };
}

function missedCard(
  { csrfToken, language, t, query }: MemberVisit,
  endpoint: WebhookEndpoint,
  at: string,
  today: string,
  draft: MissedDraft | null,
): Markup {
  const { created_at, failing_since, last_failure, last_received_at } = endpoint;
  const first = failing_since ?? last_failure?.at ?? last_received_at ?? created_at;
  const content = html`${field({
    name: 'since',
    type: 'date',
    language,
    label: t(texts.since),
    hint: t(texts.missedHint),
    value: draft?.since ?? query.get('since') ?? dayInIsrael(new Date(first)),
    max: today,
    required: true,
    error: draft?.isWrong ? t(texts.badSince) : undefined,
  })}
${hidden('go_on', query.get('go_on') ?? '')}`;
  return card({
    id: 'missed',
    title: t(texts.missed),
    content: form({
      action: `${at}/resend`,
      csrfToken,
      content,
      acts: button({ text: t(texts.send), kind: 'secondary' }),
    }),
  });
}

/** How often one form looks for events that were missed; each time looks at a thousand. */
const missedCallsMax = 10;

/** Who does what to which endpoint, as the contracts take it. */
const actOf = (visit: MemberVisit) => ({ ...namedEndpoint(visit), person_id: visit.session.personId });

const toEndpoint = (visit: MemberVisit, outcome: EndpointOutcome, query: Record<string, string> = {}) =>
  redirect(visit.link(`${endpointsPath}/${visit.params.id}`, query), { outcome });

/** Sends something, unless the endpoint was disabled since its page was loaded. */
async function unlessDisabled(visit: MemberVisit, work: () => Promise<PageReply>): Promise<PageReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'validation_error') {
      return toEndpoint(visit, 'is_disabled');
    }
    throw error;
  }
}

/** Where the form before has stopped, unless another day was typed since. */
function positionOf(text: string | null, since: string): number {
  const [day, position = ''] = text?.split('.') ?? [];
  return day === since && /^\d{1,15}$/.test(position) ? Number(position) : 0;
}

/** One endpoint, and what is done with it. */
@PageController({ path: `${endpointsPath}/:id`, access: 'owner', books: true })
export class EndpointPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  @ConsolePage({ method: 'GET' })
  show(visit: MemberVisit): Promise<PageReply> {
    return endpointPage(this.rpc, dayInIsrael(this.clock.now()), visit);
  }

  @ConsolePage({ method: 'POST', path: '/test', changes: 'settings' })
  test(visit: MemberVisit): Promise<PageReply> {
    return unlessDisabled(visit, async () => {
      await this.rpc.call(testEndpoint, actOf(visit));
      return toEndpoint(visit, 'tested');
    });
  }

  @ConsolePage({ method: 'POST', path: '/enable', changes: 'settings' })
  async enable(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(setEndpointEnabled, { ...actOf(visit), enabled: true });
    return toEndpoint(visit, 'is_enabled');
  }

  /** As a key can be revoked, this can be done in every state of the business. */
  @ConsolePage({ method: 'POST', path: '/disable', changes: 'nothing' })
  async disable(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(setEndpointEnabled, { ...actOf(visit), enabled: false });
    return toEndpoint(visit, 'is_disabled');
  }

  /** Sends one event again, or what was missed since a day. */
  @ConsolePage({ method: 'POST', path: '/resend', changes: 'settings' })
  async resend(visit: MemberVisit): Promise<PageReply> {
    const event_id = visit.form.get('event_id');
    if (event_id === null) {
      return this.#resendMissed(visit);
    }
    if (!isEventId(event_id)) {
      throw new ApiError('not_found');
    }
    return unlessDisabled(visit, async () => {
      await this.rpc.call(resendWebhooks, { ...actOf(visit), event_id });
      return toEndpoint(visit, 'resent');
    });
  }

  @ConsolePage({ method: 'GET', path: '/rotate', changes: 'settings', freshProof: true })
  confirmRotation(visit: MemberVisit): Promise<PageReply> {
    return this.#confirm(visit, 'rotate', 'primary');
  }

  /** Makes a new secret and shows it, this once. */
  @ConsolePage({ method: 'POST', path: '/rotate', changes: 'settings', freshProof: true })
  async rotate(visit: MemberVisit): Promise<PageReply> {
    return secretPage(visit, visit.t(texts.rotated), await this.rpc.call(rotateEndpointSecret, actOf(visit)));
  }

  @ConsolePage({ method: 'GET', path: '/remove', freshProof: true })
  confirmRemoval(visit: MemberVisit): Promise<PageReply> {
    return this.#confirm(visit, 'remove', 'danger');
  }

  @ConsolePage({ method: 'POST', path: '/remove', changes: 'nothing', freshProof: true })
  async remove(visit: MemberVisit): Promise<PageReply> {
    await this.rpc.call(removeEndpoint, actOf(visit));
    return redirect(visit.link(endpointsPath), { outcome: 'removed' });
  }

  async #confirm(
    visit: MemberVisit,
    act: 'rotate' | 'remove',
    kind: 'primary' | 'danger',
  ): Promise<PageReply> {
    const { id, url } = await findEndpoint(this.rpc, visit);
    return confirmation(visit, {
      title: visit.t(texts[`${act}Title`]),
      crumbs: crumbsOf(visit, { text: leftToRight(url), href: visit.link(`${endpointsPath}/${id}`) }),
      content: html`<p>${leftToRight(url)}</p>
  <p>${visit.t(texts[`${act}What`])}</p>`,
      button: { text: visit.t(texts[`${act}Button`]), kind },
    });
  }

  async #resendMissed(visit: MemberVisit): Promise<PageReply> {
    const since = visit.form.get('since')?.trim() ?? '';
    const today = dayInIsrael(this.clock.now());
    if (!isCalendarDate(since) || since > today) {
      return endpointPage(this.rpc, today, visit, { since, isWrong: true });
    }
    const request = { ...actOf(visit), since: beginningOfDayInIsrael(since).toISOString() };
    return unlessDisabled(visit, async () => {
      let resent = 0;
      let after: number | null = positionOf(visit.form.get('go_on'), since);
      for (let calls = 0; after !== null && calls < missedCallsMax; calls += 1) {
        const found: { resent: number; next_after: number | null } = await this.rpc.call(resendWebhooks, {
          ...request,
          after,
        });
        resent += found.resent;
        after = found.next_after;
      }
      return after === null
        ? toEndpoint(visit, resent > 0 ? 'resent' : 'nothing_missed')
        : toEndpoint(visit, 'more_missed', { since, go_on: `${since}.${after}` });
    });
  }
}
