import { randomUUID } from 'node:crypto';
import type { Member, MemberRole } from '@pinkas/contracts';
import { advisoryLock, type Database, type Transaction } from '@pinkas/service-kit';
import type { ConsoleTables } from '../../db/console.tables.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;

const memberColumns = [
  'membership.person_id',
  'membership.business_id',
  'email',
  'role',
  'invited_at',
  'undelivered_at',
  'joined_at',
] as const;

const toMember = (
  row: Omit<Member, 'invited_at' | 'undelivered_at' | 'joined_at'> & {
    invited_at: Date;
    undelivered_at: Date | null;
    joined_at: Date | null;
  },
): Member => ({
  ...row,
  invited_at: row.invited_at.toISOString(),
  undelivered_at: row.undelivered_at?.toISOString() ?? null,
  joined_at: row.joined_at?.toISOString() ?? null,
});

/** The members of a business, in the order of their addresses. */
export async function listMembers(db: Connection, businessId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('membership')
    .innerJoin('person', 'person.id', 'membership.person_id')
    .select(memberColumns)
    .where('membership.business_id', '=', businessId)
    .orderBy('email')
    .execute();
  return rows.map(toMember);
}

/** One member of a business; null where the person is none. */
export async function findMember(
  db: Connection,
  businessId: string,
  by: { readonly email: string } | { readonly personId: string },
): Promise<Member | null> {
  const row = await db
    .selectFrom('membership')
    .innerJoin('person', 'person.id', 'membership.person_id')
    .select(memberColumns)
    .where('membership.business_id', '=', businessId)
    .$if('email' in by, (query) => query.where('email', '=', 'email' in by ? by.email : ''))
    .$if('personId' in by, (query) =>
      query.where('membership.person_id', '=', 'personId' in by ? by.personId : ''),
    )
    .executeTakeFirst();
  return row ? toMember(row) : null;
}

/** Waits for other changes of the members of a business. Held until the transaction ends. */
export async function lockMembers(trx: Transaction<ConsoleTables>, businessId: string): Promise<void> {
  await advisoryLock(trx, 'members', businessId);
}

/** The person with an address; a new one where there is none. @returns the id. */
export async function ensurePerson(
  trx: Transaction<ConsoleTables>,
  email: string,
  now: Date,
): Promise<string> {
  await trx
    .insertInto('person')
    .values({ id: randomUUID(), email, language: null, created_at: now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute();
  const { id } = await trx
    .selectFrom('person')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  return id;
}

export async function insertMember(
  trx: Transaction<ConsoleTables>,
  member: { businessId: string; personId: string; role: MemberRole; invitedBy: string | null },
  now: Date,
): Promise<void> {
  await trx
    .insertInto('membership')
    .values({
      business_id: member.businessId,
      person_id: member.personId,
      role: member.role,
      invited_by: member.invitedBy,
      invited_at: now,
      undelivered_at: null,
    })
    .execute();
}

export async function updateRole(
  trx: Transaction<ConsoleTables>,
  { business_id, person_id }: Member,
  role: MemberRole,
): Promise<void> {
  await trx
    .updateTable('membership')
    .set({ role })
    .where('business_id', '=', business_id)
    .where('person_id', '=', person_id)
    .execute();
}

/** Ends a membership, with the links of invitations to it. */
export async function deleteMember(
  trx: Transaction<ConsoleTables>,
  { business_id, person_id }: Member,
  now: Date,
): Promise<void> {
  await trx
    .deleteFrom('membership')
    .where('business_id', '=', business_id)
    .where('person_id', '=', person_id)
    .execute();
  await trx
    .updateTable('sign_in_link')
    .set({ expires_at: now })
    .where('business_id', '=', business_id)
    .where('person_id', '=', person_id)
    .where('expires_at', '>', now)
    .execute();
}

/** Whether a business has another owner. */
export async function hasOtherOwner(
  db: Connection,
  member: Pick<Member, 'business_id' | 'person_id'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('membership')
    .select('person_id')
    .where('business_id', '=', member.business_id)
    .where('role', '=', 'owner')
    .where('person_id', '!=', member.person_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Records that the invitation of a member did not arrive. @param at null: it is sent again. */
export async function setUndelivered(
  db: Connection,
  key: { readonly business_id: string; readonly person_id: string },
  at: Date | null,
): Promise<void> {
  await db
    .updateTable('membership')
    .set({ undelivered_at: at })
    .where('business_id', '=', key.business_id)
    .where('person_id', '=', key.person_id)
    .execute();
}
