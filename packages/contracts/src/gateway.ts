import { modes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, scopes } from './define.js';
import { Business, BusinessChange } from './schema/business.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from './schema/fields.js';
import { LoggedRequest } from './schema/logged-request.js';
import { timeLimitsMs } from './time-limits.js';

const BusinessReply = Strict({ business: Business });

export const createBusiness = defineContract('gateway.business.create', {
  request: Strict({ business: BusinessChange }),
  reply: BusinessReply,
  errors: ['validation_error'],
  unknownMembers: 'refused',
  timeoutMs: timeLimitsMs.saveBusiness,
});

/** Differs when any setting differs; opaque to callers. */
const SettingsVersion = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const updateBusiness = defineContract('gateway.business.update', {
  request: Strict({
    business_id: Uuid,
    change: BusinessChange,
    /** The `settings_version` on which the change is based; where they have another by now, `validation_error` at this path. */
    expected_version: Type.Optional(SettingsVersion),
    person_id: PersonId,
  }),
  reply: BusinessReply,
  errors: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
  timeoutMs: timeLimitsMs.saveBusiness,
});

export const showBusiness = defineContract('gateway.business.show', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({
    ...BusinessReply.properties,
    settings_version: SettingsVersion,
    /** What the public id of a document follows in the address of its page, and of its PDF. */
    view_url_base: Type.String(),
    pdf_url_base: Type.String(),
    /** False while the kill switch is on. */
    api_enabled: Type.Boolean(),
  }),
  errors: ['not_found'],
});

/** Stores in the settings that callers want the events of a business; nothing where they do already. */
export const startEvents = defineContract('gateway.business.start_events', {
  request: Strict({
    business_id: Uuid,
    person_id: PersonId,
  }),
  reply: BusinessReply,
  errors: ['not_found'],
});

/** Stores in the settings that a business is connected to the tax authority, if allocation still has its connection. */
export const markConnected = defineContract('gateway.business.mark_connected', {
  request: Strict({ business_id: Uuid, person_id: PersonId }),
  /** False: it was disconnected in the meantime. */
  reply: Strict({ connected: Type.Boolean() }),
  errors: ['validation_error', 'not_found'],
  timeoutMs: timeLimitsMs.saveBusiness,
});

export const listBusinesses = defineContract('gateway.business.list', {
  request: Strict({ after: Type.Optional(Uuid) }),
  reply: Strict({
    businesses: Type.Array(Business),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(Uuid),
  }),
});

/** An API key without its value. */
export const ApiKey = Strict({
  id: Uuid,
  business_id: Uuid,
  /** Which book it leads to. */
  mode: Type.Enum([...modes]),
  name: Type.String(),
  /** The leading characters of the key, safe to show. */
  prefix: Type.String(),
  scopes: Type.Array(Type.Enum([...scopes])),
  per_minute: Type.Integer(),
  daily_documents: Type.Integer(),
  created_at: Instant,
  revoked_at: Nullable(Instant),
  /** To the minute; null: it never was. */
  last_used_at: Nullable(Instant),
});
export type ApiKey = Static<typeof ApiKey>;

/** What a key may do at most where its creator does not say. */
export const keyLimitDefaults = { perMinute: 60, dailyDocuments: 300 } as const;

/** What a person of the console may allow a key at most; the operator may allow more. */
export const ownerKeyLimits = { perMinute: 600, dailyDocuments: 10_000 } as const;

export const createKey = defineContract('gateway.key.create', {
  request: Strict({
    business_id: Uuid,
    /** Default: live. */
    mode: Type.Optional(Type.Enum([...modes])),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    scopes: Type.Optional(Type.Array(Type.Enum([...scopes]), { minItems: 1, uniqueItems: true })),
    per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    daily_documents: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
    person_id: PersonId,
  }),
  /** `key` is the key's value: shown this once, stored nowhere. */
  reply: Strict({ ...ApiKey.properties, key: Type.String() }),
  errors: ['validation_error', 'not_found'],
  unknownMembers: 'refused',
});

export const revokeKey = defineContract('gateway.key.revoke', {
  request: Strict({
    key_id: Uuid,
    /** Only a key of this business; absent: of any. */
    business_id: Type.Optional(Uuid),
    person_id: PersonId,
  }),
  reply: ApiKey,
  errors: ['not_found'],
});

export const listKeys = defineContract('gateway.key.list', {
  request: Strict({ business_id: Uuid }),
  reply: Strict({ keys: Type.Array(ApiKey) }),
  errors: ['not_found'],
});

/** Turns the HTTP API off, or on again, for every gateway at once. */
export const setKillSwitch = defineContract('gateway.kill_switch.set', {
  request: Strict({ enabled: Type.Boolean() }),
  reply: Strict({ enabled: Type.Boolean() }),
});

/** Where a page of logged requests begins: after this one. */
const RequestPosition = Strict({ timestamp: Instant, id: Uuid });

/** One request in a list, without its body. */
const {
  body: _body,
  body_truncated: _truncated,
  details: _details,
  errors: _errors,
  ...listedMembers
} = LoggedRequest.properties;
const ListedRequest = Strict({ id: Uuid, key_id: Uuid, ...listedMembers });
export type ListedRequest = Static<typeof ListedRequest>;

/** The latest requests of the keys of a book, as far as they are kept. */
export const listRequests = defineContract('gateway.request.list', {
  request: Strict({
    business_id: Uuid,
    /** Only those of this key, with a status of this class (4: 4xx), with this code, with this Idempotency-Key. */
    key_id: Type.Optional(Uuid),
    status_class: Type.Optional(Type.Integer({ minimum: 2, maximum: 5 })),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    /** From the earliest to the latest. */
    ascending: Type.Optional(Type.Boolean()),
    /** Absent: from the latest, or from the earliest. */
    after: Type.Optional(RequestPosition),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
  }),
  reply: Strict({
    requests: Type.Array(ListedRequest),
    /** The `after` of the next page; null on the last one. */
    next_after: Nullable(RequestPosition),
    /** How many requests the book has had today (UTC), those that are not kept included. */
    today: Type.Integer({ minimum: 0 }),
  }),
});

const FullRequests = Strict({
  /** Those with this id, the latest first: a caller may have given several requests one. */
  requests: Type.Array(
    Strict({
      ...LoggedRequest.properties,
      id: Uuid,
      business_id: Uuid,
      key_id: Uuid,
      /** JSON; null: there was none, or it is not kept. */
      body: Nullable(Type.String()),
    }),
  ),
});
export type FullRequest = Static<typeof FullRequests>['requests'][number];

/** The requests with an id; what may be personal in their bodies is masked. */
export const showRequest = defineContract('gateway.request.show', {
  request: Strict({
    request_id: Uuid,
    /** Only those of this book; absent: of any. */
    business_id: Type.Optional(Uuid),
  }),
  reply: FullRequests,
  errors: ['not_found'],
});

/** The same without masks. Who opened it is recorded in the trail. */
export const openRequest = defineContract('gateway.request.open', {
  request: Strict({ request_id: Uuid, business_id: Uuid, person_id: PersonId }),
  reply: FullRequests,
  errors: ['not_found'],
});
