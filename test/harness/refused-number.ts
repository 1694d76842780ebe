import type { CreatedDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import type { RunningStack } from './running-stack.js';

/** Issues a document while the authority refuses numbers: on a busy machine it refuses later than the response. */
export async function issueRefused(
  stack: RunningStack,
  issue: () => Promise<CreatedDocument>,
): Promise<CreatedDocument> {
  await stack.setMode('tax_authority', { mode: 'refuse' });
  try {
    const document = await issue();
    const db = await stack.database<{ allocation: { document_id: string; state: string } }>('allocation');
    await eventually('the number is refused', async () => {
      const query = db.selectFrom('allocation').select('state').where('document_id', '=', document.id);
      return (await query.executeTakeFirst())?.state === 'refused';
    });
    return document;
  } finally {
    await stack.setMode('tax_authority', { mode: 'ok', reset: true });
  }
}

/** Objects to the refusal of a number as its owner does, and wins the hearing: the next request is granted. */
export async function winHearing(stack: RunningStack, documentId: string): Promise<void> {
  await eventually('the authority has the objection', async () => {
    const { last } = await stack.pinkas<{ last: { state: string } | null }>(
      ...['allocation', 'decide', documentId, 'object'],
    );
    return last?.state === 'taken';
  });
  const { tax_authority: authority } = (await stack.file()).simulators;
  const response = await fetch(`${authority}/_authority`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ won: documentId }),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) {
    throw new Error(`the hearing was not won: ${await response.text()}`);
  }
}
