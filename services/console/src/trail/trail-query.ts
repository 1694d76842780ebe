import { isUuid, listDocuments } from '@pinkas/contracts';
import { addDays, beginningOfDayInIsrael } from '@pinkas/domain';
import type { RpcClient } from '@pinkas/service-kit';
import { dayOf } from '../http/address-dates.js';
import { type TrailKind, trailKinds } from './trail-words.js';

/** The filters of the trail, as its address has them. */
export interface TrailValues {
  readonly kind: TrailKind | '';
  /** `operator`, `key` or `person` for each of them, or one: `person:<id>`, `key:<id>`; `service:delivery` for what it did. */
  readonly actor: string;
  readonly from: string;
  readonly to: string;
  /** The id or the number of a document. */
  readonly document: string;
}

/** What the services get of it. */
export interface TrailFilter {
  readonly actions?: string[];
  readonly actor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly subject?: string;
}

const actorPattern = /^(?:operator|key|person|service:delivery|(?:key|person):[0-9a-f-]{36})$/;

export function readTrailValues(query: URLSearchParams): TrailValues {
  const given = (name: string) => query.get(name)?.trim() ?? '';
  const kind = given('kind');
  return {
    kind: Object.hasOwn(trailKinds, kind) ? (kind as TrailKind) : '',
    actor: actorPattern.test(given('actor')) ? given('actor') : '',
    from: dayOf(query, 'from'),
    to: dayOf(query, 'to'),
    document: given('document'),
  };
}

/** A number names the document of the number that was issued last. */
export async function filterOf(
  rpc: RpcClient,
  business_id: string,
  { kind, actor, from, to, document }: TrailValues,
): Promise<TrailFilter> {
  return {
    ...(kind !== '' && { actions: [...trailKinds[kind].actions] }),
    ...(actor !== '' && { actor }),
    ...(from !== '' && { from: beginningOfDayInIsrael(from).toISOString() }),
    ...(to !== '' && { to: beginningOfDayInIsrael(addDays(to, 1)).toISOString() }),
    ...(document !== '' && { subject: await idOf(rpc, business_id, document) }),
  };
}

async function idOf(rpc: RpcClient, business_id: string, text: string): Promise<string> {
  if (isUuid(text) || !/^[1-9]\d{0,8}$/.test(text)) {
    return text.toLowerCase();
  }
  const { documents } = await rpc.call(listDocuments, {
    ...{ business_id, number: Number(text), include_cancelled: true, limit: 1, before: null },
  });
  return documents[0]?.document.id ?? text;
}
