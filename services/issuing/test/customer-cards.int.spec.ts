import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CreateDocument, issueDocument } from '@pinkas/contracts';
import { createLogger, openDatabase, Problem } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { gate, type IssuingUnderTest, startIssuing, startReplica } from './issuing.js';

describe('the card that was reserved for a document', () => {
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

  /** Asks for a document after everything that was given back before has arrived. */
  const settled = async () => {
    await issuing.issue({ type: 'quote' });
    return issuing.released;
  };

  it('is reserved under the id that the document then bears, and kept', async () => {
    const { document } = await issuing.issue();
    expect(issuing.resolved).toEqual([document.id]);
    expect(await settled()).toEqual([]);
  });

  it('is not asked for, nor given back, by a request that was refused before', async () => {
    await expect(issuing.issue({ expected_total: 1 })).rejects.toMatchObject({ code: 'total_mismatch' });
    expect(issuing.resolved).toEqual([]);
    expect(await settled()).toEqual([]);
  });

  const limited = { key: { id: randomUUID(), daily_documents: 0 } };
  const refusals: [string, Partial<CreateDocument>, object, string][] = [
    ['the daily limit', {}, limited, 'daily_limit_reached'],
    ['a date before the last', { type: 'quote', date: '2000-01-01' }, {}, 'date_before_last_document'],
    ['a failed rendering', {}, {}, 'document_generation_failed'],
  ];
  it.each(refusals)('is given back once after %s', async (_what, body, change, code) => {
    await issuing.issue({ type: 'quote' });
    issuing.resolved.length = 0;
    issuing.render = async () => {
      throw new Problem('document_generation_failed');
    };
    await expect(issuing.issue(body, randomUUID(), change)).rejects.toMatchObject({ code });
    issuing.render = async () => {};
    const reserved = [...issuing.resolved];
    expect(reserved).toHaveLength(1);
    await eventually('it is given back', () => issuing.released.length > 0);
    expect(await settled()).toEqual(reserved);
  });

  it('is given back when customer answered too late or not well, for it may have reserved', async () => {
    issuing.resolve = async () => {
      throw new Problem('internal_error');
    };
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'internal_error' });
    await eventually('it is given back', () => issuing.released.length > 0);
    expect(issuing.released).toEqual(issuing.resolved);
  });

  it.each(['customer_not_found', 'customer_identity_conflict'] as const)(
    'is not given back after %s, for nothing was reserved',
    async (code) => {
      issuing.resolve = async () => {
        throw new Problem(
          code,
          code === 'customer_identity_conflict' ? { details: { existing_customer_id: randomUUID() } } : {},
        );
      };
      await expect(issuing.issue()).rejects.toMatchObject({ code });
      issuing.resolve = async () => {};
      expect(await settled()).toEqual([]);
    },
  );

  it('does not keep the caller waiting for it to be given back, nor tell of its failure', async () => {
    const { open, opened } = gate();
    issuing.release = async () => {
      await opened;
      throw new Problem('internal_error');
    };
    issuing.render = async () => {
      throw new Problem('document_generation_failed');
    };
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'document_generation_failed' });
    await eventually('it was asked', () => issuing.released.length === 1);
    open();
    issuing.render = async () => {};
    await issuing.issue();
  });

  it('is kept when the connection is lost at the commit: nobody knows whether the document stands', async () => {
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
    expect(await settled()).toEqual([]);
  });

  it('is given back when another process has issued with the key meanwhile, and its document is answered', async () => {
    const replica = await startReplica(issuing);
    try {
      const { open, opened } = gate();
      issuing.resolve = () => (issuing.resolved.length === 1 ? opened : Promise.resolve());
      const key = randomUUID();
      const slow = issuing.issue({}, key);
      await eventually('the first process reserves', () => issuing.resolved.length === 1);
      const fast = await eventually('the second process issues', () => issuing.issue({}, key));
      open();
      expect(await slow).toEqual({ ...fast, replayed: true });
      expect(issuing.resolved[1]).toBe(fast.document.id);
      await eventually('it is given back', () => issuing.released.length > 0);
      expect(await settled()).toEqual([issuing.resolved[0]]);
    } finally {
      await replica.stop();
    }
  });

  it('is asked for in the name of the business that issues', async () => {
    const seen: string[] = [];
    issuing.resolve = async (request) => void seen.push(request.business_id);
    await issuing.network.ask(issueDocument, {
      business: issuing.business,
      key: { id: issuing.keyId, daily_documents: 300 },
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
