import Type, { type Static } from 'typebox';
import { defineContract } from '../define.js';
import { Instant, Nullable, PersonId, Strict, Uuid } from '../schema/fields.js';
import { LoggedRequest } from '../schema/logged-request.js';

/** The logged request after which a page begins. */
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
