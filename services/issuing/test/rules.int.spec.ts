import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  documentTypeRules,
  documentTypes,
  getDocument,
  getUsage,
  listSeries,
} from '@pinkas/contracts';
import { Problem } from '@pinkas/service-kit';
import { cash, type IssuingUnderTest, startIssuing } from './issuing.js';

describe('the rules of issuing', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  afterAll(() => issuing.stop());

  const stateOf = async (id: string) =>
    (await issuing.network.ask(getDocument, { business_id: issuing.business.id, document_id: id })).state;

  it.each(documentTypes)('let a licensed dealer issue a %s', async (type) => {
    const rules = documentTypeRules[type];
    const source = rules.sourceRequired ? (await issuing.issue()).document.id : undefined;
    const reply = await issuing.issue({
      type,
      ...(rules.payments === 'required' ? { payments: cash(118) } : {}),
      ...(source ? { based_on: source } : {}),
    });
    expect(reply.document.type).toBe(type);
    expect(reply.state.status).toBe(rules.issuedAs);
    expect(reply.document.totals).toEqual({
      subtotal: 100,
      discount: 0,
      vat: 18,
      vat_rate: 18,
      total: 118,
      currency: 'ILS',
    });
    expect(reply.state.paid).toBe(rules.payments === 'required' ? 118 : 0);
    expect(reply.document.due_date).toBe(rules.dueDate ? '2026-07-15' : null);
  });

  it('keep tax invoices from an exempt dealer', async () => {
    const business = { ...issuing.business, legal_type: 'osek_patur' as const, vat_rate: 0 };
    await expect(issuing.issue({}, randomUUID(), { business })).rejects.toMatchObject({
      code: 'legal_type_forbidden',
    });
    const { document } = await issuing.issue({ type: 'receipt', payments: cash(100) }, randomUUID(), {
      business,
    });
    expect(document.totals).toMatchObject({ vat: 0, total: 100 });
  });

  const refusals: [string, Partial<CreateDocument>, string, object][] = [
    ['a receipt without payments', { type: 'receipt' }, 'payments_required', {}],
    ['payments on an invoice', { payments: cash(118) }, 'payments_not_allowed', {}],
    [
      'a discount on a receipt',
      { type: 'receipt', payments: cash(1), discount: { type: 'percent', value: 1 } },
      'discount_not_allowed',
      {},
    ],
    ['a credit note without source', { type: 'credit_note' }, 'based_on_required', {}],
    [
      'a tax id that fails its check digit',
      { customer: { name: 'לקוח', tax_id: '123456789' } },
      'invalid_customer_tax_id',
      {},
    ],
    ['a date of tomorrow', { date: '2026-06-16' }, 'future_date', {}],
    [
      'a source that is not there',
      { based_on: '00000000-0000-4000-8000-000000000000' },
      'based_on_not_found',
      {},
    ],
    [
      'another total than expected',
      { expected_total: 118.02 },
      'total_mismatch',
      { details: { computed_total: 118 } },
    ],
    [
      'payments of another sum',
      { type: 'receipt', payments: cash(117.98) },
      'payments_total_mismatch',
      { details: { total: 118 } },
    ],
    ['a discount above the sum', { discount: { type: 'amount', value: 100.01 } }, 'validation_error', {}],
    ['a due date before the date', { due_date: '2026-06-14' }, 'validation_error', {}],
    ['a due date on a quote', { type: 'quote', due_date: '2026-07-14' }, 'validation_error', {}],
  ];
  it.each(refusals)('refuse %s', async (_what, body, code, details) => {
    const before = await issuing.database.db.selectFrom('document').select('id').execute();
    await expect(issuing.issue(body)).rejects.toMatchObject({ code, ...details });
    expect(await issuing.database.db.selectFrom('document').select('id').execute()).toHaveLength(
      before.length,
    );
  });

  it('let a total differ by one agora', async () => {
    expect((await issuing.issue({ expected_total: 118.01 })).document.totals.total).toBe(118);
    expect((await issuing.issue({ type: 'receipt', payments: cash(117.99) })).state.paid).toBe(117.99);
  });

  it('refuse a source of another kind and name the kinds that are allowed', async () => {
    const { document } = await issuing.issue({ type: 'quote' });
    await expect(issuing.issue({ type: 'credit_note', based_on: document.id })).rejects.toMatchObject({
      code: 'based_on_type_not_allowed',
      details: { allowed_source_types: ['tax_invoice', 'tax_invoice_receipt'] },
    });
  });

  it('refuse the source of another business like one that is not there', async () => {
    const other = await issuing.issue({}, randomUUID(), {
      business: { ...issuing.business, id: randomUUID() },
    });
    await expect(issuing.issue({ type: 'credit_note', based_on: other.document.id })).rejects.toMatchObject({
      code: 'based_on_not_found',
    });
  });

  it('close an invoice by a receipt and add to what was paid of it', async () => {
    const { document } = await issuing.issue();
    const receipt = await issuing.issue({
      type: 'receipt',
      based_on: document.id,
      items: [{ description: 'חלק', quantity: 1, unit_price: 50 }],
      payments: cash(59),
    });
    expect(receipt.document.based_on).toEqual({
      id: document.id,
      type: 'tax_invoice',
      number: document.number,
      date: document.date,
    });
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 59 });
  });

  it('close an invoice when its credit notes reach its total, and not before', async () => {
    const { document } = await issuing.issue();
    const credit = (unit_price: number) =>
      issuing.issue({
        type: 'credit_note',
        based_on: document.id,
        items: [{ description: 'זיכוי', quantity: 1, unit_price }],
      });
    await credit(40);
    expect((await stateOf(document.id)).status).toBe('open');
    await credit(60);
    expect((await stateOf(document.id)).status).toBe('closed');
  });

  it('leave a quote open under an order, and close it under an invoice', async () => {
    const { document } = await issuing.issue({ type: 'quote' });
    await issuing.issue({ type: 'order', based_on: document.id });
    expect((await stateOf(document.id)).status).toBe('open');
    await issuing.issue({ based_on: document.id });
    expect((await stateOf(document.id)).status).toBe('closed');
  });

  it('never let the date of a series fall', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    await issuing.issue({ date: '2026-06-10' }, randomUUID(), { business });
    await expect(issuing.issue({ date: '2026-06-09' }, randomUUID(), { business })).rejects.toMatchObject({
      code: 'date_before_last_document',
      details: { last_document_date: '2026-06-10' },
    });
    await issuing.issue({ date: '2026-06-10' }, randomUUID(), { business });
    const { series } = await issuing.network.ask(listSeries, { business_id: business.id });
    expect(series).toEqual([{ type: 'tax_invoice', next_number: 3, last_date: '2026-06-10' }]);
  });

  it('do not refuse a date that the caller left out because another clock is past midnight', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const now = issuing.clock.now;
    issuing.clock.now = new Date('2026-06-15T21:00:00Z');
    await issuing.issue({ type: 'proforma' }, randomUUID(), { business });
    issuing.clock.now = new Date('2026-06-15T20:59:59Z');
    const { document } = await issuing.issue({ type: 'proforma' }, randomUUID(), { business });
    issuing.clock.now = now;
    expect(document.date).toBe('2026-06-16');
    expect(document.due_date).toBe('2026-07-16');
  });

  it('count the documents of a key exactly when many come at once, and start anew at midnight in Israel', async () => {
    const key = { id: randomUUID(), daily_documents: 5 };
    const types = ['quote', 'order', 'proforma'] as const;
    const attempts = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        issuing.issue({ type: types[index % 3] ?? 'quote' }, randomUUID(), { key }),
      ),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(5);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason.code).toBe('daily_limit_reached');
    }
    const usage = () => issuing.network.ask(getUsage, { business_id: issuing.business.id, key_id: key.id });
    expect(await usage()).toEqual({ used_today: 5 });
    issuing.clock.now = new Date('2026-06-15T21:00:00Z');
    expect(await usage()).toEqual({ used_today: 0 });
    expect((await issuing.issue({}, randomUUID(), { key })).document.date).toBe('2026-06-16');
  });

  it('do not count a document that was refused', async () => {
    const key = { id: randomUUID(), daily_documents: 5 };
    issuing.render = async () => {
      throw new Problem('document_generation_failed');
    };
    await expect(issuing.issue({}, randomUUID(), { key })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    issuing.render = async () => {};
    expect(await issuing.network.ask(getUsage, { business_id: issuing.business.id, key_id: key.id })).toEqual(
      {
        used_today: 0,
      },
    );
  });
});
