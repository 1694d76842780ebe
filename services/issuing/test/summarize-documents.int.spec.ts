import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditSeries,
  cancelDocument,
  type RequestOf,
  summarizeDocuments,
  summarizeMonths,
} from '@pinkas/contracts';
import { sql } from 'kysely';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

describe('summarizeDocuments', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    const invoice = await issuing.issue({
      date: '2026-06-01',
      items: net(1000.01),
      discount: { type: 'amount', value: 0.34 },
    });
    await issuing.issue({ date: '2026-06-10', items: net(0.1) });
    await issuing.issue({ date: '2026-06-14', items: net(0.2) });
    await issuing.issue({
      type: 'credit_note',
      date: '2026-06-14',
      items: net(100),
      based_on: invoice.document.id,
    });
    await issuing.issue({ type: 'receipt', date: '2026-05-31', payments: cash(118) });
    for (const date of ['2026-06-02', '2026-06-03', '2026-06-03']) {
      const { document } = await issuing.issue({ type: 'quote', date });
      if (date === '2026-06-03') {
        await cancel(document.id);
      }
    }
    await cancel((await issuing.issue({ type: 'order', date: '2026-06-05' })).document.id);
    await issuing.issue({ date: '2026-06-14' }, randomUUID(), {
      business: { ...issuing.business, id: randomUUID() },
    });
  });
  afterAll(() => issuing.stop());

  const cancel = (document_id: string) =>
    issuing.network.call(cancelDocument, { business_id: issuing.business.id, document_id, reason: null });
  const summarize = async (
    from: string,
    to: string,
    change: Partial<RequestOf<typeof summarizeDocuments>> = {},
  ) =>
    (
      await issuing.network.call(summarizeDocuments, {
        business_id: issuing.business.id,
        from,
        to,
        ...change,
      })
    ).types;

  const summarizeMonthsOf = (from: string, to: string) =>
    issuing.network.call(summarizeMonths, { business_id: issuing.business.id, from, to });

  it('summarizeMonths sums each type of each month, from the first day to the last, without cancelled documents', async () => {
    const { months } = await summarizeMonthsOf('2026-05', '2026-06');
    expect(months).toEqual([
      { month: '2026-05', type: 'receipt', documents: 1, net: 100, vat: 18, total: 118 },
      { month: '2026-06', type: 'credit_note', documents: 1, net: 100, vat: 18, total: 118 },
      { month: '2026-06', type: 'quote', documents: 1, net: 100, vat: 18, total: 118 },
      { month: '2026-06', type: 'tax_invoice', documents: 3, net: 999.97, vat: 180, total: 1179.97 },
    ]);
    expect((await summarizeMonthsOf('2025-07', '2026-04')).months).toEqual([]);
  });

  it('summarizeMonths rejects more than 36 months', async () => {
    await expect(summarizeMonthsOf('2023-06', '2026-06')).rejects.toMatchObject({ code: 'validation_error' });
    await expect(summarizeMonthsOf('2023-07', '2026-06')).resolves.toBeDefined();
  });

  it('summarizeDocuments sums each type to the agora, counts cancelled documents apart, and subtracts no credit note', async () => {
    expect(await summarize('2026-06-01', '2026-06-30')).toEqual([
      { type: 'quote', documents: 1, cancelled: 2, net: 100, vat: 18, total: 118 },
      { type: 'order', documents: 0, cancelled: 1, net: 0, vat: 0, total: 0 },
      // 999.67 + 0.1 + 0.2 net; VAT of each document is rounded separately.
      { type: 'tax_invoice', documents: 3, cancelled: 0, net: 999.97, vat: 180, total: 1179.97 },
      { type: 'credit_note', documents: 1, cancelled: 0, net: 100, vat: 18, total: 118 },
    ]);
  });

  it('summarizeDocuments includes the first and the last date', async () => {
    const counts = async (from: string, to: string) =>
      (await summarize(from, to)).map(({ type, documents }) => [type, documents]);
    expect(await counts('2026-05-31', '2026-06-01')).toEqual([
      ['tax_invoice', 1],
      ['receipt', 1],
    ]);
    expect(await counts('2026-06-02', '2026-06-02')).toEqual([['quote', 1]]);
  });

  it('summarizeDocuments has no type where no document is of the dates or of the business', async () => {
    expect(await summarize('2027-01-01', '2027-12-31')).toEqual([]);
    expect(await summarize('2026-06-30', '2026-06-01')).toEqual([]);
    expect(await summarize('2026-06-01', '2026-06-30', { business_id: randomUUID() })).toEqual([]);
  });

  it('summarizeDocuments refuses more than 366 days', async () => {
    expect(await summarize('2024-01-01', '2024-12-31')).toEqual([]);
    await expect(summarize('2024-01-01', '2025-01-01')).rejects.toMatchObject({
      code: 'validation_error',
      details: { errors: [{ path: '/to' }] },
    });
  });

  it('the sums are those of the documents after simultaneous issues and cancellations on two replicas', async () => {
    const replica = await issuing.startAnother();
    const types = ['quote', 'order', 'tax_invoice', 'proforma'] as const;
    const write = async (index: number) => {
      const type = types[index % types.length] ?? 'quote';
      const date = index < 30 ? '2026-06-14' : '2026-06-15';
      // A document of a person is in the trail, as a cancellation is.
      const { document } = await issuing.issue(
        { type, date, items: net((1 + 3333 * index) / 100) },
        randomUUID(),
        { issuer: { kind: 'person', id: randomUUID() } },
      );
      if (type !== 'tax_invoice' && index % 5 > 0) {
        await cancel(document.id);
      }
    };
    // Before them: once one of the later date is issued, those of the earlier date are refused, which may be all.
    await issuing.issue({ type: 'quote', date: '2026-06-14', items: net(1) });
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => write(index)));
    await replica.stop();
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code] : [],
    );
    expect(new Set(refused)).toEqual(new Set(refused.map(() => 'date_before_last_document')));
    const wrongSums = () =>
      Promise.all(
        types.map(async (type) => {
          const series = { business_id: issuing.business.id, type, after: null, limit: 1 };
          return (await issuing.network.call(auditSeries, series)).wrong_sums;
        }),
      );
    expect(await wrongSums()).toEqual([[], [], [], []]);
    await sql`update document_sum set vat = vat + 0.01 where type = 'order' and dated_on = '2026-06-15'`.execute(
      issuing.database.db,
    );
    await sql`update document_sum set dated_on = '2026-06-13' where type = 'quote' and dated_on = '2026-06-14'`.execute(
      issuing.database.db,
    );
    expect(await wrongSums()).toEqual([
      [
        { sums: 'document_sum', date: '2026-06-13' },
        { sums: 'document_sum', date: '2026-06-14' },
      ],
      [{ sums: 'document_sum', date: '2026-06-15' }],
      [],
      [],
    ]);
  });
});
