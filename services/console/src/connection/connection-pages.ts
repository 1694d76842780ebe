import { type ApiKey, getUsage, listKeys } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { InjectConfig, RpcClient } from '@pinkas/service-kit';
import {
  badge,
  card,
  dayAndTime,
  emptyState,
  facts,
  html,
  isolate,
  leftToRight,
  linkButton,
  type Markup,
  notice,
  pageHead,
  type Words,
} from '@pinkas/ui';
import { type ConsoleConfig } from '../config.js';
import { unlessAway } from '../frame/unless-away.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page } from '../http/console-page.js';
import { type MemberVisit } from '../http/visit.js';
import { keyWords } from './key-words.js';
import { requestsPath } from './requests/request-parts.js';
import { requestWords } from './requests/request-words.js';
import { webhookWords } from './webhooks/webhook-words.js';

const texts = {
  intro: {
    he: 'החנות או ה-CRM מפיקים מסמכים דרך ה-API. כל מערכת מקבלת מפתח משלה, וכך אפשר לבטל אחד בלי לגעת באחרים.',
    en: 'Your shop or CRM issues documents over the API. Give each system a key of its own, so that you can revoke one without touching the others.',
  },
  keys: { he: 'מפתחות API', en: 'API keys' },
  none: { he: 'עדיין אין מפתח.', en: 'There is no key yet.' },
  usedToday: { he: 'הופקו היום', en: 'Issued today' },
  created: { he: 'נוצר', en: 'Created' },
  revoked: { he: 'בוטל', en: 'Revoked' },
  revoke: { he: 'ביטול…', en: 'Revoke…' },
  revokedDone: { he: 'המפתח בוטל.', en: 'The key is revoked.' },
  reference: { he: 'למפתחים', en: 'For developers' },
  base: { he: 'כתובת ה-API', en: 'Address of the API' },
  client: { he: 'ספרייה ל-TypeScript', en: 'Client for TypeScript' },
  agents: { he: 'שרת לסוכני AI (MCP)', en: 'Server for AI agents (MCP)' },
  guide: { he: 'מדריך למפתחים', en: 'Guide for developers' },
  docs: { he: 'תיעוד ה-API', en: 'Reference of the API' },
  errors: { he: 'רשימת השגיאות', en: 'List of errors' },
} as const satisfies Record<string, Words>;

/** The API keys of a business, and what developers need. */
@PageController({ path: '/connection', access: 'reader' })
export class ConnectionPages {
  constructor(
    private readonly rpc: RpcClient,
    @InjectConfig() private readonly config: ConsoleConfig,
  ) {}

  @ConsolePage({ method: 'GET' })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { business, language, t, outcome, role } = visit;
    const { keys } = await this.rpc.call(listKeys, { business_id: business.id });
    const rows = await Promise.all(
      [...keys]
        .sort((one, other) => Number(one.revoked_at !== null) - Number(other.revoked_at !== null))
        .map(async (key) => keyCard(visit, key, await this.#usedToday(key))),
    );
    const list =
      rows.length === 0
        ? emptyState({ title: t(texts.none) })
        : html`<ul class="keys">
  ${rows}
</ul>`;
    const { baseUrl, docsUrl } = this.config;
    const { origin } = new URL(baseUrl);
    // In a narrow column a line breaks before the name of the file.
    const line = (command: string, path: string) =>
      html`<code><bdi dir="ltr">${command} ${origin}<wbr>${path}</bdi></code>`;
    const addresses = facts(
      [
        [t(texts.base), leftToRight(baseUrl)],
        [t(texts.client), line('npm install', '/client.tgz')],
        [t(texts.agents), line('npx -y -p', '/mcp.tgz pinkas-mcp')],
      ],
      language,
    );
    const create = linkButton({
      href: visit.link('/connection/new'),
      text: t(keyWords.create),
      kind: 'primary',
    });
    return page(
      t(words.connection),
      html`${pageHead({
        title: t(words.connection),
        language,
        lead: t(texts.intro),
        primary: role === 'owner' ? create : null,
      })}
${outcome === 'revoked' ? notice('done', t(texts.revokedDone)) : null}
${card({ id: 'keys', title: t(texts.keys), content: list })}
${requestCard(visit)}
${role === 'owner' ? webhookCard(visit) : null}
${card({
  id: 'reference',
  title: t(texts.reference),
  content: html`${addresses}
<p class="links">
  <a href="${docsUrl}/guide">${t(texts.guide)}</a> · <a href="${docsUrl}">${t(texts.docs)}</a> ·
  <a href="${docsUrl}/errors">${t(texts.errors)}</a>
</p>`,
})}`,
    );
  }

  async #usedToday(key: ApiKey): Promise<number | null> {
    if (key.revoked_at !== null) {
      return null;
    }
    const book = key.mode === 'test' ? testBookOf(key.business_id) : key.business_id;
    const usage = await unlessAway(this.rpc.call(getUsage, { business_id: book, key_id: key.id }));
    return usage?.used_today ?? null;
  }
}

/** Where everybody finds what the keys have sent. */
function requestCard({ t, link }: MemberVisit): Markup {
  return card({
    id: 'requests',
    title: t(requestWords.title),
    content: html`<p>${t(requestWords.card)}</p>
<div class="buttons">
  ${linkButton({ href: link(requestsPath), text: t(requestWords.open) })}
</div>`,
  });
}

/** Where an owner finds the endpoints. */
function webhookCard({ t, link }: MemberVisit): Markup {
  const open = linkButton({ href: link('/connection/webhooks'), text: t(webhookWords.open) });
  return card({
    id: 'webhooks',
    title: t(webhookWords.title),
    content: html`<p>${t(webhookWords.lead)}</p>
<div class="buttons">
  ${open}
</div>`,
  });
}

function keyCard(visit: MemberVisit, key: ApiKey, usedToday: number | null): Markup {
  const { language, t, role } = visit;
  const isRevoked = key.revoked_at !== null;
  const revoke = linkButton({
    href: visit.link(`/connection/${key.id}/revoke`),
    text: t(texts.revoke),
    kind: 'danger',
  });
  const used = key.last_used_at ? dayAndTime(key.last_used_at, language) : t(keyWords.never);
  const limits = html`${leftToRight(`${usedToday ?? 0} / ${key.daily_documents}`)}`;
  const known = facts(
    [
      [t(keyWords.prefix), html`<code>${leftToRight(`${key.prefix}…`)}</code>`],
      [t(keyWords.scopes), key.scopes.map((scope) => t(keyWords[scope])).join(', ')],
      [t(texts.usedToday), isRevoked ? null : limits],
      [t(keyWords.perMinute), isRevoked ? null : leftToRight(String(key.per_minute))],
      [t(keyWords.lastUsed), used],
      [t(texts.created), dayAndTime(key.created_at, language)],
      [t(texts.revoked), key.revoked_at && dayAndTime(key.revoked_at, language)],
    ],
    language,
  );
  const requests = html`${t(requestWords.ofKey)}<span class="visually-hidden">: ${key.name}</span>`;
  const mode = badge(key.mode === 'live' ? 'good' : 'waiting', t(keyWords[key.mode]));
  return html`<li class="key ${isRevoked && 'ended'}">
    <div class="title">
      <h3>${isolate(key.name, language)} ${mode}</h3>
      ${role === 'owner' && !isRevoked && revoke}
    </div>
    ${known}
    <p><a href="/${key.mode === 'test' ? 't' : 'b'}/${key.business_id}${requestsPath}?key=${key.id}">${requests}</a></p>
  </li>
  `;
}
