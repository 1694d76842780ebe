import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addWithheld,
  auditSeries,
  type CreateDocument,
  cancelDocument,
  getDocument,
  listDebts,
  listWithheld,
  type ReplyOf,
  type RequestOf,
  readBook,
  readStatement,
  removeSetOff,
  removeWithheld,
  reportPeriod,
  requestFingerprint,
  reviewDocuments,
  trails,
  type WithheldWithReceipt,
} from '@pinkas/contracts';
import { settlementOf, sum, toShekels } from '@pinkas/domain';
import { sql } from 'kysely';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

/** Without VAT, so that amounts are the same before and after it. */
const business = { vat_rate: 0 } as const;
const person = randomUUID();
const issuer = { kind: 'person', id: person } as const;
const refusedAt = (path: string) => ({ code: 'validation_error', details: { errors: [{ path }] } });

describe('tax withheld at source', () => {
  let issuing: IssuingUnderTest;
  let customer: { id: string; name: string };
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0, business, now: new Date('2026-06-30T08:00:00Z') });
  });
  afterAll(() => issuing.stop());
  beforeEach(() => {
    customer = { id: randomUUID(), name: 'Dana' };
  });

  const issue = async (body: Partial<CreateDocument>) =>
    (await issuing.issue({ customer, ...body })).document.id;
  const invoice = (total: number, body: Partial<CreateDocument> = {}) =>
    issue({ items: net(total), ...body });
  const receiptOf = (total: number, body: Partial<CreateDocument> = {}): Partial<CreateDocument> => ({
    ...{ type: 'receipt', items: net(total), payments: cash(total), customer },
    ...body,
  });
  const amountsOf = (amounts: Record<string, number>): WithheldWithReceipt['amounts'] =>
    Object.entries(amounts).map(([document_id, amount]) => ({ document_id, amount }));
  const withhold = (
    document_id: string,
    amount: number,
    change: Partial<RequestOf<typeof addWithheld>> = {},
  ) =>
    issuing.network.call(addWithheld, {
      ...{ business_id: issuing.business.id, document_id, withheld_id: randomUUID(), amount },
      ...{ withheld_on: '2026-06-30', person_id: person, ...change },
    });
  const remove = (document_id: string, withheld_id: string) =>
    issuing.network.call(removeWithheld, {
      ...{ business_id: issuing.business.id, document_id, withheld_id, person_id: person },
    });
  const show = (document_id: string) =>
    issuing.network.call(getDocument, { business_id: issuing.business.id, document_id, detailed: true });
  const balanceOf = async (id: string) => {
    const { document, state } = await show(id);
    const { balance, state: settlement } = settlementOf(document, state);
    return [balance === null ? null : toShekels(balance), settlement];
  };
  /** What is open of the account, and what it has beyond that. */
  const account = async () => {
    const { debts, on_account } = await issuing.network.call(listDebts, {
      ...{ business_id: issuing.business.id, customer_id: customer.id, limit: 100, after: null },
    });
    return [toShekels(sum(debts.map(({ balance }) => BigInt(Math.round(balance * 100))))), on_account];
  };
  const statement = (more: Partial<RequestOf<typeof readStatement>> = {}) =>
    issuing.network.call(readStatement, {
      ...{ business_id: issuing.business.id, customer_id: customer.id, limit: 100, after: null, ...more },
    });
  const findings = async () => {
    const audits = await Promise.all(
      (['tax_invoice', 'proforma', 'receipt'] as const).map((type) =>
        issuing.network.call(auditSeries, {
          ...{ business_id: issuing.business.id, type, after: null, limit: 200 },
        }),
      ),
    );
    return audits.flatMap(({ documents, wrong_sums }) => [
      ...documents.flatMap((row) => row.findings),
      ...wrong_sums,
    ]);
  };

  it('tax that a customer withholds settles what its receipt has left, is credited to its account, and changes no document', async () => {
    const id = await invoice(1180);
    await issue(receiptOf(1140, { based_on: id }));
    const before = await show(id);
    expect(await account()).toEqual([40, 0]);
    await withhold(id, 40, { confirmation: { number: '857-1', date: '2026-06-29' } });
    expect([await balanceOf(id), await account()]).toEqual([
      [0, 'settled'],
      [0, 0],
    ]);
    const { document, state, set_offs, withheld } = await show(id);
    expect([document, set_offs]).toEqual([before.document, undefined]);
    expect(state).toMatchObject({ paid: 1140, set_off: 40, withheld: 40 });
    expect(withheld).toMatchObject([
      {
        ...{ amount: 40, withheld_on: '2026-06-30', receipt: null },
        customer: { id: customer.id, name: 'Dana' },
        confirmation: { number: '857-1', date: '2026-06-29' },
      },
    ]);
    const { entries, ...sums } = await statement();
    expect(sums).toMatchObject({ debit: 1180, credit: 1180, closing: 0, open: 0, documents: 2 });
    expect(
      entries.map(({ type, debit, credit, balance, withheld: of }) => [type, debit, credit, balance, of]),
    ).toEqual([
      ['tax_invoice', 1180, 0, 1180, undefined],
      [
        ...['tax_invoice', 0, 40, 1140],
        { receipt: null, confirmation: { number: '857-1', date: '2026-06-29' } },
      ],
      ['receipt', 0, 1140, 0, undefined],
    ]);
    const { notes } = await issuing.network.call(reviewDocuments, {
      business_id: issuing.business.id,
    });
    expect(notes.filter(({ note }) => note === 'partly_paid')).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  it('a receipt states what was withheld with it, and settles the invoice in the same act', async () => {
    const id = await invoice(1180);
    const withheld = { amounts: amountsOf({ [id]: 40 }), confirmation: { number: '857-1' } };
    const body = receiptOf(1140, { based_on: id });
    const { draft } = await issuing.preview(body, { withheld });
    expect(draft).toMatchObject({ withheld: 40, totals: { total: 1140 } });
    const key = randomUUID();
    const [issued, again] = [
      await issuing.issue(body, key, { withheld, issuer }),
      await issuing.issue(body, key, { withheld, issuer }),
    ];
    expect([again.replayed, again.document]).toEqual([true, issued.document]);
    expect(issued.document).toMatchObject({ withheld: 40, totals: { total: 1140 } });
    expect(issuing.rendered.at(-1)).toMatchObject({ withheld: 40 });
    expect([await balanceOf(id), await account()]).toEqual([
      [0, 'settled'],
      [0, 0],
    ]);
    const receipt = { id: issued.document.id, number: issued.document.number };
    expect((await show(id)).withheld).toMatchObject([
      { amount: 40, receipt, withheld_on: issued.document.date },
    ]);
    expect(await show(receipt.id)).toMatchObject({ withheld: [{ amount: 40, receipt, document: { id } }] });
    const { entries } = await issuing.network.call(readBook, {
      ...{ business_id: issuing.business.id, after: null, limit: 10, document_ids: [receipt.id] },
    });
    expect(entries[0]?.document.withheld).toBe(40);
    // The same payment with another amount is another request, and so is the one that an older release would read.
    await expect(
      issuing.issue(body, key, { withheld: { amounts: amountsOf({ [id]: 39 }) }, issuer }),
    ).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    const unread = requestFingerprint({ body, withheld }).toString('hex');
    await expect(issuing.issue(body, randomUUID(), { body_sha256: unread })).rejects.toMatchObject({
      code: 'engine_error',
    });
    expect(await findings()).toEqual([]);
  });

  it('withheld tax is in the trail of its document in the name of the person, and so is its removal', async () => {
    const id = await invoice(100);
    const body = receiptOf(60, { based_on: id });
    const confirmation = { number: '857-1', date: '2026-06-29' };
    const { document } = await issuing.issue(body, randomUUID(), {
      ...{ withheld: { amounts: amountsOf({ [id]: 40 }), confirmation }, issuer },
    });
    await remove(id, document.id);
    expect([await balanceOf(id), await account()]).toEqual([
      [40, 'partly_paid'],
      [40, 0],
    ]);
    const { entries } = await issuing.network.call(trails.issuing.listLatestTrailEntries, {
      ...{ business_id: issuing.business.id, subject: id, before: null, limit: 10 },
    });
    const fact = {
      ...{ type: 'tax_invoice', withheld: '40.00', withheld_on: document.date },
      ...{ confirmation_number: '857-1', confirmation_date: '2026-06-29' },
    };
    const acts = entries.filter(({ action }) => action.startsWith('document.withheld'));
    expect(acts.map(({ action, actor, before, after }) => ({ action, actor, before, after }))).toMatchObject([
      { action: 'document.withheld_removed', actor: `person:${person}`, before: fact, after: null },
      {
        ...{ action: 'document.withheld', actor: `person:${person}`, before: null },
        after: { ...fact, receipt: document.number },
      },
    ]);
    await expect(remove(id, document.id)).rejects.toMatchObject({ code: 'not_found' });
    // What the receipt states stays, as its PDF does.
    expect((await show(document.id)).document.withheld).toBe(40);
    expect(await findings()).toEqual([]);
  });

  it('more than what is left to pay, nothing, a day after today and an unknown document are refused', async () => {
    const [id, other] = [await invoice(100), await invoice(50)];
    const stranger = await issue({ items: net(100), customer: { id: randomUUID(), name: 'Other' } });
    const quote = await issue({ type: 'quote', items: net(100) });
    for (const [document, amount] of [
      [id, 100.01],
      [id, 0],
      [quote, 1],
    ] as const) {
      await expect(withhold(document, amount)).rejects.toMatchObject(refusedAt('/amount'));
    }
    await expect(withhold(id, 1, { withheld_on: '2026-07-01' })).rejects.toMatchObject(
      refusedAt('/withheld_on'),
    );
    await expect(withhold(randomUUID(), 1)).rejects.toMatchObject({ code: 'not_found' });
    const rendered = issuing.rendered.length;
    const based = receiptOf(60, { based_on: id });
    const wrong: [Partial<CreateDocument>, Record<string, number>][] = [
      [based, { [id]: 40.01 }],
      [based, { [other]: 40 }],
      [receiptOf(60), { [stranger]: 40 }],
      [{ items: net(60) }, { [id]: 40 }],
    ];
    for (const [body, amounts] of wrong) {
      const withheld = { amounts: amountsOf(amounts) };
      const expected = refusedAt('/withheld/amounts');
      await expect(issuing.issue(body, randomUUID(), { withheld })).rejects.toMatchObject(expected);
      await expect(issuing.preview(body, { withheld })).rejects.toMatchObject(expected);
    }
    expect(issuing.rendered).toHaveLength(rendered);
    expect(await account()).toEqual([150, 0]);
  });

  it('a repeated call records once, and the id of an act is that of no other', async () => {
    const [first, second] = [await invoice(100), await invoice(100)];
    const withheld_id = randomUUID();
    await Promise.all([1, 2, 3].map(() => withhold(first, 60, { withheld_id })));
    expect(await balanceOf(first)).toEqual([40, 'partly_paid']);
    await expect(withhold(second, 60, { withheld_id })).rejects.toMatchObject(refusedAt('/withheld_id'));
    // A set-off is removed as one, and what was withheld as that.
    await expect(
      issuing.network.call(removeSetOff, {
        ...{ business_id: issuing.business.id, document_id: first, set_off_id: withheld_id },
      }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const twice = await Promise.allSettled([withhold(first, 30), withhold(first, 30)]);
    expect(twice.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await account()).toEqual([110, 0]);
    expect(await findings()).toEqual([]);
  });

  it('one receipt for several invoices states what was withheld of each', async () => {
    const [first, second] = [await invoice(100), await invoice(50)];
    const { document } = await issuing.issue(receiptOf(140), randomUUID(), {
      issuer,
      set_offs: amountsOf({ [first]: 95, [second]: 45 }),
      withheld: { amounts: amountsOf({ [first]: 5, [second]: 5 }) },
    });
    expect(document.withheld).toBe(10);
    expect([await balanceOf(first), await balanceOf(second), await account()]).toEqual([
      [0, 'settled'],
      [0, 'settled'],
      [0, 0],
    ]);
    expect((await show(first)).set_offs).toMatchObject([{ amount: 95 }]);
    const { entries } = await statement();
    expect(entries.map(({ credit, set_off }) => [credit, set_off])).toEqual([
      ...[
        [0, 95],
        [0, 45],
        [140, undefined],
        [5, undefined],
        [5, undefined],
      ],
    ]);
    const pages = [];
    for (let after: RequestOf<typeof readStatement>['after'] = null, last = false; !last; ) {
      const page = await statement({ limit: 1, after });
      pages.push(...page.entries.map(({ balance }) => balance));
      expect(page.brought_forward).toBe(pages.at(-2) ?? 0);
      last = page.next_after === null;
      after = page.next_after;
    }
    expect(pages).toEqual(entries.map(({ balance }) => balance));
    expect(await findings()).toEqual([]);
  });

  it('a rendering that fails issues no receipt and withholds nothing', async () => {
    const id = await invoice(100);
    issuing.render = async () => {
      throw new Error('no renderer');
    };
    const withheld = { amounts: amountsOf({ [id]: 40 }) };
    await expect(
      issuing.issue(receiptOf(60, { based_on: id }), randomUUID(), { withheld }),
    ).rejects.toMatchObject({ code: 'document_generation_failed' });
    issuing.render = async () => {};
    expect([await balanceOf(id), (await show(id)).withheld]).toEqual([[100, 'unpaid'], undefined]);
    expect(await findings()).toEqual([]);
  });

  it('a credit note for what was withheld gives it to the account, and a receipt on top is an overpayment that is noted', async () => {
    const [credited, overpaid] = [await invoice(100), await invoice(100)];
    await withhold(credited, 30);
    await issue({ type: 'credit_note', based_on: credited, items: net(100) });
    expect([await balanceOf(credited), await account()]).toEqual([
      [-30, 'overpaid'],
      [100, 30],
    ]);
    await withhold(overpaid, 30);
    await issue(receiptOf(100, { based_on: overpaid }));
    expect(await balanceOf(overpaid)).toEqual([-30, 'overpaid']);
    const { document, state } = await show(overpaid);
    expect(settlementOf(document, state).notes).toEqual(['overpaid']);
    expect(await findings()).toEqual([]);
  });

  it('tax that was withheld of a cancelled proforma stays on the account and cannot be removed', async () => {
    const id = await issue({ type: 'proforma', items: net(100) });
    const withheld_id = randomUUID();
    await withhold(id, 30, { withheld_id });
    await issuing.network.call(cancelDocument, {
      ...{ business_id: issuing.business.id, document_id: id, reason: null },
    });
    expect(await account()).toEqual([0, 30]);
    await expect(remove(id, withheld_id)).rejects.toMatchObject(refusedAt('/document_id'));
    expect((await statement()).closing).toBe(-30);
    expect(await findings()).toEqual([]);
  });

  it('lists and sums of a range have it by customer, and VAT, income and what was received do not', async () => {
    const { id: business_id, legal_type } = { ...issuing.business, id: randomUUID() };
    const own = { business: { ...issuing.business, id: business_id } };
    const others = [
      { id: '00000000-0000-4000-8000-000000000001', name: 'First' },
      { id: '00000000-0000-4000-8000-000000000002', name: 'Second' },
    ];
    const range = { from: '2026-01-01', to: '2026-12-31' };
    const report = () => issuing.network.call(reportPeriod, { business_id, legal_type, ...range });
    const invoices = [];
    for (const each of [...others, ...others]) {
      const { document } = await issuing.issue({ items: net(100), customer: each }, randomUUID(), own);
      invoices.push(document.id);
    }
    const { withheld: none, ...before } = await report();
    expect(none).toBeUndefined();
    for (const [place, document_id] of invoices.entries()) {
      await withhold(document_id, 10 * (place + 1), {
        business_id,
        withheld_on: place === 0 ? '2025-12-31' : '2026-02-03',
      });
    }
    const { withheld, ...after } = await report();
    expect(after).toEqual(before);
    expect(withheld).toEqual({
      ...{ amount: 90, customers: 2 },
      by_customer: [
        { ...others[1], tax_id: null, entries: 2, amount: 60 },
        { ...others[0], tax_id: null, entries: 1, amount: 30 },
      ],
    });
    const found: [string, number][] = [];
    for (let from: RequestOf<typeof listWithheld>['after'] = null, last = false; !last; ) {
      const page: ReplyOf<typeof listWithheld> = await issuing.network.call(listWithheld, {
        business_id,
        ...range,
        limit: 1,
        after: from,
      });
      found.push(...page.withheld.map(({ customer: { name }, amount }): [string, number] => [name, amount]));
      last = page.next_after === null;
      from = page.next_after;
    }
    expect(found.map(([name]) => name)).toEqual(['First', 'Second', 'Second']);
    expect(found.map(([, amount]) => amount).sort()).toEqual([20, 30, 40]);
  });

  it('an audit finds what was changed below the service, and the database keeps what a receipt states', async () => {
    const id = await invoice(100);
    const { document } = await issuing.issue(receiptOf(60, { based_on: id }), randomUUID(), {
      withheld: { amounts: amountsOf({ [id]: 40 }) },
    });
    const { db } = issuing.database;
    const change = (statement: ReturnType<typeof sql>) => statement.execute(db);
    await change(sql`update document set withheld = withheld - 1 where id = ${id}`);
    expect(await findings()).toContain(
      'what is withheld of it is not the sum of what was recorded as withheld',
    );
    await change(sql`update document set withheld = withheld + 1 where id = ${id}`);
    await expect(change(sql`update document set withheld = 1 where id = ${document.id}`)).rejects.toThrow(
      'what a receipt states cannot be changed',
    );
    await expect(change(sql`update set_off set amount = 1 where document_id = ${id}`)).rejects.toThrow(
      'can only be removed',
    );
    expect(await findings()).not.toContain('what it states as withheld is not what was recorded with it');
  });
});
