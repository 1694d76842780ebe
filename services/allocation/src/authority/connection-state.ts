import type { AuthorityConnection } from '@pinkas/contracts';

/** How long before its end a connection counts as expiring: from day 75 of a login that lasts 90, since the owner has to find a moment. */
const expiringDays = 15;
const dayMs = 24 * 3_600 * 1_000;

/** The facts on which the state of a connection depends. */
interface ConnectionFacts {
  business_id: string;
  connected_at: Date;
  refresh_expires_at: Date | null;
  broken_at: Date | null;
  user_id: string | null;
  user_name: string | null;
}

/** The instant before which a connection must not end, else it is expiring. */
export const expiringBefore = (now: Date): Date => new Date(now.getTime() + expiringDays * dayMs);

/** The state of a connection. */
export function connectionOf(facts: ConnectionFacts, now: Date): AuthorityConnection {
  const { business_id, connected_at, refresh_expires_at: until, broken_at } = facts;
  const person = facts.user_id ?? facts.user_name;
  const base = {
    business_id,
    connected_at: connected_at.toISOString(),
    ...(person !== null && { person }),
  };
  const endedAt = broken_at ?? (until !== null && until <= now ? until : null);
  if (endedAt) {
    return { ...base, state: 'ended', since: endedAt.toISOString(), until: null };
  }
  return {
    ...base,
    state: until !== null && until <= expiringBefore(now) ? 'expiring' : 'connected',
    since: base.connected_at,
    until: until?.toISOString() ?? null,
  };
}

/** What the trail says of a connection: nothing of its tokens but how long they last. */
export function connectionFacts(row: Omit<ConnectionFacts, 'business_id'> | undefined) {
  return row
    ? {
        connected_at: row.connected_at.toISOString(),
        expires_at: row.refresh_expires_at?.toISOString() ?? null,
        broken_at: row.broken_at?.toISOString() ?? null,
      }
    : null;
}
