import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDocument } from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { sql } from 'kysely';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('series', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ business: { first_numbers: { quote: 500 } } });
  });
  afterAll(() => issuing.stop());

  const numbersOf = async (type: 'tax_invoice' | 'proforma' | 'order') => {
    const rows = await issuing.database.db
      .selectFrom('document')
      .select(['number', 'issued_at'])
      .where('type', '=', type)
      .orderBy('number')
      .execute();
    return rows.map((row) => row.number);
  };

  it('a series begins at the first number of the business', async () => {
    expect((await issuing.issue({ type: 'quote' })).document.number).toBe(500);
    expect((await issuing.issue({ type: 'quote' })).document.number).toBe(501);
  });

  it('simultaneous issues get consecutive numbers while the rendering of one document in five fails', async () => {
    const documents: string[] = [];
    issuing.render = async ({ document }) => {
      // A document behind one that failed is rendered again.
      if (!documents.includes(document.id)) {
        documents.push(document.id);
      }
      if ((documents.indexOf(document.id) + 1) % 5 === 0) {
        throw new ApiError('document_generation_failed');
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => issuing.issue()));
    issuing.render = async () => {};
    const issued = outcomes
      .filter((outcome) => outcome.status === 'fulfilled')
      .map((outcome) => outcome.value);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(8);
    for (const { reason } of refused) {
      expect(reason.code).toBe('document_generation_failed');
    }
    expect(issued.map((reply) => reply.document.number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 32 }, (_, index) => index + 1),
    );
    expect(await numbersOf('tax_invoice')).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });

  it('a rendering failure does not consume a number', async () => {
    issuing.render = async () => {
      throw new ApiError('document_generation_failed');
    };
    await expect(issuing.issue({ type: 'proforma' })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    issuing.render = async () => {};
    expect(await numbersOf('proforma')).toEqual([]);
    const series = await issuing.database.db
      .selectFrom('series')
      .selectAll()
      .where('type', '=', 'proforma')
      .execute();
    expect(series).toEqual([]);
    expect((await issuing.issue({ type: 'proforma' })).document.number).toBe(1);
  });

  it('a slow series does not block the series of another type', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    issuing.render = async ({ document }) => {
      if (document.type === 'order') {
        await held;
      }
    };
    const slow = issuing.issue({ type: 'order' });
    const fast = await issuing.issue({ type: 'proforma' });
    expect(fast.document.number).toBe(2);
    release();
    expect((await slow).document.number).toBe(1);
    issuing.render = async () => {};
  });

  it('instants of issue never decrease along the numbers, even when the clock does', async () => {
    const first = await issuing.issue({ type: 'order' });
    issuing.clock.now = new Date(issuing.clock.now.getTime() - 60_000);
    const second = await issuing.issue({ type: 'order' });
    expect(second.document.issued_at >= first.document.issued_at).toBe(true);
    issuing.clock.now = new Date(issuing.clock.now.getTime() + 60_000);
  });

  it('the database rejects every change and deletion of an issued document or its series', async () => {
    const { document } = await issuing.issue();
    const db = issuing.database.db;
    await expect(
      db.updateTable('document').set({ number: 999 }).where('id', '=', document.id).execute(),
    ).rejects.toThrow('an issued document cannot be changed');
    await expect(db.deleteFrom('document').where('id', '=', document.id).execute()).rejects.toThrow(
      'cannot be deleted',
    );
    await expect(db.updateTable('series').set({ next_number: 1 }).execute()).rejects.toThrow(
      'advances by one number',
    );
    const advanced = sql<number>`next_number + 1`;
    await expect(db.updateTable('series').set({ next_number: advanced }).execute()).rejects.toThrow(
      'continues its chain',
    );
    await expect(
      db
        .updateTable('series')
        .set({ next_number: sql`next_number + 2`, last_hash: Buffer.from('another') })
        .execute(),
    ).rejects.toThrow('advances by one number');
    await expect(
      db.updateTable('series').set({ first_number: 2, next_number: sql`next_number + 1` }).execute(),
    ).rejects.toThrow('keeps its first number');
    const read = await issuing.network.call(getDocument, {
      business_id: issuing.business.id,
      document_id: document.id,
    });
    expect(read.document).toEqual(document);
  });

  it('getDocument returns not_found for the document of another business', async () => {
    const { document } = await issuing.issue();
    await expect(
      issuing.network.call(getDocument, { business_id: randomUUID(), document_id: document.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
