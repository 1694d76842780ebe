import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  addSetOff,
  auditSeries,
  type CreateDocument,
  fingerprint,
  getDocument,
  listDebts,
  type RequestOf,
  readStatement,
  removeSetOff,
  trails,
} from '@pinkas/contracts';
import { settlementOf, sum, toShekels } from '@pinkas/domain';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

/** Without VAT, so that amounts are the same before and after it. */
const business = { vat_rate: 0 } as const;
const person = randomUUID();
const refused = { code: 'validation_error', details: { errors: [{ path: '/amounts' }] } };

describe('money on account', () => {
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
  const invoice = (total: number) => issue({ items: net(total) });
  const receiptOf = (total: number, body: Partial<CreateDocument> = {}): Partial<CreateDocument> => ({
    ...{ type: 'receipt', items: net(total), payments: cash(total), customer },
    ...body,
  });
  const setOff = (amounts: Record<string, number>, change: Partial<RequestOf<typeof addSetOff>> = {}) =>
    issuing.network.call(addSetOff, {
      ...{ business_id: issuing.business.id, customer_id: customer.id, set_off_id: randomUUID() },
      ...{ person_id: person },
      amounts: Object.entries(amounts).map(([document_id, amount]) => ({ document_id, amount })),
      ...change,
    });
  const remove = (document_id: string, set_off_id: string) =>
    issuing.network.call(removeSetOff, {
      ...{ business_id: issuing.business.id, document_id, set_off_id, person_id: person },
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
    return {
      open: toShekels(sum(debts.map(({ balance }) => BigInt(Math.round(balance * 100))))),
      on_account,
    };
  };
  const findings = async () => {
    const audits = await Promise.all(
      (['tax_invoice', 'proforma', 'receipt'] as const).map((type) =>
        issuing.network.call(auditSeries, {
          business_id: issuing.business.id,
          type,
          after: null,
          limit: 200,
        }),
      ),
    );
    return audits.flatMap(({ documents, wrong_sums }) => [
      ...documents.flatMap((row) => row.findings),
      ...wrong_sums,
    ]);
  };

  it('money on account is set against invoices and lowers both balances, and no document changes', async () => {
    const [first, second] = [await invoice(100), await invoice(50)];
    await issue(receiptOf(120));
    const before = await show(first);
    expect(await account()).toEqual({ open: 150, on_account: 120 });
    expect(await setOff({ [first]: 100, [second]: 15.5 })).toEqual({ on_account: 4.5 });
    expect(await account()).toEqual({ open: 34.5, on_account: 4.5 });
    expect([await balanceOf(first), await balanceOf(second)]).toEqual([
      [0, 'settled'],
      [34.5, 'partly_paid'],
    ]);
    const { document, state } = await show(first);
    expect(document).toEqual(before.document);
    expect(state).toMatchObject({ status: 'open', paid: 0, set_off: 100 });
    const statement = await issuing.network.call(readStatement, {
      ...{ business_id: issuing.business.id, customer_id: customer.id, limit: 10, after: null },
    });
    expect(statement).toMatchObject({ debit: 150, credit: 120, closing: 30, open: 34.5 });
    expect(statement.entries.map((entry) => entry.set_off)).toEqual([100, 15.5, undefined]);
    expect(await findings()).toEqual([]);
  });

  it('a set-off is in the trail of its document in the name of the person, and so is its removal', async () => {
    const id = await invoice(100);
    await issue(receiptOf(100));
    await setOff({ [id]: 60 });
    const { set_offs: [made] = [] } = await show(id);
    await remove(id, made?.set_off_id ?? '');
    const { entries } = await issuing.network.call(trails.issuing.listLatestTrailEntries, {
      ...{ business_id: issuing.business.id, subject: id, before: null, limit: 10 },
    });
    const fact = { type: 'tax_invoice', set_off: '60.00' };
    expect(
      entries.map(({ action, actor, before, after }) => ({ action, actor, before, after })),
    ).toMatchObject([
      { action: 'document.set_off_removed', actor: `person:${person}`, before: fact, after: null },
      { action: 'document.set_off', actor: `person:${person}`, before: null, after: fact },
    ]);
    expect(await account()).toEqual({ open: 100, on_account: 100 });
    await expect(remove(id, made?.set_off_id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await show(id)).set_offs).toBeUndefined();
    expect(await findings()).toEqual([]);
  });

  it('a repeated call sets off once, and the id of an act is that of no other', async () => {
    const [first, second] = [await invoice(100), await invoice(100)];
    await issue(receiptOf(150));
    const set_off_id = randomUUID();
    const replies = await Promise.all([1, 2, 3].map(() => setOff({ [first]: 60 }, { set_off_id })));
    expect(replies).toEqual(replies.map(() => ({ on_account: 90 })));
    expect(await account()).toEqual({ open: 140, on_account: 90 });
    await expect(setOff({ [second]: 60 }, { set_off_id })).rejects.toMatchObject({
      details: { errors: [{ path: '/set_off_id' }] },
    });
  });

  it('money on account is set off once, however many ask for it at once', async () => {
    const invoices = await Promise.all([1, 2, 3, 4].map(() => invoice(100)));
    await issue(receiptOf(150));
    const asked = invoices.map((id) => setOff({ [id]: 100 }));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await account()).toEqual({ open: 300, on_account: 50 });
    // The same of one invoice, of which less is left than is asked for twice.
    const [left = ''] = invoices.filter((_, place) => outcomes[place]?.status === 'rejected');
    const twice = await Promise.allSettled([setOff({ [left]: 30 }), setOff({ [left]: 30 })]);
    expect(twice.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await findings()).toEqual([]);
  });

  it('more than what is left to pay or on account, and a document of another account, are refused', async () => {
    const [id, paid] = [await invoice(100), await invoice(10)];
    await issue(receiptOf(10, { based_on: paid }));
    await issue(receiptOf(120));
    const other = await issue({ items: net(100), customer: { id: randomUUID(), name: 'Other' } });
    const quote = await issue({ type: 'quote', items: net(100) });
    for (const amounts of [{ [id]: 100.01 }, { [id]: 0 }, { [paid]: 1 }, { [other]: 1 }, { [quote]: 1 }]) {
      await expect(setOff(amounts)).rejects.toMatchObject(refused);
    }
    await expect(setOff({ [id]: 100, [await invoice(100)]: 20.01 })).rejects.toMatchObject(refused);
    await expect(setOff({ [randomUUID()]: 1 })).rejects.toMatchObject(refused);
    expect(await account()).toEqual({ open: 200, on_account: 120 });
  });

  it('a credit note for what was set off gives it back to the account', async () => {
    const id = await invoice(100);
    await issue(receiptOf(100));
    await setOff({ [id]: 100 });
    await issue({ type: 'credit_note', based_on: id, items: net(100) });
    expect(await balanceOf(id)).toEqual([-100, 'overpaid']);
    expect(await account()).toEqual({ open: 0, on_account: 100 });
    expect(await findings()).toEqual([]);
  });

  it('a receipt is issued with what it sets off against several invoices, all of it or nothing', async () => {
    const [first, second] = [await invoice(100), await invoice(50)];
    const set_offs = [
      { document_id: first, amount: 100 },
      { document_id: second, amount: 30 },
    ];
    const body = { type: 'receipt', items: net(140), payments: cash(140), customer } as const;
    const tooMuch = [...set_offs.slice(0, 1), { document_id: second, amount: 50.01 }];
    const { released, rendered } = { released: issuing.released.length, rendered: issuing.rendered.length };
    for (const wrong of [tooMuch, [{ document_id: first, amount: 140.01 }]]) {
      await expect(issuing.issue(body, randomUUID(), { set_offs: wrong })).rejects.toMatchObject(refused);
    }
    await expect(
      issuing.issue({ ...body, based_on: first }, randomUUID(), { set_offs }),
    ).rejects.toMatchObject(refused);
    expect([issuing.released.length - released, issuing.rendered.length - rendered]).toEqual([3, 0]);
    const key = randomUUID();
    const issuer = { kind: 'person', id: person } as const;
    const [issued, again] = [
      await issuing.issue(body, key, { set_offs, issuer }),
      await issuing.issue(body, key, { set_offs, issuer }),
    ];
    expect([again.replayed, again.document.id]).toEqual([true, issued.document.id]);
    expect(await account()).toEqual({ open: 20, on_account: 10 });
    expect((await show(first)).set_offs).toMatchObject([{ set_off_id: issued.document.id, amount: 100 }]);
    // The same payment with another choice is another request, and so is the one that an older release would read.
    await expect(issuing.issue(body, key, { set_offs: set_offs.slice(1), issuer })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    const unknown = fingerprint({ body, set_offs: [...set_offs, { document_id: first, amount: 1 }] });
    await expect(
      issuing.issue(body, randomUUID(), { set_offs, body_sha256: unknown.toString('hex') }),
    ).rejects.toMatchObject({ code: 'engine_error' });
    expect(await findings()).toEqual([]);
  });

  it('receipts of one transaction set off no more than what is left to pay', async () => {
    const id = await invoice(100);
    const body = { type: 'receipt', items: net(60), payments: cash(60), customer } as const;
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => issuing.issue(body, randomUUID(), { set_offs: [{ document_id: id, amount: 60 }] })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await account()).toEqual({ open: 40, on_account: 0 });
    expect(await findings()).toEqual([]);
  });

  it('a rendering that fails issues no receipt and sets nothing off', async () => {
    const id = await invoice(100);
    issuing.render = async () => {
      throw new Error('no renderer');
    };
    const set_offs = [{ document_id: id, amount: 100 }];
    await expect(issuing.issue(receiptOf(100), randomUUID(), { set_offs })).rejects.toMatchObject({
      code: 'document_generation_failed',
    });
    issuing.render = async () => {};
    expect(await account()).toEqual({ open: 100, on_account: 0 });
  });
});
