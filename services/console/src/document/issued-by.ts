import { type getDocument, listKeys, type ReplyOf } from '@pinkas/contracts';
import type { Database, RpcClient } from '@pinkas/service-kit';
import { html, isolate, leftToRight, type Markup, type Words } from '@pinkas/ui';
import { requestsPath } from '../connection/requests/request-parts.js';
import type { ConsoleTables } from '../db/console.tables.js';
import { peopleOf } from '../frame/trail-names.js';
import { unlessAway } from '../frame/unless-away.js';
import type { MemberVisit } from '../http/visit.js';

const texts = {
  key: { he: 'מפתח API', en: 'API key' },
  requests: { he: 'הבקשות ל-API', en: 'Its requests' },
  person: { he: 'אדם שאינו רשום עוד', en: 'a person who is not known any more' },
} as const satisfies Record<string, Words>;

/** Who issued a document, by its record; null where the record is of a release that did not state it. */
export async function issuedBy(
  { rpc, db }: { readonly rpc: RpcClient; readonly db: Database<ConsoleTables> },
  { business, language, t, link }: MemberVisit,
  { issuer, idempotency_key }: Pick<ReplyOf<typeof getDocument>, 'issuer' | 'idempotency_key'>,
): Promise<Markup | null> {
  if (!issuer) {
    return null;
  }
  if (issuer.kind === 'person') {
    const [person] = await peopleOf(db, [issuer.id]);
    return person ? leftToRight(person.email) : html`${t(texts.person)}`;
  }
  const found = await unlessAway(rpc.call(listKeys, { business_id: business.id }));
  const key = found?.keys.find(({ id }) => id === issuer.id);
  const name = html`${t(texts.key)}${key ? html` ${isolate(key.name, language)}` : null}`;
  return idempotency_key === undefined
    ? name
    : html`${name}
<a href="${link(requestsPath, { idempotency_key })}">${t(texts.requests)}</a>`;
}
