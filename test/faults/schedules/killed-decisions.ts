import { format } from 'node:util';
import { expect } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import type { Engine } from '../engine/engine.js';
import type { Fault } from '../engine/faults.js';
import type { KillPointName } from '../engine/kill-points.js';
import { commitInvoice, expireClaims, killAt, large, laterWithinMs } from './kills.js';
import type { Schedule } from './schedule.js';

const refuse: Fault = { kind: 'simulator', target: 'tax-authority', value: '{"mode":"refuse"}' };

interface Tables {
  allocation: { document_id: string; state: string };
  decision: { document_id: string; n: number; decision: string; state: string; attempts: number };
}

/** An invoice whose number the authority has refused. */
async function refusedInvoice(engine: Engine): Promise<string> {
  const db = await engine.system.stack.database<Tables>('allocation');
  let id = '';
  await engine.during([refuse], async () => {
    id = (await commitInvoice(engine, large)).id;
    await eventually('the number is refused', async () => {
      const query = db.selectFrom('allocation').select('state').where('document_id', '=', id);
      return (await query.executeTakeFirst())?.state === 'refused';
    });
  });
  return id;
}

/** The status of each answer to a decision about an invoice. */
async function decisionAnswers({ system }: Engine, id: string): Promise<unknown[]> {
  const { calls } = await system.stack.calls<{
    calls: { path: string; body: { invoice_id?: string } | null; status: number | null }[];
  }>('tax_authority');
  return calls
    .filter(({ path, body }) => path.includes('/InvoiceDecisionApi/') && body?.invoice_id === id)
    .map(({ status }) => status);
}

/** Allocation dies at an instant after a decision was stored: it is sent until the authority has it, and counts once. */
const decisionKilled = (
  what: string,
  { decision, at, answers }: { decision: string; at: KillPointName; answers: readonly (number | null)[] },
): Schedule => ({
  name: format('allocation killed %s has one decision that the authority has taken', what),
  async happen(engine) {
    const { stack } = engine.system;
    const id = await refusedInvoice(engine);
    await engine.during([killAt(at)], () =>
      expect(stack.pinkas('allocation', 'decide', id, decision)).rejects.toThrow(),
    );
    await expireClaims(engine);
    const db = await stack.database<Tables>('allocation');
    const decisions = () =>
      db
        .selectFrom('decision')
        .select(['n', 'decision', 'state', 'attempts'])
        .where('document_id', '=', id)
        .execute();
    await eventually('it is taken', async () => (await decisions())[0]?.state === 'taken', laterWithinMs);
    expect(await decisions()).toEqual([{ n: 1, decision, state: 'taken', attempts: 2 }]);
    expect(await decisionAnswers(engine, id)).toEqual(answers);
    // A person who had no answer decides once more: it is the same decision.
    await stack.pinkas('allocation', 'decide', id, decision);
    expect(await decisions()).toHaveLength(1);
    expect(await decisionAnswers(engine, id)).toEqual(answers);
  },
});

const before = 'F7 allocation, before a decision is sent';

export const decisionsKilled: readonly Schedule[] = [
  decisionKilled('before it sends the decision to continue', {
    decision: 'continue',
    at: before,
    answers: [200],
  }),
  decisionKilled('before it sends the decision to cancel', {
    decision: 'cancel',
    at: before,
    answers: [200],
  }),
  decisionKilled('before it sends the decision to object', {
    decision: 'object',
    at: before,
    answers: [200],
  }),
  // Sent again, it is answered that it was decided before.
  decisionKilled('between the answer to a decision and the commit', {
    decision: 'continue',
    at: 'F7 allocation, when a decision is accepted',
    answers: [200, 400],
  }),
];
