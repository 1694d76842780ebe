import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './errors.js';
import { timeLimitsMs } from './time-limits.js';

/** The deployable processes. A service's name is its queue group, its database and the second word of its subjects. */
export const serviceNames = [
  'gateway',
  'issuing',
  'customer',
  'rendering',
  'allocation',
  'delivery',
  'console',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * An RPC of one service, over NATS request-reply.
 * `Req` and `Rep` are the TypeBox schemas that both sides validate with.
 */
export interface Contract<Req extends TSchema = TSchema, Rep extends TSchema = TSchema> {
  readonly kind: 'contract';
  /** `rpc.<service>.<noun>.<verb>.v1`; the service in it handles the call. */
  readonly subject: string;
  readonly owner: ServiceName;
  readonly request: Req;
  readonly reply: Rep;
  /** The errors that a caller must expect, besides `engine_error` and `internal_error`, which any call can return. */
  readonly errors: readonly ErrorCode[];
  /** How long the caller waits at most, in milliseconds, where its own deadline does not end earlier. */
  readonly timeoutMs: number;
  /**
   * The treatment of request members that the schema does not name. `dropped`: a newer release of the caller sends them
   * (ADR 0018). `refused`: a person has written them and must learn that they have no effect.
   */
  readonly unknownMembers: 'dropped' | 'refused';
  /** Whether a call whose connection was lost may be sent again: the handler only reads, or handles equal requests once. */
  readonly isRepeatable: boolean;
  /** `every process` of its owner replies, and a caller gets all replies; usually one of them does. */
  readonly handledBy: 'one process' | 'every process';
}

/** The TypeScript type of a contract's request. */
export type RequestOf<C extends Contract> = Static<C['request']>;
/** The TypeScript type of a contract's reply. */
export type ReplyOf<C extends Contract> = Static<C['reply']>;
/** Calls a contract of another service. */
export type Call = <C extends Contract>(contract: C, request: RequestOf<C>) => Promise<ReplyOf<C>>;

/** The verbs of contracts whose handlers store nothing that a second request would store again. */
const readingVerb =
  /\.(audit|check|draft|find|get|list|match|preview|print|read|render|review|search|show|sum|summarize)(_|$)/;

/**
 * Declares a contract.
 * @param subject without prefix and version: `issuing.document.issue` becomes `rpc.issuing.document.issue.v1`.
 * @param parts `isRepeatable`: by default where the verb of the subject reads.
 */
export function defineContract<Req extends TSchema, Rep extends TSchema>(
  subject: `${ServiceName}.${string}.${string}`,
  parts: {
    request: Req;
    reply: Rep;
    errors?: readonly ErrorCode[];
    timeoutMs?: number;
    unknownMembers?: 'dropped' | 'refused';
    isRepeatable?: boolean;
    handledBy?: 'one process' | 'every process';
  },
): Contract<Req, Rep> {
  return {
    kind: 'contract',
    subject: `rpc.${subject}.v1`,
    owner: subject.split('.')[0] as ServiceName,
    request: parts.request,
    reply: parts.reply,
    errors: parts.errors ?? [],
    timeoutMs: parts.timeoutMs ?? timeLimitsMs.call,
    unknownMembers: parts.unknownMembers ?? 'dropped',
    isRepeatable: parts.isRepeatable ?? readingVerb.test(subject),
    handledBy: parts.handledBy ?? 'one process',
  };
}

/**
 * A fact that a service publishes. It is written to the outbox in the transaction of the fact, and published to
 * JetStream on `evt.<service>.<noun>.<past participle>.v1.<document id>`.
 */
export interface EventContract<Body extends TSchema = TSchema> {
  readonly kind: 'event';
  /** The subject without its last token, the document's id. */
  readonly subject: string;
  readonly owner: ServiceName;
  readonly body: Body;
}

/** The TypeScript type of an event's body. */
export type EventOf<E extends EventContract> = Static<E['body']>;

/** An event is about one document of one business: it has the business id, or the complete document. */
export type EventBody =
  | { readonly business_id: string }
  | { readonly document: { readonly business_id: string } };

/** The business that an event is about. */
export function businessOf(body: EventBody): string {
  return 'business_id' in body ? body.business_id : body.document.business_id;
}

/** Declares an event; `issuing.document.issued` becomes `evt.issuing.document.issued.v1`. */
export function defineEvent<Body extends TSchema>(
  subject: `${ServiceName}.${string}.${string}`,
  body: Static<Body> extends EventBody ? Body : never,
): EventContract<Body> {
  return { kind: 'event', subject: `evt.${subject}.v1`, owner: subject.split('.')[0] as ServiceName, body };
}

/** The subject on which one document's event travels. */
export function eventSubject(event: EventContract, documentId: string): string {
  return `${event.subject}.${documentId}`;
}

/** The uses of an API key (API specification, 2.2). */
export const scopes = ['documents:write', 'documents:read', 'customers:read'] as const;
export type Scope = (typeof scopes)[number];

/** One route of the HTTP API. */
export interface Route {
  readonly kind: 'route';
  /** The name of the operation in the OpenAPI document and in the client, for example `listDocuments`. */
  readonly operation: string;
  /** One line that says what it does. */
  readonly summary: string;
  /** What a caller must know besides the fields; sentences. */
  readonly description: string;
  /** `key`: for callers with an API key. `anyone`: needs no key, and is counted per client address. */
  readonly access: 'key' | 'anyone';
  /** How long its caller waits at most, in milliseconds. */
  readonly timeoutMs: number;
  readonly method: 'GET' | 'POST';
  /** The path below the base address, with `:name` parameters. */
  readonly path: string;
  /** The scope that the key needs; null where any valid key will do. */
  readonly scope: Scope | null;
  /** Issues a document, so that a business on the expenses-only track is refused. */
  readonly issues: boolean;
  /** Whether it needs an Idempotency-Key. */
  readonly idempotent: boolean;
  readonly successStatus: 200 | 201;
  /** The query parameters, each a string, an integer or a boolean; null where there are none. */
  readonly query: TObject | null;
  readonly body: TSchema | null;
  /** Whether the body may be left out. */
  readonly bodyOptional: boolean;
  readonly reply: TSchema;
  /** The errors of this route besides those that every authenticated route shares. */
  readonly errors: readonly ErrorCode[];
}

const routeDefaults = {
  access: 'key',
  timeoutMs: timeLimitsMs.request,
  method: 'GET',
  scope: null,
  issues: false,
  idempotent: false,
  successStatus: 200,
  query: null,
  body: null,
  bodyOptional: false,
  errors: [],
} as const;

/**
 * Declares a route of the HTTP API. By default it is a GET for any valid key, with a path and nothing else.
 */
export function defineRoute<const R extends RouteParts>(parts: R): Route & R {
  return { kind: 'route', ...routeDefaults, ...parts };
}

type RouteParts = Partial<Omit<Route, 'kind'>> &
  Pick<Route, 'operation' | 'summary' | 'description' | 'path' | 'reply'>;
