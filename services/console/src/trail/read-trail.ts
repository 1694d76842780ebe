import { type ServiceName, serviceNames, type TrailEntry, trails } from '@pinkas/contracts';
import type { RpcClient } from '@pinkas/service-kit';
import { unlessAway } from '../frame/unless-away.js';
import type { TrailFilter } from './trail-query.js';

/**
 * Where the trail of each service goes on: `issuing:12.gateway:7`; `issuing:0`: at its latest entry, since it has not answered yet. A
 * service that is not named has been read to its end.
 */
export type Positions = ReadonlyMap<ServiceName, number | null>;

/** A page of the trails of all services. */
export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Where the next page begins; null: there is none. */
  readonly next: string | null;
  /** Whether a service did not answer. */
  readonly isPart: boolean;
}

interface ServicePage {
  readonly service: ServiceName;
  readonly before: number | null;
  /** Null: the service did not answer. */
  readonly entries: TrailEntry[] | null;
  readonly next: number | null;
}

export function readPositions(text: string | null): Positions {
  if (text === null) {
    return new Map(serviceNames.map((name) => [name, null]));
  }
  return new Map(
    text.split('.').flatMap((part) => {
      const [service, n] = part.split(':');
      const name = serviceNames.find((known) => known === service);
      return name && /^\d{1,15}$/.test(n ?? '') ? [[name, Number(n) || null] as const] : [];
    }),
  );
}

/** The latest entries of all services from where each of them was left, each in its own order. */
export async function readTrail(
  rpc: RpcClient,
  business_id: string,
  filter: TrailFilter,
  positions: Positions,
  limit: number,
): Promise<TrailPage> {
  const pages = await Promise.all(
    [...positions].map(async ([service, before]): Promise<ServicePage> => {
      const request = { ...filter, business_id, before, limit };
      const reply = await unlessAway(rpc.call(trails[service].listLatestTrailEntries, request));
      return { service, before, entries: reply?.entries ?? null, next: reply?.next_before ?? null };
    }),
  );
  const { entries, shown } = merged(pages, limit);
  const next = pages.flatMap((page) => nextOf(page, shown.get(page.service) ?? 0)).join('.');
  return {
    entries,
    next: next === '' ? null : next,
    isPart: pages.some((page) => page.entries === null),
  };
}

/** The latest entries of all, and how many of each service are among them. */
function merged(pages: readonly ServicePage[], limit: number) {
  const rest = pages.map(({ service, entries }) => ({ service, entries: [...(entries ?? [])] }));
  const shown = new Map<ServiceName, number>();
  const entries: TrailEntry[] = [];
  while (entries.length < limit) {
    const latest = rest
      .filter((page) => page.entries.length > 0)
      .reduce<(typeof rest)[number] | null>(
        (one, other) => (one && (one.entries[0]?.at ?? '') >= (other.entries[0]?.at ?? '') ? one : other),
        null,
      );
    const entry = latest?.entries.shift();
    if (!latest || !entry) {
      break;
    }
    entries.push(entry);
    shown.set(latest.service, (shown.get(latest.service) ?? 0) + 1);
  }
  return { entries, shown };
}

/** Where the trail of a service goes on. */
function nextOf({ service, before, entries, next }: ServicePage, shown: number): string[] {
  if (entries === null) {
    // It is read again from the same place.
    return [`${service}:${before ?? 0}`];
  }
  if (shown === entries.length) {
    return next === null ? [] : [`${service}:${next}`];
  }
  const following = entries[shown]?.n ?? 0;
  return [`${service}:${following + 1}`];
}
