import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, getDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('IssueOutcomes', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 300 });
  });
  afterAll(() => issuing.stop());

  const granted = { status: 'issued' as const, number: '123456789', reason: null };
  const read = async (id: string) =>
    (await issuing.network.call(getDocument, { business_id: issuing.business.id, document_id: id })).state;

  it('IssueDocument returns the outcomes of allocation and delivery, and the number can be read at once', async () => {
    issuing.allocation = granted;
    const reply = await issuing.issue();
    expect(reply.allocation).toEqual(granted);
    expect(reply.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    expect(reply.state.allocation_number).toBe('123456789');
    expect((await read(reply.document.id)).allocation_number).toBe('123456789');
  });

  it('IssueDocument returns failed and queued when neither outcome arrives in time', async () => {
    issuing.allocation = null;
    issuing.delivery = null;
    const reply = await issuing.issue();
    expect(reply.allocation).toMatchObject({ status: 'failed', number: null });
    expect(reply.allocation.reason).not.toBeNull();
    expect(reply.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    expect((await read(reply.document.id)).status).toBe('open');
  });

  it('a replay returns the outcomes of the first reply, also when a number arrives later', async () => {
    issuing.allocation = null;
    const key = randomUUID();
    const first = await issuing.issue({}, key);
    await issuing.network.publish(allocationSettled, first.document.id, {
      document: first.document,
      business: issuing.business,
      allocation: granted,
    });
    await eventually('the number is recorded', async () => (await read(first.document.id)).allocation_number);
    const again = await issuing.issue({}, key);
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('a replay during the wait for outcomes returns the same outcomes', async () => {
    issuing.allocation = null;
    const key = randomUUID();
    const first = issuing.issue({}, key);
    const row = await eventually('the document is committed', () =>
      issuing.database.db
        .selectFrom('document')
        .selectAll()
        .where('idempotency_key', '=', key)
        .executeTakeFirst(),
    );
    const replay = issuing.issue({}, key);
    const { document } = (await issuing.network.call(getDocument, {
      business_id: row.business_id,
      document_id: row.id,
    })) as { document: Awaited<typeof first>['document'] };
    await issuing.network.publish(allocationSettled, row.id, {
      document,
      business: issuing.business,
      allocation: granted,
    });
    const replies = await Promise.all([first, replay]);
    expect(replies[0].allocation).toEqual(granted);
    expect({ ...replies[1], replayed: false }).toEqual(replies[0]);
  });

  it('a late failure does not remove a granted number', async () => {
    issuing.allocation = granted;
    const { document } = await issuing.issue();
    await issuing.network.publish(allocationSettled, document.id, {
      document,
      business: issuing.business,
      allocation: { status: 'failed', number: null, reason: 'late' },
    });
    await eventually('the late event is handled', async () => {
      const handled = await issuing.database.db
        .selectFrom('inbox')
        .select('message_id')
        .where('consumer', '=', 'issuing-record-allocation')
        .execute();
      return handled.length >= 4;
    });
    expect((await read(document.id)).allocation_number).toBe('123456789');
  });
});
