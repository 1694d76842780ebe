import type { Database, Transaction } from '@pinkas/service-kit';
import type { Selectable } from 'kysely';
import type { ConsoleTables } from '../db/console.tables.js';
import type { CeremonyKind, CeremonyTable, SignInLinkTable } from '../db/sign-in.tables.js';
import { hashToken, newToken } from '../session/session.repository.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;

/** A link is valid for so long, and a proof that has begun. */
export const linkMs = 15 * 60 * 1000;
const ceremonyMs = 10 * 60 * 1000;

/** Makes a link. @returns its token, which is stored nowhere. */
export async function insertLink(
  db: Connection,
  link: Omit<SignInLinkTable, 'token_hash' | 'expires_at' | 'used_at'>,
  now: Date,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + linkMs);
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
    .select(['person_id', 'email', 'browser_hash', 'next_path'])
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row
    ? { personId: row.person_id, email: row.email, browserHash: row.browser_hash, nextPath: row.next_path }
    : null;
}

/** Uses a link up, with the others of its mail. @returns null where it cannot be used. */
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
    .returning(['person_id', 'next_path', 'notice_id'])
    .executeTakeFirst();
  if (!row) {
    return null;
  }
  if (row.notice_id !== null) {
    await trx
      .updateTable('sign_in_link')
      .set({ used_at: now })
      .where('notice_id', '=', row.notice_id)
      .where('used_at', 'is', null)
      .execute();
  }
  return { personId: row.person_id, nextPath: row.next_path };
}

/** What a proof that begins stores besides its challenge. */
export type NewCeremony = Omit<CeremonyTable, 'challenge_hash' | 'expires_at'>;

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
  await all.deleteFrom('sign_in_link').where('expires_at', '<=', now).execute();
  await all.deleteFrom('ceremony').where('expires_at', '<=', now).execute();
  await all.deleteFrom('attempt_count').where('ends_at', '<=', now).execute();
}
