import type { ArtifactCursor } from '@pinkas/contracts';
import type { Database } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { RenderingTables } from '../db/artifact.tables.js';
import { type DocumentKey, fileColumns, type StoredFile } from './artifact.repository.js';

type Db = Database<RenderingTables>;

/** Files whose rows were gone before an instant, the oldest first. */
export async function removedBefore(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('removed_object')
    .select('object_key')
    .where('removed_at', '<', before)
    .orderBy('removed_at')
    .limit(limit)
    .execute();
  return rows.map(({ object_key }) => object_key);
}

/** Forgets a file that is deleted. */
export async function forgetRemoved(db: Db, objectKey: string): Promise<void> {
  await db.deleteFrom('removed_object').where('object_key', '=', objectKey).execute();
}

/** A file of a document in the object store. */
interface DocumentObject extends DocumentKey {
  readonly key: string;
}

const keyForm = /^\d{4}-\d\d-\d\d\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/[0-9a-f]{64}-[0-9a-f]{12}\.pdf$/;

/** The document in the key of a file; null: a file of another form is not of here. */
export function documentObject(key: string): DocumentObject | null {
  const [, business_id, document_id] = keyForm.exec(key) ?? [];
  return business_id && document_id ? { key, business_id, document_id } : null;
}

/** Which of these files have neither a row nor an entry about it, by the document in their keys. */
export async function withoutRow(db: Db, objects: readonly DocumentObject[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) as object (key text, business_id uuid, document_id uuid)
    where not exists (
        select from artifact
        where artifact.business_id = object.business_id and artifact.document_id = object.document_id
          and artifact.object_key = object.key)
      and not exists (select from removed_object where removed_object.object_key = object.key)`.execute(db);
  return rows.map(({ key }) => key);
}

/** Records that files were listed for a person; the first time counts. */
export async function recordListed(db: Db, keys: readonly string[], now: Date): Promise<void> {
  if (keys.length > 0) {
    await db
      .insertInto('listed_object')
      .values(keys.map((object_key) => ({ object_key, listed_at: now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Files without a row that were listed before an instant, the oldest first. */
export async function listedBefore(db: Db, before: Date, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('listed_object')
    .select('object_key')
    .where('listed_at', '<', before)
    .orderBy('listed_at')
    .limit(limit)
    .execute();
  return rows.map(({ object_key }) => object_key);
}

/** Forgets files that are deleted, or have a row. */
export async function forgetListed(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) {
    await db.deleteFrom('listed_object').where('object_key', 'in', keys).execute();
  }
}

/** A revision, and whether its file is in its row. */
interface PlacedRevision extends ArtifactCursor {
  readonly is_in_row: boolean;
}

/** The next revisions of all books behind one, in the order of their keys. */
export async function revisionsAfter(
  db: Db,
  after: ArtifactCursor | null,
  limit: number,
): Promise<PlacedRevision[]> {
  return db
    .selectFrom('artifact')
    .select(['business_id', 'document_id', 'revision', sql<boolean>`object_key is null`.as('is_in_row')])
    .$if(after !== null, (query) =>
      query.where(
        sql<boolean>`(business_id, document_id, revision) > (${after?.business_id}::uuid, ${after?.document_id}::uuid, ${after?.revision}::integer)`,
      ),
    )
    .orderBy('business_id')
    .orderBy('document_id')
    .orderBy('revision')
    .limit(limit)
    .execute();
}

/** The file of a revision; undefined where it is gone. */
export async function fileAt(db: Db, at: ArtifactCursor): Promise<StoredFile | undefined> {
  return db
    .selectFrom('artifact')
    .select(['document_id', ...fileColumns])
    .where('business_id', '=', at.business_id)
    .where('document_id', '=', at.document_id)
    .where('revision', '=', at.revision)
    .executeTakeFirst();
}

/** Gives a file its other place. @returns false where its row is gone, or another process has moved it. */
export async function setPlace(
  db: Db,
  at: ArtifactCursor,
  place: { pdf: Buffer; object_key: null } | { pdf: null; object_key: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('artifact')
    .set(place)
    .where('business_id', '=', at.business_id)
    .where('document_id', '=', at.document_id)
    .where('revision', '=', at.revision)
    .where('object_key', place.object_key === null ? 'is not' : 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
