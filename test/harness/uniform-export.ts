import { eventually } from '@pinkas/testkit';
import type { ConsoleVisitor } from './console-visitor.js';

/** Has the uniform structure of a business made on the page *Files*. @returns the id of the export. */
export async function makeUniformExport(owner: ConsoleVisitor, businessId: string): Promise<string> {
  await owner.visit(`/b/${businessId}/exports`);
  const db = await owner.stack.database<{
    export_job: { id: string; business_id: string; format: string; state: string; requested_at: Date };
  }>('console');
  await owner.press('form[action$="/exports"]');
  return eventually('the uniform structure is made', async () => {
    const latest = await db
      .selectFrom('export_job')
      .select(['id', 'state'])
      .where('business_id', '=', businessId)
      .where('format', '=', 'uniform')
      .orderBy('requested_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return latest?.state === 'done' && latest.id;
  });
}

/** Transmits an export to the tax authority, and waits for its decision. */
export async function transmitExport(
  owner: ConsoleVisitor,
  businessId: string,
  exportId: string,
): Promise<void> {
  await owner.visit(`/b/${businessId}/exports/${exportId}/transmission`);
  await owner.press('form[action$="/transmission"]');
  const db = await owner.stack.database<{ transmission: { export_id: string; state: string } }>('console');
  await eventually('the authority has approved the files', async () => {
    const { state } = await db
      .selectFrom('transmission')
      .select('state')
      .where('export_id', '=', exportId)
      .executeTakeFirstOrThrow();
    return state === 'approved';
  });
}
