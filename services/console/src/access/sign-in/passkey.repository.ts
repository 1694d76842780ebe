import { randomUUID } from 'node:crypto';
import type { Database } from '@pinkas/service-kit';
import type { Insertable, Selectable } from 'kysely';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { PasskeyTable } from '../../db/sign-in.tables.js';

/** More than any person has devices. */
export const passkeysMax = 20;

export type PasskeyRow = Selectable<PasskeyTable>;

/** The passkeys of a person, the oldest first. */
export async function listPasskeys(all: Database<ConsoleTables>, personId: string): Promise<PasskeyRow[]> {
  return all
    .selectFrom('passkey')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function findPasskey(
  all: Database<ConsoleTables>,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  return all.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

export async function insertPasskey(
  all: Database<ConsoleTables>,
  passkey: Omit<Insertable<PasskeyTable>, 'id' | 'last_used_at'>,
): Promise<void> {
  await all
    .insertInto('passkey')
    .values({ ...passkey, id: randomUUID(), last_used_at: null })
    .execute();
}

/** Stores the counter of a use. @returns false where another use came first: the authenticator may have been copied. */
export async function recordUse(
  all: Database<ConsoleTables>,
  passkey: PasskeyRow,
  counter: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await all
    .updateTable('passkey')
    .set({ counter, last_used_at: now })
    .where('id', '=', passkey.id)
    .where('counter', '=', passkey.counter)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function renamePasskey(
  all: Database<ConsoleTables>,
  personId: string,
  id: string,
  name: string,
): Promise<boolean> {
  const { numUpdatedRows } = await all
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deletePasskey(
  all: Database<ConsoleTables>,
  personId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await all
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
