import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

const minutes = 60 * 1_000;

describe('AuthorityTokens', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation();
  });
  afterAll(() => allocation.stop());

  const connectionOf = (businessId: string) =>
    allocation.database.db
      .selectFrom('connection')
      .selectAll()
      .where('business_id', '=', businessId)
      .executeTakeFirst();
  const tokenCallsDuring = async (work: () => Promise<unknown>) => {
    const before = (await allocation.authority.tokenCalls()).length;
    await work();
    return (await allocation.authority.tokenCalls()).slice(before);
  };
  const issueMany = async (count: number, businessId: string) => {
    const invoices = await Promise.all(
      Array.from({ length: count }, () => allocation.issue({}, { id: businessId })),
    );
    return Promise.all(invoices.map((invoice) => allocation.settled(invoice.id)));
  };

  it('AuthorityTokens connects automatically once for many concurrent documents where configured', async () => {
    const id = randomUUID();
    const calls = await tokenCallsDuring(async () => {
      for (const outcome of await issueMany(10, id)) {
        expect(outcome.status).toBe('issued');
      }
    });
    expect(calls).toEqual(['authorization_code']);
  });

  it('AuthorityTokens stores tokens encrypted', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    const row = await connectionOf(id);
    expect(row?.access_token.toString('latin1')).not.toMatch(/^[\w-]{43}$/);
    expect(row?.access_token.length).toBe(12 + 16 + 43);
    expect(row?.refresh_expires_at?.getTime()).toBe(allocation.clock.now.getTime() + 7_776_000 * 1_000);
  });

  it('AuthorityTokens renews an expired token once for many documents and stores the new refresh token', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    const before = await connectionOf(id);
    for (let round = 0; round < 2; round += 1) {
      allocation.advanceClock(11 * minutes);
      const calls = await tokenCallsDuring(async () => {
        for (const outcome of await issueMany(10, id)) {
          expect(outcome.status).toBe('issued');
        }
      });
      expect(calls).toEqual(['refresh_token']);
    }
    expect((await connectionOf(id))?.refresh_token.equals(before?.refresh_token ?? Buffer.alloc(0))).toBe(
      false,
    );
  });

  it('AuthorityTokens renews a rejected token once and the request is repeated', async () => {
    const id = randomUUID();
    await issueMany(1, id);
    // Refresh tokens survive the restart of the simulator, access tokens do not.
    await allocation.authority.restart();
    const calls = await tokenCallsDuring(async () => {
      const [outcome] = await issueMany(1, id);
      expect(outcome?.status).toBe('issued');
    });
    expect(calls).toEqual(['refresh_token']);
  });
});

describe('AuthorityTokens without a connection', () => {
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    allocation = await startAllocation({ autoConnect: false });
  });
  afterAll(() => allocation.stop());

  it('a document of an unconnected business gets no number but a reason', async () => {
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has to connect it again'),
    });
  });
});
