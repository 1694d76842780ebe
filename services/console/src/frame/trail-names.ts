import { listDocuments, listEndpoints, listKeys, showCustomer, type TrailEntry } from '@pinkas/contracts';
import { acrossTenants, type Database, type RpcClient } from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';
import type { MemberVisit } from '../http/visit.js';
import { documentName } from './parts.js';
import { unlessAway } from './unless-away.js';

/** The names of what entries mention by its id. */
export interface TrailNames {
  readonly people: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
  readonly documents: ReadonlyMap<string, string>;
  readonly customers: ReadonlyMap<string, string>;
  /** The addresses of endpoints of webhooks, as `addressFor` shows them. */
  readonly endpoints: ReadonlyMap<string, string>;
  /** Who reads them. */
  readonly role: MemberVisit['role'];
}

/** The address of an endpoint, which often has a token: of it only owners see more than the host. */
export function addressFor(role: MemberVisit['role'], url: string): string {
  return role === 'owner' ? url : (URL.parse(url)?.host ?? url);
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const ofDocument = /^(?:document|message|delivery|allocation|donation|reminder)\./;
/** So many cards are asked for their names; those of more have none. */
const cardsMax = 40;

/** Looks up the names, each kind at once; what cannot be found has none. */
export async function readTrailNames(
  { rpc, db }: { readonly rpc: RpcClient; readonly db: Database<ConsoleTables> },
  { bookId: business_id, business, language, role }: MemberVisit,
  entries: readonly TrailEntry[],
): Promise<TrailNames> {
  const mentioned = new Set(
    entries.flatMap(
      (entry) => JSON.stringify([entry.actor, entry.subject, entry.before, entry.after]).match(uuid) ?? [],
    ),
  );
  const document_ids = [
    ...new Set(entries.filter(({ action }) => ofDocument.test(action)).map(({ subject }) => subject)),
  ];
  const isOfKeys = entries.some(({ actor, action }) => actor.startsWith('key:') || action.startsWith('key.'));
  const isOfEndpoints = entries.some(({ action }) => action.startsWith('webhook.'));
  const cards = [
    ...new Set(entries.filter(({ action }) => action.startsWith('customer.')).map(({ subject }) => subject)),
  ];
  const [people, keys, endpoints, documents, customers] = await Promise.all([
    mentioned.size === 0 ? [] : peopleOf(db, [...mentioned]),
    isOfKeys ? unlessAway(rpc.call(listKeys, { business_id: business.id })) : null,
    isOfEndpoints ? unlessAway(rpc.call(listEndpoints, { business_id })) : null,
    document_ids.length === 0
      ? null
      : unlessAway(
          rpc.call(listDocuments, {
            ...{ business_id, document_ids, include_cancelled: true, limit: 100, before: null },
          }),
        ),
    Promise.all(
      cards
        .slice(0, cardsMax)
        .map((customer_id) => unlessAway(rpc.call(showCustomer, { business_id, customer_id }))),
    ),
  ]);
  return {
    people: new Map(people.map(({ id, email }) => [id, email])),
    keys: new Map(keys?.keys.map(({ id, name }) => [id, name])),
    endpoints: new Map(endpoints?.endpoints.map(({ id, url }) => [id, addressFor(role, url)])),
    role,
    documents: new Map(
      documents?.documents.map(({ document }) => [document.id, documentName(document, language)]),
    ),
    customers: new Map([
      ...(documents?.documents ?? []).map(
        ({ document: { customer } }) => [customer.id, customer.name] as const,
      ),
      ...customers.flatMap((card) => (card ? [[card.customer.id, card.customer.name] as const] : [])),
    ]),
  };
}

/** The people of some ids; those that are not known are absent. */
export function peopleOf(db: Database<ConsoleTables>, ids: readonly string[]) {
  return acrossTenants(db)
    .selectFrom('person')
    .select(['id', 'email'])
    .where('id', 'in', [...ids])
    .execute();
}
