import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { MemberRole } from '@pinkas/contracts';
import type { Database, Transaction } from '@pinkas/service-kit';
import type { ConsoleTables, SessionTable } from '../db/console.tables.js';
import { sessionLimitsMs as limitsMs } from './session-limits.js';

/** A signed-in person. */
export interface Session {
  readonly id: string;
  readonly personId: string;
  readonly email: string;
  readonly language: 'he' | 'en' | null;
  readonly createdAt: Date;
  /** When the person last proved who they are. */
  readonly provedAt: Date;
}

/** A business that a person may use. */
export interface Membership {
  readonly businessId: string;
  readonly role: MemberRole;
  /** Whether the person has opened the business before. */
  readonly hasJoined: boolean;
}

/** A session with the businesses of its person. */
export interface FoundSession {
  readonly session: Session;
  readonly memberships: readonly Membership[];
  /** The value that the cookie gets; null: it stays. */
  readonly newToken: string | null;
}

/** What a session is known by later: shown to its person. */
export interface Client {
  readonly userAgent: string;
  /** The address, or the /64 network of an IPv6 address. */
  readonly network: string;
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Starts a session. @returns the value of its cookie, which is stored nowhere. */
export async function insertSession(
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  personId: string,
  client: Client,
  now: Date,
): Promise<string> {
  const token = newToken();
  await db
    .insertInto('session')
    .values({
      id: randomUUID(),
      person_id: personId,
      token_hash: hashToken(token),
      token_since: now,
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + limitsMs.total),
      proved_at: now,
      user_agent: client.userAgent.slice(0, 200),
      network: client.network,
    })
    .execute();
  return token;
}

