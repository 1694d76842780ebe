import { listWebhookAttempts, type WebhookEndpoint } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
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
import { ConsolePage, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { crumbsOf, endpointFacts, endpointsPath, findEndpoint, stateBadge } from './endpoint-parts.js';
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

/** What a form has done, as this page names it. */
export type EndpointOutcome =
  | 'tested'
  | 'is_enabled'
  | 'is_disabled'
  | 'resent'
  | 'nothing_missed'
  | 'more_missed';

const outcomes: readonly string[] = [
  'tested',
  'is_enabled',
  'is_disabled',
  'resent',
  'nothing_missed',
  'more_missed',
] satisfies readonly EndpointOutcome[];

const pageSize = 20;

/** What was typed to send what was missed. */
export interface MissedDraft {
  readonly since: string;
  readonly isWrong: boolean;
}

/** An endpoint, what can be done with it, and its log. */
export async function endpointPage(
  rpc: RpcClient,
  today: string,
  visit: MemberVisit,
  draft: MissedDraft | null = null,
): Promise<PageReply> {
  const { bookId, language, link, query } = visit;
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
${card({ id: 'state', title: texts.state[language], content: endpointFacts(endpoint, language) })}
${endpoint.enabled ? missedCard(visit, endpoint, at, today, draft) : null}
${card({
  id: 'log',
  title: texts.log[language],
  content: html`<p class="hint">${texts.logHint[language]}</p>
${webhookLog(visit, endpoint, log.attempts)}`,
})}
${pager({ first: after ? at : null, next }, language, texts.log[language])}`,
    draft?.isWrong ? 422 : 200,
  );
}

function outcomeNotice({ language, outcome }: MemberVisit): Markup | null {
  if (outcome === null || !outcomes.includes(outcome)) {
    return null;
  }
  const kind = outcome === 'is_disabled' || outcome === 'more_missed' ? 'warn' : 'done';
  return notice(kind, texts[outcome as EndpointOutcome][language]);
}

function actsOf({ csrfToken, language }: MemberVisit, { enabled }: WebhookEndpoint, at: string) {
  const act = (name: 'test' | 'enable' | 'disable', kind: 'primary' | 'secondary') =>
    postForm(`${at}/${name}`, csrfToken, button({ text: texts[name][language], kind }));
  const rotate = linkButton({ href: `${at}/rotate`, text: texts.rotate[language] });
  const remove = linkButton({ href: `${at}/remove`, text: texts.remove[language], kind: 'danger' });
  return enabled
    ? { primary: act('test', 'primary'), secondary: [act('disable', 'secondary'), rotate, remove] }
    : { primary: act('enable', 'primary'), secondary: [rotate, remove] };
}

function missedCard(
  { csrfToken, language, query }: MemberVisit,
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
    label: texts.since[language],
    hint: texts.missedHint[language],
    value: draft?.since ?? query.get('since') ?? dayInIsrael(new Date(first)),
    max: today,
    required: true,
    error: draft?.isWrong ? texts.badSince[language] : undefined,
  })}
${hidden('go_on', query.get('go_on') ?? '')}`;
  return card({
    id: 'missed',
    title: texts.missed[language],
    content: form({
      action: `${at}/resend`,
      csrfToken,
      content,
      acts: button({ text: texts.send[language], kind: 'secondary' }),
    }),
  });
}

/** Shows an endpoint with its log. */
@ConsolePage({ method: 'GET', path: '/connection/webhooks/:id', access: 'owner', books: true })
export class ShowEndpoint {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  handle(visit: MemberVisit): Promise<PageReply> {
    return endpointPage(this.rpc, dayInIsrael(this.clock.now()), visit);
  }
}
