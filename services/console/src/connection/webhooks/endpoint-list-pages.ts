import { endpointsMax, listEndpoints, type WebhookEndpoint } from '@pinkas/contracts';
import { RpcClient } from '@pinkas/service-kit';
import {
  card,
  emptyState,
  html,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { bookTabs } from '../../frame/book-tabs.js';
import { words } from '../../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../../http/console-page.js';
import type { MemberVisit } from '../../http/visit.js';
import { endpointFacts, endpointsPath, stateBadge } from './endpoint-parts.js';
import { webhookWords } from './webhook-words.js';

const texts = {
  endpoints: { he: 'כתובות', en: 'Endpoints' },
  create: { he: 'כתובת חדשה', en: 'New endpoint' },
  none: { he: 'עדיין אין כתובת.', en: 'There is no endpoint yet.' },
  removed: { he: 'הכתובת הוסרה.', en: 'The endpoint is removed.' },
} as const satisfies Record<string, Words>;

/** The endpoints of a book. */
@PageController({ path: endpointsPath, access: 'owner', books: true })
export class EndpointListPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { bookId, business, language, t, link, outcome } = visit;
    const { endpoints } = await this.rpc.call(listEndpoints, { business_id: bookId });
    const isFull = endpoints.length >= endpointsMax;
    const create = linkButton({
      href: link(`${endpointsPath}/new`),
      text: t(texts.create),
      kind: 'primary',
    });
    const list = html`<ul class="keys">
  ${endpoints.map((endpoint) => endpointItem(visit, endpoint))}
</ul>`;
    const title = t(webhookWords.title);
    return page(
      title,
      html`${pageHead({
        title,
        language,
        lead: t(webhookWords.lead),
        crumbs: [{ text: t(words.connection), href: `/b/${business.id}/connection` }],
        primary: isFull ? null : create,
      })}
${bookTabs(visit, endpointsPath)}
${outcome === 'removed' ? notice('done', t(texts.removed)) : null}
${isFull ? notice('info', t(webhookWords.full)) : null}
${card({
  id: 'endpoints',
  title: t(texts.endpoints),
  content: endpoints.length === 0 ? emptyState({ title: t(texts.none) }) : list,
})}`,
    );
  }
}

function endpointItem({ language, link }: MemberVisit, endpoint: WebhookEndpoint): Markup {
  const href = link(`${endpointsPath}/${endpoint.id}`);
  return html`<li class="key ${!endpoint.enabled && 'ended'}">
    <div class="title">
      <h3><a href="${href}">${leftToRight(endpoint.url)}</a> ${stateBadge(endpoint, language)}</h3>
    </div>
    ${endpointFacts(endpoint, language)}
  </li>
  `;
}
