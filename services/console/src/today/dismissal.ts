import { createHash } from 'node:crypto';
import { actorOf, appendTrail, type Database, forTenant } from '@pinkas/service-kit';
import { button, hidden, html, type Markup, postForm } from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import type { MemberVisit } from '../http/visit.js';
import { isAtLeast } from '../session/roles.js';
import { todayWords as texts } from './today-words.js';

/** How a row of *Needs attention* is dismissed, where a person may judge that nothing is to be done. */
export interface Dismissal {
  readonly key: string;
  /** What the row is about, for the name of its button; and what several of the same cause are. */
  readonly name: string;
  readonly nameOfMany: string;
  /** What the trail has of it. */
  readonly entry: {
    readonly action: 'message.dismiss' | 'suppression.dismiss' | 'accountant.dismiss' | 'note.dismiss';
    readonly subject: string;
    readonly after: Readonly<Record<string, string | number | null>>;
  };
}

/** The key of a row: another failure of the same kind, other documents, or another sum, have another one. */
export const rowKey = (...facts: readonly (string | number | null)[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('base64url');

/** The button that dismisses a row, or all rows of one cause; null for those who may not. */
export function dismissAction(visit: MemberVisit, rows: readonly Dismissal[]): Markup | null {
  const { csrfToken, t, link, role } = visit;
  const [first] = rows;
  if (!first || !isAtLeast(role, 'issuer')) {
    return null;
  }
  const [text, name] =
    rows.length === 1 ? [t(texts.dismiss), first.name] : [t(texts.dismissAll), first.nameOfMany];
  const keys = rows.map(
    ({ key }) => html`${hidden('row', key)}
`,
  );
  const send = button({ text, kind: 'quiet', label: `${text}: ${name}` });
  return postForm(link('/attention/dismiss'), csrfToken, html`${keys}${send}`);
}

/** Which of some rows have been dismissed. */
export async function dismissedRows(
  db: Database<ConsoleTables>,
  bookId: string,
  rows: readonly Dismissal[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) {
    return new Set();
  }
  const found = await forTenant(db, bookId)
    .selectFrom('dismissed_row')
    .select('row_hash')
    .where('business_id', '=', bookId)
    .where(
      'row_hash',
      'in',
      rows.map(({ key }) => key),
    )
    .execute();
  return new Set(found.map(({ row_hash }) => row_hash));
}

/** Dismisses rows, each with an entry in the trail; one that was dismissed before stays as it is. */
export async function dismissRows(
  db: Database<ConsoleTables>,
  { bookId, session: { personId } }: MemberVisit,
  rows: readonly Dismissal[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) {
    return;
  }
  const row = { business_id: bookId, dismissed_by: personId, dismissed_at: now };
  await forTenant(db, bookId)
    .transaction()
    .execute(async (trx) => {
      const inserted = await trx
        .insertInto('dismissed_row')
        .values(rows.map(({ key }) => ({ ...row, row_hash: key })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('row_hash')
        .execute();
      const added = new Set(inserted.map(({ row_hash }) => row_hash));
      for (const { key, entry } of rows) {
        if (added.has(key)) {
          await appendTrail(trx, {
            ...entry,
            business_id: bookId,
            actor: actorOf(personId),
            before: null,
          });
        }
      }
    });
}
