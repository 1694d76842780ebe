import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allocationSettled, getDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('what a creation reports of the steps after it', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 300 });
  });
  afterAll(() => issuing.stop());

  const granted = { status: 'issued' as const, number: '123456789', reason: null };
  const read = async (id: string) =>
    (await issuing.network.ask(getDocument, { business_id: issuing.business.id, document_id: id })).state;

  it('is what allocation and delivery say, and the number can be read at once', async () => {
    issuing.allocation = granted;
    const reply = await issuing.issue();
    expect(reply.allocation).toEqual(granted);
    expect(reply.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    expect(reply.state.allocation_number).toBe('123456789');
    expect((await read(reply.document.id)).allocation_number).toBe('123456789');
  });

  it('is failed and queued when neither answers in time; the document stands', async () => {
    issuing.allocation = null;
    issuing.delivery = null;
    const reply = await issuing.issue();
    expect(reply.allocation).toMatchObject({ status: 'failed', number: null });
    expect(reply.allocation.reason).not.toBeNull();
    expect(reply.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    expect((await read(reply.document.id)).status).toBe('open');
  });

  it('stays the answer of every replay, also when a number comes later', async () => {
    issuing.allocation = null;
    const key = randomUUID();
    const first = await issuing.issue({}, key);
    await issuing.network.publish(allocationSettled, first.document.id, {
      document: first.document,
      business: issuing.business,
      allocation: granted,
    });
    await eventually(
      'the number is in the book',
      async () => (await read(first.document.id)).allocation_number,
    );
    const again = await issuing.issue({}, key);
    expect(again).toEqual({ ...first, replayed: true });
  });

  it('is the same for a replay that comes while the outcomes are still awaited', async () => {
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
    const { document } = (await issuing.network.ask(getDocument, {
      business_id: row.business_id,
      document_id: row.id,
    })) as { document: Awaited<typeof first>['document'] };
    await issuing.network.publish(allocationSettled, row.id, {
      document,
      business: issuing.business,
      allocation: granted,
    });
    const answers = await Promise.all([first, replay]);
    expect(answers[0].allocation).toEqual(granted);
    expect({ ...answers[1], replayed: false }).toEqual(answers[0]);
  });

  it('never loses a number that was granted to a late word of failure', async () => {
    issuing.allocation = granted;
    const { document } = await issuing.issue();
    await issuing.network.publish(allocationSettled, document.id, {
      document,
      business: issuing.business,
      allocation: { status: 'failed', number: null, reason: 'late' },
    });
    await eventually('the late event was handled', async () => {
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
