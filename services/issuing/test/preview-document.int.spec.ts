import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Business,
  type CreateDocument,
  type Issuer,
  listArticles,
  type PreviewWarning,
  previewDocument,
  previewWarnings,
  warningsOf,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { cash, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

describe('PreviewDocument', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
  });
  afterAll(() => issuing.stop());

  /** Each row of each table, with the version that a write would change; but for where the reconciler is. */
  async function everything(): Promise<unknown[]> {
    const { db } = issuing.database;
    // What was issued before is still being sent.
    await eventually('the events are sent', async () => {
      const pending = await db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute();
      return pending.length === 0;
    });
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'reconcile_checkpoint'
      order by table_name`.execute(db);
    const stored = [];
    for (const { name } of tables) {
      const { rows } = await sql`
        select xmin::text, to_jsonb(kept) as row from ${sql.table(name)} as kept order by to_jsonb(kept)::text`.execute(
        db,
      );
      stored.push({ name, rows });
    }
    return stored;
  }

  it('a preview has the facts that its document then has, and nothing is written', async () => {
    const body: Partial<CreateDocument> = {
      customer: numberedCustomer,
      items: [
        { description: 'ייעוץ', quantity: 1.5, unit_price: 333.33, sku: 'A-1' },
        { description: 'מוצר', quantity: 3, unit_price: 19.99 },
      ],
      discount: { type: 'percent', value: 7.5 },
      date: '2026-06-14',
      title: 'כותרת',
    };
    const before = await everything();
    const { draft, next_number, allocation, delivery, matched_by, warnings } = await issuing.preview(body);
    expect(await everything()).toEqual(before);
    expect(issuing.resolved).toEqual([]);
    expect(issuing.rendered).toEqual([]);
    const issued = await issuing.issue(body);
    const { id, public_id, number, issued_at, customer, ...facts } = issued.document;
    const { customer: drawn, ...drafted } = draft;
    expect(drafted).toEqual(facts);
    expect({ ...drawn, id: customer.id }).toEqual(customer);
    expect({ id: drawn.id, matched_by, next_number, delivery }).toEqual({
      id: null,
      matched_by: null,
      next_number: number,
      delivery: issued.delivery,
    });
    expect(allocation.status).toBe(issued.allocation.status);
    expect(warnings).toEqual(['date_in_past']);
    expect([id, public_id, issued_at].every(Boolean)).toBe(true);
  });

  it('the terms of a customer decide when a document is due, then those of the business, unless the request does', async () => {
    issuing.business = { ...issuing.business, payment_terms_days: 30, payment_terms_from: 'end_of_month' };
    const dueOf = async (body: Partial<CreateDocument>) => {
      const { draft } = await issuing.preview(body);
      const { document } = await issuing.issue(body);
      expect(document.due_date).toBe(draft.due_date);
      return document.due_date;
    };
    expect(await dueOf({ date: '2026-06-15' })).toBe('2026-07-30');
    issuing.terms = { days: 60, from: 'end_of_month' };
    expect(await dueOf({ date: '2026-06-15' })).toBe('2026-08-29');
    expect(await dueOf({ date: '2026-06-15', due_date: '2026-06-20' })).toBe('2026-06-20');
    expect(await dueOf({ date: '2026-06-15', type: 'quote' })).toBeNull();
    issuing.terms = null;
  });

  it('each rule refuses a preview with the code and the details that it refuses the document with', async () => {
    const invoice = await issuing.issue({ date: '2026-06-15' });
    const quote = await issuing.issue({ type: 'quote' });
    await sql`update document set status = 'cancelled', cancelled_at = now() where id = ${quote.document.id}`.execute(
      issuing.database.db,
    );
    const exempt = { business: { ...issuing.business, legal_type: 'osek_patur' as const } };
    const spent = {
      issuer: { kind: 'key', id: randomUUID(), daily_documents: 0 } satisfies Issuer as Issuer,
    };
    const refused: [string, Partial<CreateDocument>, object?][] = [
      ['legal_type_forbidden', {}, exempt],
      ['payments_required', { type: 'receipt' }],
      ['payments_not_allowed', { payments: cash(118) }],
      [
        'discount_not_allowed',
        { type: 'receipt', payments: cash(118), discount: { type: 'percent', value: 1 } },
      ],
      ['based_on_required', { type: 'credit_note' }],
      ['invalid_customer_tax_id', { customer: { name: 'לקוח', tax_id: '514713289' } }],
      ['future_date', { date: '2026-06-16' }],
      ['based_on_not_found', { based_on: randomUUID() }],
      ['based_on_type_not_allowed', { based_on: invoice.document.id }],
      ['based_on_cancelled', { based_on: quote.document.id }],
      ['total_mismatch', { expected_total: 1 }],
      ['payments_total_mismatch', { type: 'receipt', payments: cash(1) }],
      ['validation_error', { due_date: '2026-06-14' }],
      ['validation_error', { discount: { type: 'amount', value: 1_000 } }],
      ['daily_limit_reached', {}, spent],
      ['date_before_last_document', { date: '2026-06-14' }],
    ];
    for (const [code, body, change] of refused) {
      const before = await everything();
      const preview = await issuing.preview(body, change).catch((error: unknown) => error);
      expect(await everything()).toEqual(before);
      const issue = await issuing.issue(body, randomUUID(), change).catch((error: unknown) => error);
      expect([code, preview]).toEqual([code, issue]);
      expect(preview).toMatchObject({ code, details: (issue as ApiError).details });
    }
    const named = new Set(refused.map(([code]) => code));
    const ofCustomer = new Set(['customer_not_found', 'customer_identity_conflict']);
    expect(previewDocument.errors.filter((code) => !named.has(code) && !ofCustomer.has(code))).toEqual([]);
  });

  it('a refusal of the customer is passed on, and comes before the limit of the day', async () => {
    for (const code of ['customer_not_found', 'customer_identity_conflict'] as const) {
      issuing.match = async () => {
        throw new ApiError(code);
      };
      const spent: Issuer = { kind: 'key', id: randomUUID(), daily_documents: 0 };
      await expect(issuing.preview({}, { issuer: spent })).rejects.toMatchObject({ code });
    }
    issuing.match = async () => {};
  });

  it('a preview with open payments neither requires nor compares them, and a person has no limit of a day', async () => {
    const open = { payments_open: true, issuer: { kind: 'person', id: randomUUID() } } as const;
    const { payments: _none, ...unpaid } = { type: 'receipt' as const, payments: undefined };
    expect((await issuing.preview(unpaid, open)).draft.totals.total).toBe(118);
    const { draft, warnings } = await issuing.preview({ type: 'receipt', payments: cash(1) }, open);
    expect([draft.totals.total, warnings.includes('payments_rounded')]).toEqual([118, false]);
  });

  it('each warning is given where it applies, and only there', async () => {
    const business = { ...issuing.business, id: randomUUID(), tax_authority_connected: true };
    const change = { business };
    const issued = async (body: Partial<CreateDocument>) =>
      (await issuing.issue(body, randomUUID(), change)).document.id;
    const reached = { ...numberedCustomer };
    const warned = async (body: Partial<CreateDocument>, settings: Partial<typeof business> = {}) =>
      warningsOf(
        await issuing.preview({ customer: reached, ...body }, { business: { ...business, ...settings } }),
      );
    const invoice = await issued({ customer: reached });
    const quote = await issued({ type: 'quote', customer: reached });
    await issued({ based_on: quote, customer: reached });
    const receipt = (amount: number, more: Partial<CreateDocument> = {}) =>
      ({
        type: 'receipt',
        based_on: invoice,
        items: net(amount),
        prices_include_vat: true,
        payments: cash(amount),
        ...more,
      }) satisfies Partial<CreateDocument>;
    const institution: Pick<Business, 'legal_type' | 'vat_rate' | 'donation_approval'> = {
      legal_type: 'amuta',
      vat_rate: 0,
      donation_approval: { number: '46-123', valid_until: null },
    };
    const donation: Partial<CreateDocument> = {
      type: 'donation_receipt',
      items: net(100),
      payments: cash(100),
      customer: { name: 'תורם', tax_id: '000000018', email: 'a@example.com' },
    };
    const seen: [PreviewWarning | null, PreviewWarning[]][] = [
      [null, await warned({})],
      [null, await warned(receipt(118))],
      ['number_not_connected', await warned({ items: net(30_000) }, { tax_authority_connected: false })],
      [null, await warned({ items: net(30_000) })],
      [
        'number_customer_tax_id_missing',
        await warned({ items: net(30_000), customer: { name: 'לקוח', email: 'a@example.com' } }),
      ],
      [
        'customer_tax_id_missing',
        await warned(
          { items: net(30_000), customer: { name: 'לקוח', email: 'a@example.com' } },
          { tax_authority_connected: false },
        ),
      ],
      [
        null,
        await warned({
          items: net(30_000),
          customer: { name: 'לקוח', email: 'a@example.com', legal_type: 'private' },
        }),
      ],
      ['number_business_tax_id_missing', await warned({ items: net(30_000) }, { tax_id: null })],
      ['donation_not_connected', await warned(donation, { ...institution, tax_authority_connected: false })],
      [
        'donation_donor_id_missing',
        await warned(
          { ...donation, customer: { name: 'תורם', email: 'a@example.com' } },
          { ...institution, tax_authority_connected: true },
        ),
      ],
      [null, await warned(donation, { ...institution, tax_authority_connected: true })],
      ['source_overpaid', await warned(receipt(118.02))],
      ['source_overcredited', await warned({ type: 'credit_note', based_on: invoice, items: net(101) })],
      ['source_invoiced_twice', await warned({ based_on: quote })],
      [
        'source_of_other_customer',
        await warned(receipt(100, { customer: { id: randomUUID(), email: 'a@example.com' } })),
      ],
      ['date_in_past', await warned({ type: 'order', date: '2026-06-14' })],
      ['due_date_passed', await warned({ type: 'proforma', date: '2026-06-15', due_date: '2026-06-15' })],
      ['total_is_zero', await warned({ items: net(0) })],
      ['payments_rounded', await warned(receipt(100, { payments: cash(99.99) }))],
      ['recipient_missing', await warned({ customer: { name: 'לקוח' } })],
      ['phone_unusable', await warned({ customer: { ...reached, phone: '050-----' } })],
    ];
    issuing.recipient = { suppressed: ['email'], whatsapp_configured: false };
    seen.push(['recipient_suppressed', await warned({})], [null, await warned({ send: false })]);
    const both = { auto_send: { ...business.auto_send, channel: 'both' as const } };
    const byWhatsApp = { auto_send: { ...business.auto_send, channel: 'whatsapp' as const } };
    seen.push([
      'sending_not_possible',
      await warned({ customer: { ...reached, phone: '050-0000000' } }, byWhatsApp),
    ]);
    issuing.recipient = { suppressed: [], whatsapp_configured: true };
    seen.push(['phone_unusable', await warned({ customer: { ...reached, phone: '7911 123456' } }, both)]);
    seen.push([null, await warned({ customer: { ...reached, phone: '972501234567' } }, both)]);
    // A due date of today has not passed.
    const expected = seen.map(([code]) =>
      code === null || code === 'due_date_passed' ? [code, []] : [code, [code]],
    );
    expect(seen).toEqual(expected);
    issuing.clock.now = new Date('2026-06-16T08:00:00Z');
    const passed = await warned({ type: 'proforma', date: '2026-06-15', due_date: '2026-06-15' });
    issuing.clock.now = new Date('2026-06-15T08:00:00Z');
    expect(passed).toEqual(['date_in_past', 'due_date_passed']);
    expect(new Set(seen.map(([code]) => code))).toEqual(new Set([null, ...previewWarnings]));
  });

  it('articles have the description and the price that were used last, of the newest documents of one business', async () => {
    const business = { ...issuing.business, id: randomUUID() };
    const line = (sku: string, unit_price: number, description = `מוצר ${sku}`) => ({
      sku,
      unit_price,
      description,
      quantity: 1,
    });
    const articles = async () =>
      (await issuing.network.call(listArticles, { business_id: business.id })).articles;
    expect(await articles()).toEqual([]);
    await issuing.issue({ items: [line('A-1', 10), line('B-2', 20)] }, randomUUID(), { business });
    await issuing.issue(
      { type: 'quote', items: [line('A-1', 12.5, 'שם חדש'), ...net(3)], prices_include_vat: true },
      randomUUID(),
      { business },
    );
    expect(await articles()).toEqual([
      { sku: 'A-1', description: 'שם חדש', unit_price: 12.5, prices_include_vat: true },
      { sku: 'B-2', description: 'מוצר B-2', unit_price: 20, prices_include_vat: false },
    ]);
  });
});
