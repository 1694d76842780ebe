import { modes } from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import { defineContract, scopes } from '../define.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';

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

/** The limits of a key whose creator states none. */
export const keyLimitDefaults = { perMinute: 60, dailyDocuments: 300 } as const;

/** The largest limits that a person of the console gives a key; the operator may give more. */
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
