import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreateDocument, issueDocument } from '@pinkas/contracts';
import { ApiError, createLogger, openDatabase } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { gate, type IssuingUnderTest, startIssuing } from './issuing.js';

describe('CustomerCards', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
  });
  afterEach(() => {
    issuing.render = async () => {};
    issuing.resolve = async () => {};
    issuing.release = async () => {};
    issuing.resolved.length = 0;
    issuing.released.length = 0;
  });
  afterAll(() => issuing.stop());

  /** The released reservations, once every earlier release has arrived. */
  const allReleased = async () => {
    await issuing.issue({ type: 'quote' });
    return issuing.released;
  };

  it('a card is reserved with the id of the document and not released after the issue', async () => {
    const { document } = await issuing.issue();
    expect(issuing.resolved).toEqual([document.id]);
    expect(await allReleased()).toEqual([]);
  });

  it('a request that is rejected earlier neither reserves nor releases a card', async () => {
    await expect(issuing.issue({ expected_total: 1 })).rejects.toMatchObject({ code: 'total_mismatch' });
    expect(issuing.resolved).toEqual([]);
    expect(await allReleased()).toEqual([]);
  });

  const limited = { issuer: { kind: 'key', id: randomUUID(), daily_documents: 0 } } as const;
  const refusals: [string, Partial<CreateDocument>, object, string][] = [
    ['the daily limit', {}, limited, 'daily_limit_reached'],
    ['a date before the last', { type: 'quote', date: '2000-01-01' }, {}, 'date_before_last_document'],
    ['a failed rendering', {}, {}, 'document_generation_failed'],
  ];
  it.each(refusals)('a reservation is released once after %s', async (_what, body, change, code) => {
    await issuing.issue({ type: 'quote' });
    issuing.resolved.length = 0;
    issuing.render = async () => {
      throw new ApiError('document_generation_failed');
    };
    await expect(issuing.issue(body, randomUUID(), change)).rejects.toMatchObject({ code });
    issuing.render = async () => {};
    const reserved = [...issuing.resolved];
    expect(reserved).toHaveLength(1);
    await eventually('the reservation is released', () => issuing.released.length > 0);
    expect(await allReleased()).toEqual(reserved);
  });

  it('a reservation is released when customer failed, since it may have reserved', async () => {
    issuing.resolve = async () => {
      throw new ApiError('internal_error');
    };
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'internal_error' });
    await eventually('the reservation is released', () => issuing.released.length > 0);
    expect(issuing.released).toEqual(issuing.resolved);
  });

  it.each(['customer_not_found', 'customer_identity_conflict'] as const)(
    'no card is released after %s, because none was reserved',
    async (code) => {
      issuing.resolve = async () => {
        throw new ApiError(
          code,
          code === 'customer_identity_conflict' ? { details: { existing_customer_id: randomUUID() } } : {},
        );
      };
      await expect(issuing.issue()).rejects.toMatchObject({ code });
      issuing.resolve = async () => {};
      expect(await allReleased()).toEqual([]);
    },
  );

  it('a caller neither waits for the release nor sees its failure', async () => {
    const { open, opened } = gate();
    issuing.release = async () => {
      await opened;
      throw new ApiError('internal_error');
    };
    issuing.render = async () => {
      throw new ApiError('document_generation_failed');
    };
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'document_generation_failed' });
    await eventually('the release is requested', () => issuing.released.length === 1);
    open();
    issuing.render = async () => {};
    await issuing.issue();
  });

  it('a reservation is not released when the connection is lost at the commit', async () => {
    const owner = openDatabase<object>({
      url: issuing.database.ownerUrl,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    await sql`
      create function lose_connection() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(owner);
    await sql`
      create constraint trigger lose_connection after insert on document deferrable initially deferred
        for each row execute function lose_connection()`.execute(owner);
    const key = randomUUID();
    await expect(issuing.issue({}, key)).rejects.toMatchObject({ code: 'engine_error' });
    await sql`drop trigger lose_connection on document`.execute(owner);
    await owner.destroy();
    const lost = issuing.resolved[0];
    expect(lost).toBeDefined();
    expect((await issuing.issue({}, key)).replayed).toBe(false);
    expect(await allReleased()).toEqual([]);
  });

  it('a reservation is released when another replica has issued with the key, and its document is returned', async () => {
    const replica = await issuing.startAnother();
    try {
      const { open, opened } = gate();
      issuing.resolve = () => (issuing.resolved.length === 1 ? opened : Promise.resolve());
      const key = randomUUID();
      const slow = issuing.issue({}, key);
      await eventually('the first replica reserves', () => issuing.resolved.length === 1);
      const fast = await eventually('the second replica issues', () => issuing.issue({}, key));
      open();
      expect(await slow).toEqual({ ...fast, replayed: true });
      expect(issuing.resolved[1]).toBe(fast.document.id);
      await eventually('the reservation is released', () => issuing.released.length > 0);
      expect(await allReleased()).toEqual([issuing.resolved[0]]);
    } finally {
      await replica.stop();
    }
  });

  it('a card is reserved for the business that issues', async () => {
    const seen: string[] = [];
    issuing.resolve = async (request) => void seen.push(request.business_id);
    await issuing.network.call(issueDocument, {
      business: issuing.business,
      issuer: { kind: 'key', id: issuing.keyId, daily_documents: 300 },
      idempotency_key: randomUUID(),
      body: {
        type: 'quote',
        customer: { name: 'לקוח לדוגמה' },
        items: [{ description: 'א', quantity: 1, unit_price: 1 }],
      },
    });
    expect(seen).toEqual([issuing.business.id]);
  });
});
