import type { Database, Transaction } from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';

type Connection = Database<ConsoleTables> | Transaction<ConsoleTables>;

/** A draft is kept for so long after it was saved. */
export const draftMs = 30 * 24 * 60 * 60 * 1000;
/** What a person has typed last of one business is kept; what is older makes place. */
export const draftsMax = 20;
/** So that a page of before the issue leads to the document for a while. */
const issuedMs = 24 * 60 * 60 * 1000;

/** Whose drafts. */
export interface DraftOwner {
  readonly businessId: string;
  readonly personId: string;
}

/** What a person has typed into a form and not finished. */
export interface Draft {
  readonly id: string;
  /** Where its form is sent. */
  readonly path: string;
  readonly form: URLSearchParams;
  /** The document that was issued from it, which has emptied it; null: none was. */
  readonly documentId: string | null;
  readonly savedAt: Date;
}

/** Saves a form. @returns false where a document was issued from it: it stays as it is. */
export async function saveDraft(
  db: Connection,
  { businessId, personId }: DraftOwner,
  draft: Pick<Draft, 'id' | 'path' | 'form'> & { readonly keptMs?: number },
  now: Date,
): Promise<boolean> {
  const { id, path, form, keptMs = draftMs } = draft;
  const row = {
    path,
    fields: JSON.stringify([...form]),
    saved_at: now,
    expires_at: new Date(now.getTime() + keptMs),
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('draft')
    .values({ business_id: businessId, person_id: personId, id, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['business_id', 'person_id', 'id'])
        .doUpdateSet(row)
        .where('draft.document_id', 'is', null),
    )
    .executeTakeFirstOrThrow();
  await db
    .deleteFrom('draft')
    .where('business_id', '=', businessId)
    .where('person_id', '=', personId)
    .where('document_id', 'is', null)
    .where('id', 'not in', (kept) =>
      kept
        .selectFrom('draft')
        .select('id')
        .where('business_id', '=', businessId)
        .where('person_id', '=', personId)
        .where('document_id', 'is', null)
        .orderBy('saved_at', 'desc')
        .orderBy('id')
        .limit(draftsMax),
    )
    .execute();
  return numInsertedOrUpdatedRows === 1n;
}

function drafts(db: Connection, { businessId, personId }: DraftOwner, now: Date) {
  return db
    .selectFrom('draft')
    .select(['id', 'path', 'fields', 'document_id', 'saved_at'])
    .where('business_id', '=', businessId)
    .where('person_id', '=', personId)
    .where('expires_at', '>', now);
}

type Row = Awaited<ReturnType<ReturnType<typeof drafts>['executeTakeFirstOrThrow']>>;

const draftOf = ({ id, path, fields, document_id, saved_at }: Row): Draft => ({
  ...{ id, path, form: new URLSearchParams(fields) },
  ...{ documentId: document_id, savedAt: saved_at },
});

export async function findDraft(
  db: Connection,
  owner: DraftOwner,
  id: string,
  now: Date,
): Promise<Draft | null> {
  const row = await drafts(db, owner, now).where('id', '=', id).executeTakeFirst();
  return row ? draftOf(row) : null;
}

/** The drafts of one form, the one saved last first. */
export async function listDrafts(
  db: Connection,
  owner: DraftOwner,
  path: string,
  now: Date,
): Promise<Draft[]> {
  const rows = await drafts(db, owner, now)
    .where('path', '=', path)
    .where('document_id', 'is', null)
    .orderBy('saved_at', 'desc')
    .orderBy('id')
    .limit(draftsMax)
    .execute();
  return rows.map(draftOf);
}

/** Empties a draft from which a document was issued; where it was dropped before, it is remembered as well. */
export async function endDraft(
  db: Connection,
  { businessId, personId }: DraftOwner,
  draft: { readonly id: string; readonly path: string; readonly documentId: string },
  now: Date,
): Promise<void> {
  const { id, path, documentId } = draft;
  const row = {
    fields: '[]',
    document_id: documentId,
    saved_at: now,
    expires_at: new Date(now.getTime() + issuedMs),
  };
  await db
    .insertInto('draft')
    .values({ business_id: businessId, person_id: personId, id, path, ...row })
    .onConflict((conflict) => conflict.columns(['business_id', 'person_id', 'id']).doUpdateSet(row))
    .execute();
}

export async function deleteDraft(
  db: Connection,
  { businessId, personId }: DraftOwner,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('draft')
    .where('business_id', '=', businessId)
    .where('person_id', '=', personId)
    .where('id', '=', id)
    .where('document_id', 'is', null)
    .execute();
}

/** Deletes what a person has typed for a business that they leave. */
export async function deleteDraftsOf(db: Connection, { businessId, personId }: DraftOwner): Promise<void> {
  await db
    .deleteFrom('draft')
    .where('business_id', '=', businessId)
    .where('person_id', '=', personId)
    .execute();
}

export async function deleteExpiredDrafts(all: Connection, now: Date): Promise<void> {
  await all.deleteFrom('draft').where('expires_at', '<=', now).execute();
}
