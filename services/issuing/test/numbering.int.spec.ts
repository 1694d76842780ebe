import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getDocument } from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

describe('the numbers of a series', () => {
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

  it('begin where the earlier books of the business ended', async () => {
    expect((await issuing.issue({ type: 'quote' })).document.number).toBe(500);
    expect((await issuing.issue({ type: 'quote' })).document.number).toBe(501);
  });

  it('have neither gap nor double when many issue at once while one rendering in five fails', async () => {
    let renders = 0;
    issuing.render = async () => {
      renders += 1;
      if (renders % 5 === 0) throw new Problem('document_generation_failed');
    };
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => issuing.issue()));
    issuing.render = async () => {};
    const issued = outcomes
      .filter((outcome) => outcome.status === 'fulfilled')
      .map((outcome) => outcome.value);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(8);
    for (const { reason } of refused) expect(reason.code).toBe('document_generation_failed');
    expect(issued.map((reply) => reply.document.number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 32 }, (_, index) => index + 1),
    );
    expect(await numbersOf('tax_invoice')).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });

  it('leave nothing behind when rendering fails', async () => {
    issuing.render = async () => {
      throw new Problem('document_generation_failed');
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

  it('are drawn in a line of their own for each type, so that a slow series holds up no other', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    issuing.render = async ({ document }) => {
      if (document.type === 'order') await held;
    };
    const slow = issuing.issue({ type: 'order' });
    const fast = await issuing.issue({ type: 'proforma' });
    expect(fast.document.number).toBe(2);
    release();
    expect((await slow).document.number).toBe(1);
    issuing.render = async () => {};
  });

  it('never go with an instant of issue that falls, even when the clock does', async () => {
    const first = await issuing.issue({ type: 'order' });
    issuing.clock.now = new Date(issuing.clock.now.getTime() - 60_000);
    const second = await issuing.issue({ type: 'order' });
    expect(second.document.issued_at >= first.document.issued_at).toBe(true);
    issuing.clock.now = new Date(issuing.clock.now.getTime() + 60_000);
  });

  it('cannot be taken back: the database refuses to change or delete what was issued', async () => {
    const { document } = await issuing.issue();
    const db = issuing.database.db;
    await expect(
      db.updateTable('document').set({ number: 999 }).where('id', '=', document.id).execute(),
    ).rejects.toThrow('an issued document is final');
    await expect(db.deleteFrom('document').where('id', '=', document.id).execute()).rejects.toThrow(
      'never deleted',
    );
    await expect(db.updateTable('series').set({ next_number: 1 }).execute()).rejects.toThrow(
      'goes on by one number',
    );
    const read = await issuing.network.ask(getDocument, {
      business_id: issuing.business.id,
      document_id: document.id,
    });
    expect(read.document).toEqual(document);
  });

  it('are not shown to another business', async () => {
    const { document } = await issuing.issue();
    await expect(
      issuing.network.ask(getDocument, { business_id: randomUUID(), document_id: document.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