/** Whether a person may use a business. */
export async function isMember(
  db: Database<ConsoleTables>,
  businessId: string,
  personId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('membership')
    .select('person_id')
    .where('business_id', '=', businessId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records that a person has opened the business, once. */
export async function recordArrival(
  db: Database<ConsoleTables>,
  key: { readonly businessId: string; readonly personId: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('membership')
    .set({ joined_at: now })
    .where('business_id', '=', key.businessId)
    .where('person_id', '=', key.personId)
    .where('joined_at', 'is', null)
    .execute();
}

/** The session of one of its tokens, with its person. */
function findRow(all: Database<ConsoleTables>, hash: Buffer, now: Date) {
  return all
    .selectFrom('session')
    .innerJoin('person', 'person.id', 'session.person_id')
    .select([
      'session.id',
      'session.person_id',
      'session.token_hash',
      'session.next_token_hash',
      'session.next_token_at',
      'session.token_since',
      'session.created_at',
      'session.last_used_at',
      'session.proved_at',
      'person.email',
      'person.language',
    ])
    .where((where) =>
      where.or([
        where('session.token_hash', '=', hash),
        where('session.next_token_hash', '=', hash),
        where.and([
          where('session.previous_token_hash', '=', hash),
          where('session.previous_token_until', '>', now),
        ]),
      ]),
    )
    .where('session.expires_at', '>', now)
    .where('session.last_used_at', '>', new Date(now.getTime() - limitsMs.idle))
    .executeTakeFirst();
}

/** A session that has ended: it opens nothing. */
interface EndedSession {
  readonly id: string;
  readonly personId: string;
}

/** The sessions that have ended lately, of a person, or the one behind a cookie. */
export async function findEndedSessions(
  all: Database<ConsoleTables>,
  of: { readonly personId: string } | { readonly token: string },
  now: Date,
): Promise<EndedSession[]> {
  const rows = await all
    .selectFrom('session')
    .select(['id', 'person_id'])
    .where((where) =>
      'personId' in of
        ? where('person_id', '=', of.personId)
        : where.or([
            where('token_hash', '=', hashToken(of.token)),
            where('next_token_hash', '=', hashToken(of.token)),
            where('previous_token_hash', '=', hashToken(of.token)),
          ]),
    )
    .where((where) =>
      where.or([
        where('expires_at', '<=', now),
        where('last_used_at', '<=', new Date(now.getTime() - limitsMs.idle)),
      ]),
    )
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .limit(20)
    .execute();
  return rows.map(({ id, person_id }) => ({ id, personId: person_id }));
}

/** The session behind a cookie, with the businesses of its person; null where there is none, or it has ended. */
export async function findSession(
  all: Database<ConsoleTables>,
  token: string,
  now: Date,
): Promise<FoundSession | null> {
  const hash = hashToken(token);
  const row = await findRow(all, hash, now);
  if (!row) {
    return null;
  }
  const memberships = await all
    .selectFrom('membership')
    .select(['business_id', 'role', 'joined_at'])
    .where('person_id', '=', row.person_id)
    .orderBy('business_id')
    .execute();
  if (now.getTime() - row.last_used_at.getTime() > limitsMs.touch) {
    await all.updateTable('session').set({ last_used_at: now }).where('id', '=', row.id).execute();
  }
  return {
    session: {
      id: row.id,
      personId: row.person_id,
      email: row.email,
      language: row.language,
      createdAt: row.created_at,
      provedAt: row.proved_at,
    },
    memberships: memberships.map(({ business_id, role, joined_at }) => ({
      ...{ businessId: business_id, role },
      hasJoined: joined_at !== null,
    })),
    newToken: await rotate(all, row, hash, now),
  };
}

type TokenColumns = Pick<
  SessionTable,
  'id' | 'token_hash' | 'next_token_hash' | 'next_token_at' | 'token_since'
>;

/**
 * Changes the value of the cookie from time to time. The current value ends when the next one was seen, so that a response that is
 * lost signs no one out; of several requests at once, one gets the next value. @returns the next value.
 */
async function rotate(
  all: Database<ConsoleTables>,
  row: TokenColumns,
  seen: Buffer,
  now: Date,
): Promise<string | null> {
  if (row.next_token_hash?.equals(seen)) {
    await all
      .updateTable('session')
      .set((set) => ({
        token_hash: seen,
        token_since: now,
        next_token_hash: null,
        next_token_at: null,
        previous_token_hash: set.ref('token_hash'),
        previous_token_until: new Date(now.getTime() + limitsMs.grace),
      }))
      .where('id', '=', row.id)
      .where('next_token_hash', '=', seen)
      .execute();
    return null;
  }
  const isDue =
    row.token_hash.equals(seen) &&
    now.getTime() - row.token_since.getTime() > limitsMs.rotate &&
    (row.next_token_at === null || now.getTime() - row.next_token_at.getTime() > limitsMs.repeat);
  if (!isDue) {
    return null;
  }
  const token = newToken();
  const { numUpdatedRows } = await all
    .updateTable('session')
    .set({ next_token_hash: hashToken(token), next_token_at: now })
    .where('id', '=', row.id)
    .where('token_hash', '=', seen)
    .where('next_token_at', 'is not distinct from', row.next_token_at)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? token : null;
}

/** Records a fresh proof, and replaces the value of the cookie at once. @returns the new value; null: the session has ended. */
export async function proveSession(
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  sessionId: string,
  now: Date,
): Promise<string | null> {
  const token = newToken();
  const { numUpdatedRows } = await db
    .updateTable('session')
    .set({
      proved_at: now,
      last_used_at: now,
      token_hash: hashToken(token),
      token_since: now,
      next_token_hash: null,
      next_token_at: null,
      previous_token_hash: null,
      previous_token_until: null,
    })
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? token : null;
}

/** What a person sees of their sessions. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly userAgent: string;
  readonly network: string;
}

/** The sessions of a person that have not ended, the one used last first. */
export async function listSessions(
  all: Database<ConsoleTables>,
  personId: string,
  now: Date,
): Promise<ListedSession[]> {
  const rows = await all
    .selectFrom('session')
    .select(['id', 'created_at', 'last_used_at', 'user_agent', 'network'])
    .where('person_id', '=', personId)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', new Date(now.getTime() - limitsMs.idle))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .limit(100)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    userAgent: row.user_agent,
    network: row.network,
  }));
}

/** Ends a session as time does: forms that are open can be attributed to its person for a while. No page shows what a form has done. */
export async function closeSession(db: Database<ConsoleTables>, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('session')
    .set({ expires_at: now })
    .where('id', '=', sessionId)
    .where('expires_at', '>', now)
    .execute();
  await db.deleteFrom('form_outcome').where('session_id', '=', sessionId).execute();
}

/** Ends a session, and nothing is known of it later. @param personId only one of this person. */
export async function endSession(
  db: Database<ConsoleTables> | Transaction<ConsoleTables>,
  personId: string,
  sessionId: string,
): Promise<void> {
  await db.deleteFrom('session').where('id', '=', sessionId).where('person_id', '=', personId).execute();
}

/** Ends every session of a person but one. */
export async function endOtherSessions(
  db: Database<ConsoleTables>,
  personId: string,
  keptId: string,
): Promise<void> {
  await db.deleteFrom('session').where('person_id', '=', personId).where('id', '!=', keptId).execute();
}

/** Deletes the sessions that have ended so long ago that none of their forms is open. */
export async function deleteEndedSessions(all: Database<ConsoleTables>, now: Date): Promise<void> {
  const before = now.getTime() - limitsMs.remember;
  await all
    .deleteFrom('session')
    .where((where) =>
      where.or([
        where('expires_at', '<=', new Date(before)),
        where('last_used_at', '<=', new Date(before - limitsMs.idle)),
      ]),
    )
    .execute();
}
