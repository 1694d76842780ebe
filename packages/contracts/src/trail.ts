import Type, { type Static } from 'typebox';
import { defineContract, type ServiceName, serviceNames } from './define.js';
import { Instant, Nullable, Strict, Uuid } from './schema/fields.js';

/** A SHA-256 in hex. */
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The business id of what belongs to no business: the kill switch, a dead letter that names none. */
export const platformId = '00000000-0000-0000-0000-000000000000';

/** The most entries on one page of a trail. */
export const trailPageMax = 200;

/** How many entries are checked for the filter of one page. */
export const trailCheckedMax = 20_000;

/** The most ends of chains on one page, and in one signed statement. */
export const headsPageMax = 500;

/** One change, as a service recorded it in the transaction of the change. */
export const TrailEntry = Strict({
  business_id: Uuid,
  /** Of the business's trail in this service: 1, 2, … */
  n: Type.Integer({ minimum: 1 }),
  at: Instant,
  /** `key.create`, `document.state` and so on. */
  action: Type.String(),
  /** The id of what was changed. */
  subject: Type.String(),
  /** `operator`, `person:<id>` of the console, `key:<id>`, `owner`, or `role:<name>`, the database's role, where the change came from no request. */
  actor: Type.String(),
  request_id: Nullable(Type.String()),
  /** The members before and after; without secrets. */
  before: Type.Unknown(),
  after: Type.Unknown(),
  /** Over all of these and the hash of the entry before it. */
  hash: Sha256,
});
export type TrailEntry = Static<typeof TrailEntry>;

/** The end of a chain. */
export const ChainHead = Strict({ n: Type.Integer({ minimum: 1 }), hash: Sha256 });
export type ChainHead = Static<typeof ChainHead>;

/** The contracts of a service's trail. The kit handles them. */
export function trailContracts<S extends ServiceName>(service: S) {
  return {
    /** The trail of one business in this service, the oldest entry first, with what is wrong with its chain. */
    listTrailEntries: defineContract(`${service}.audit_entry.list`, {
      request: Strict({
        business_id: Uuid,
        /** The last entry of the page before; null for the first page. */
        after: Nullable(ChainHead),
        limit: Type.Integer({ minimum: 1, maximum: trailPageMax }),
      }),
      reply: Strict({
        entries: Type.Array(
          Strict({
            ...TrailEntry.properties,
            /** Why it does not continue the chain, as half a sentence; null: it does. */
            finding: Nullable(Type.String()),
          }),
        ),
        /** The last entry of the trail, as the service stores it next to the entries; null: there is none. */
        head: Nullable(ChainHead),
        /** The `after` of the next page; null on the last one. */
        next_after: Nullable(ChainHead),
      }),
    }),

    /** The trail of one business in this service, the latest entry first, for reading: its chain is not checked. */
    listLatestTrailEntries: defineContract(`${service}.audit_entry.list_latest`, {
      request: Strict({
        business_id: Uuid,
        /** Only entries before this one; null: from the latest. */
        before: Nullable(Type.Integer({ minimum: 1 })),
        /** Only those about this. */
        subject: Type.Optional(Type.String()),
        /** Only those of this actor: of each person, or key, for `person` and `key`. */
        actor: Type.Optional(Type.String()),
        actions: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
        /** Instants, the first inclusive. */
        from: Type.Optional(Instant),
        to: Type.Optional(Instant),
        limit: Type.Integer({ minimum: 1, maximum: trailPageMax }),
      }),
      reply: Strict({
        entries: Type.Array(TrailEntry),
        /** Where the next page begins: a page reads so many entries at most, and may have none. Null: there is no other page. */
        next_before: Nullable(Type.Integer({ minimum: 1 })),
      }),
    }),

    /** The ends of all trails of the service, in the order of their businesses. */
    listChainHeads: defineContract(`${service}.audit_head.list`, {
      request: Strict({ after: Nullable(Uuid), limit: Type.Integer({ minimum: 1, maximum: headsPageMax }) }),
      reply: Strict({
        heads: Type.Array(Strict({ business_id: Uuid, ...ChainHead.properties })),
        /** The `after` of the next page; null on the last one. */
        next_after: Nullable(Uuid),
      }),
    }),
  };
}

/** The audit contracts by service. */
export const trails = Object.fromEntries(
  serviceNames.map((service) => [service, trailContracts(service)]),
) as Readonly<Record<ServiceName, ReturnType<typeof trailContracts>>>;
