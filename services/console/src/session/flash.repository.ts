import type { Database } from '@pinkas/service-kit';
import type { ConsoleTables } from '../db/console.tables.js';

/** A page that is opened later was not led to by the form. */
const keptMs = 60 * 1000;
/** More than the tabs in which a person sends forms within that time. */
const keptMax = 20;

/** Keeps what a form has done, for the page at a path in the same session; the oldest of many is dropped. */
export async function keepFlash(
  all: Database<ConsoleTables>,
  sessionId: string,
  path: string,
  outcome: string,
  now: Date,
): Promise<void> {
  const row = { outcome, created_at: now };
  await all
    .insertInto('form_outcome')
    .values({ session_id: sessionId, path, ...row })
    .onConflict((conflict) => conflict.columns(['session_id', 'path']).doUpdateSet(row))
    .execute();
  await all
    .deleteFrom('form_outcome')
    .where('session_id', '=', sessionId)
    .where('path', 'not in', (kept) =>
      kept
        .selectFrom('form_outcome')
        .select('path')
        .where('session_id', '=', sessionId)
        .orderBy('created_at', 'desc')
        .limit(keptMax),
    )
    .execute();
}

/** What a form has done that led a session to a path. It is returned once. */
export async function takeFlash(
  all: Database<ConsoleTables>,
  sessionId: string,
  path: string,
  now: Date,
): Promise<string | null> {
  const row = await all
    .deleteFrom('form_outcome')
    .where('session_id', '=', sessionId)
    .where('path', '=', path)
    .returning(['outcome', 'created_at'])
    .executeTakeFirst();
  return row && now.getTime() - row.created_at.getTime() <= keptMs ? row.outcome : null;
}
