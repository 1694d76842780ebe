import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { CeremonyKind, CeremonyTable, SignInLinkTable } from '../../db/sign-in.tables.js';
import { hashToken, newToken } from '../../session/session.repository.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;

const dayMs = 24 * 60 * 60 * 1000;
/** A link to sign in is valid for so long, that of an invitation, and a proof that has begun. */
export const linkMs = 15 * 60 * 1000;
const invitationMs = 3 * dayMs;
const ceremonyMs = 10 * 60 * 1000;
/** Who opens the link of an invitation so long after its end reads what to do. */
const endedInvitationMs = 30 * dayMs;

/** Makes a link. @returns its token, which is stored nowhere. */
export async function insertLink(
  db: Connection,
  link: Omit<SignInLinkTable, 'token_hash' | 'expires_at' | 'used_at'>,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + (link.business_id === null ? linkMs : invitationMs));
  await db
    .insertInto('sign_in_link')
    .values({ ...link, token_hash: hashToken(token), expires_at: expiresAt, used_at: null })
    .execute();
  return { token, expiresAt };
}

/** A link that can be used. */
export interface SignInLink {
  readonly personId: string;
  readonly email: string;
  readonly browserHash: Buffer | null;
  readonly nextPath: string;
  readonly isInvitation: boolean;
}

/** The link with a token, with its person; null where it is used, has expired, or never was. It stays as it is. */
export async function findLink(
  all: Database<ConsoleTables>,
  token: string,
  now: Date,
): Promise<SignInLink | null> {
  const row = await all
    .selectFrom('sign_in_link')
    .innerJoin('person', 'person.id', 'sign_in_link.person_id')
    .select(['person_id', 'email', 'browser_hash', 'next_path', 'business_id'])
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row
    ? {
        personId: row.person_id,
        email: row.email,
        browserHash: row.browser_hash,
        nextPath: row.next_path,
        isInvitation: row.business_id !== null,
      }
    : null;
}

/** An invitation whose link cannot be used any more. */
export interface EndedInvitation {
  readonly isUsed: boolean;
  /** Whether its person may still use the business. */
  readonly isMember: boolean;
  /** Who has invited; null: the operator, or the invitation was withdrawn. */
  readonly inviter: string | null;
}

/** The invitation with a token; null where the token is of none, or of one that ended long ago. */
export async function findEndedInvitation(
  all: Database<ConsoleTables>,
  token: string,
): Promise<EndedInvitation | null> {
  const row = await all
    .selectFrom('sign_in_link')
    .leftJoin('membership', (join) =>
      join
        .onRef('membership.business_id', '=', 'sign_in_link.business_id')
        .onRef('membership.person_id', '=', 'sign_in_link.person_id'),
    )
    .leftJoin('person as inviter', 'inviter.id', 'membership.invited_by')
    .select(['used_at', 'membership.person_id', 'inviter.email'])
    .where('token_hash', '=', hashToken(token))
    .where('sign_in_link.business_id', 'is not', null)
    .executeTakeFirst();
  return row ? { isUsed: row.used_at !== null, isMember: row.person_id !== null, inviter: row.email } : null;
}

/** Uses a link up, with the others of its mail, or to the same business. @returns null where it cannot be used. */
export async function useLink(
  trx: Transaction<ConsoleTables>,
  token: string,
  now: Date,
): Promise<{ personId: string; nextPath: string } | null> {
  const row = await trx
    .updateTable('sign_in_link')
    .set({ used_at: now })
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['person_id', 'next_path', 'notice_id', 'business_id'])
    .executeTakeFirst();
  if (!row) {
    return null;
  }
  const { notice_id, business_id, person_id } = row;
  if (notice_id !== null || business_id !== null) {
    await trx
      .updateTable('sign_in_link')
      .set({ used_at: now })
      .where((where) =>
        where.or([
          ...(notice_id === null ? [] : [where('notice_id', '=', notice_id)]),
          ...(business_id === null ? [] : [where.and({ business_id, person_id })]),
        ]),
      )
      .where('used_at', 'is', null)
      .execute();
  }
  return { personId: row.person_id, nextPath: row.next_path };
}

/** What a proof that begins stores besides its challenge. */
type NewCeremony = Omit<CeremonyTable, 'challenge_hash' | 'expires_at'>;

export async function insertCeremony(
  all: Database<ConsoleTables>,
  challenge: string,
  ceremony: NewCeremony,
  now: Date,
): Promise<void> {
  await all
    .insertInto('ceremony')
    .values({
      ...ceremony,
      challenge_hash: hashToken(challenge),
      expires_at: new Date(now.getTime() + ceremonyMs),
    })
    .execute();
}

/** Ends a proof of this browser: a challenge is good once. @returns null where it has expired, or another browser began it. */
export async function takeCeremony(
  all: Database<ConsoleTables>,
  challenge: string,
  kind: CeremonyKind,
  browserHash: Buffer,
  now: Date,
): Promise<Selectable<CeremonyTable> | null> {
  const row = await all
    .deleteFrom('ceremony')
    .where('challenge_hash', '=', hashToken(challenge))
    .where('kind', '=', kind)
    .where('browser_hash', '=', browserHash)
    .returningAll()
    .executeTakeFirst();
  return row && row.expires_at > now ? row : null;
}

/** Deletes what has expired. */
export async function deleteExpired(all: Database<ConsoleTables>, now: Date): Promise<void> {
  const ended = all.deleteFrom('sign_in_link').where('expires_at', '<=', now);
  await ended.where('business_id', 'is', null).execute();
  await ended.where('expires_at', '<=', new Date(now.getTime() - endedInvitationMs)).execute();
  await all.deleteFrom('ceremony').where('expires_at', '<=', now).execute();
  await all.deleteFrom('attempt_count').where('ends_at', '<=', now).execute();
}
