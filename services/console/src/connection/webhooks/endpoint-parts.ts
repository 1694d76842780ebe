import { isUuid, showEndpoint, type WebhookEndpoint } from '@pinkas/contracts';
import { ApiError, type RpcClient } from '@pinkas/service-kit';
import {
  badge,
  type Content,
  type Crumb,
  dayAndTime,
  facts,
  html,
  isolate,
  type Language,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
} from '@pinkas/ui';
import { copyable } from '../../frame/copyable.js';
import { reasonText } from '../../frame/reason-words.js';
import { words } from '../../frame/words.js';
import { type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { disabledWords, eventWords, webhookWords as texts } from './webhook-words.js';

/** The most waiting webhooks that delivery counts. */
const countedMax = 1_000;

/** Where the endpoints of the book of a page are. */
export const endpointsPath = '/connection/webhooks';

/** What a contract takes of the endpoint in the path; one of another book is not found. @throws ApiError `not_found`. */
export function namedEndpoint({ bookId, params }: MemberVisit) {
  const endpoint_id = params.id?.toLowerCase() ?? '';
  if (!isUuid(endpoint_id)) {
    throw new ApiError('not_found');
  }
  return { endpoint_id, business_id: bookId };
}

/** The endpoint in the path. @throws ApiError `not_found`. */
export async function findEndpoint(rpc: RpcClient, visit: MemberVisit): Promise<WebhookEndpoint> {
  const { endpoint } = await rpc.call(showEndpoint, namedEndpoint(visit));
  return endpoint;
}

/** The way back from a page of webhooks. The connection settings are those of both books. */
export function crumbsOf({ business, t, link }: MemberVisit, ...rest: Crumb[]): Crumb[] {
  return [
    { text: t(words.connection), href: `/b/${business.id}/connection` },
    { text: t(texts.title), href: link(endpointsPath) },
    ...rest,
  ];
}

/** Whether an endpoint gets events. */
export function stateBadge(endpoint: WebhookEndpoint, language: Language): Markup {
  const { enabled, disabled_reason: reason, failing_since: since } = endpoint;
  if (!enabled) {
    const isOwners = reason === null || reason === 'owner';
    return badge(isOwners ? 'neutral' : 'bad', disabledWords[reason ?? 'owner'][language]);
  }
  return since === null ? badge('good', texts.enabled[language]) : badge('bad', texts.failing[language]);
}

/** What an owner should know of an endpoint. */
export function endpointFacts(endpoint: WebhookEndpoint, language: Language): Markup {
  const { description, failing_since, last_failure, last_received_at, pending, types } = endpoint;
  const received: Content = last_received_at ? dayAndTime(last_received_at, language) : texts.never[language];
  const failure =
    last_failure &&
    html`${dayAndTime(last_failure.at, language)}
<span class="soft">${reasonText(last_failure.reason, language)}</span>`;
  const since = failing_since && dayAndTime(failing_since, language);
  const until = endpoint.previous_secret_until && dayAndTime(endpoint.previous_secret_until, language);
  const waiting =
    pending === countedMax ? texts.orMore[language] : leftToRight(pending.toLocaleString('en-US'));
  return facts(
    [
      [texts.description[language], description && isolate(description, language)],
      [
        texts.types[language],
        types?.map((type) => eventWords[type][language]).join(', ') ?? texts.all[language],
      ],
      [texts.lastReceived[language], received],
      [texts.lastFailure[language], failure],
      [texts.failingSince[language], since],
      [texts.pending[language], waiting],
      [texts.previousSecret[language], until],
      [texts.created[language], dayAndTime(endpoint.created_at, language)],
    ],
    language,
  );
}

/** Shows a secret, this once. */
export function secretPage(
  visit: MemberVisit,
  title: string,
  { endpoint, secret }: { readonly endpoint: WebhookEndpoint; readonly secret: string },
): PageReply {
  const { language, t, link } = visit;
  const go = linkButton({
    href: link(`${endpointsPath}/${endpoint.id}`),
    text: t(texts.toEndpoint),
    kind: 'primary',
  });
  const until = endpoint.previous_secret_until;
  return page(
    title,
    html`${pageHead({ title, language, lead: leftToRight(endpoint.url) })}
${notice('done', t(texts.once))}
<section class="card">
  ${copyable(t(texts.secret), secret, 'secret-value', language)}
  ${until && html`<p>${t(texts.previousSecret)} ${dayAndTime(until, language)}</p>`}
  <div class="buttons">
    ${go}
  </div>
</section>`,
  );
}
