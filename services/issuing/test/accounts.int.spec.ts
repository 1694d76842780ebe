import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auditSeries,
  type CreateDocument,
  cancelDocument,
  listDebtors,
  listDebts,
  listTopCustomers,
  type RequestOf,
  readStatement,
  summarizeDebts,
} from '@pinkas/contracts';
import pg from 'pg';
import { agorotTakenAsPaid } from '../src/db/0006-agorot-taken-as-paid.js';
import { agorotAreNothing } from '../src/db/0007-set-off.js';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

/** Without VAT, so that amounts are the same before and after it; due after 30 days. */
const business = { vat_rate: 0, payment_terms_days: 30 } as const;

describe('the accounts of customers', () => {
  let issuing: IssuingUnderTest;
  const ids: Record<string, string> = {};
  const [anna, bar, stranger] = [randomUUID(), randomUUID(), randomUUID()];

  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0, business, now: new Date('2026-06-30T08:00:00Z') });
    const issue = async (name: string, body: Partial<CreateDocument>) => {
      ids[name] = (await issuing.issue({ customer: { id: anna, name: 'Anna' }, ...body })).document.id;
    };
    const on = (name: string) => ({ based_on: ids[name] as string });
    // Due on 31 January: 150 days late.
    await issue('old', { date: '2026-01-01', items: net(1000) });
    await issue('late', { date: '2026-05-01', items: net(500) });
    await issue('of bar', { date: '2026-05-02', customer: { id: bar, name: 'Bar' }, items: net(70) });
    await issue('settled', { date: '2026-06-01', items: net(300) });
    await issue('new', { date: '2026-06-01', due_date: '2026-06-30', items: net(40.01) });
    await issue('overpaid', { date: '2026-06-02', items: net(100) });
    const receive = (name: string, amount: number, body: Partial<CreateDocument> = {}) =>
      issue(`receipt of ${name}`, {
        ...{ type: 'receipt', date: '2026-06-10', ...on(name) },
        ...{ items: net(amount), payments: cash(amount), ...body },
      });
    await receive('old', 250.5);
    await receive('settled', 300, { customer: { id: stranger, name: 'Stranger' } });
    await receive('overpaid', 120);
    await issue('unlinked receipt', {
      type: 'receipt',
      date: '2026-06-10',
      items: net(10),
      payments: cash(10),
    });
    await issue('credit', { type: 'credit_note', date: '2026-06-11', ...on('late'), items: net(100) });
    await issue('sold at once', {
      ...{ type: 'tax_invoice_receipt', date: '2026-06-11', items: net(900), payments: cash(900) },
    });
    await issue('proforma', { type: 'proforma', date: '2026-06-12', items: net(60) });
    await issue('invoiced proforma', { type: 'proforma', date: '2026-06-12', items: net(80) });
    await issue('its invoice', { date: '2026-06-13', ...on('invoiced proforma'), items: net(80) });
    await issue('cancelled proforma', { type: 'proforma', date: '2026-06-13', items: net(90) });
    await issuing.network.call(cancelDocument, {
      business_id: issuing.business.id,
      document_id: ids['cancelled proforma'] as string,
      reason: null,
    });
  });
  afterAll(() => issuing.stop());

  const nameOf = (id: string) => Object.entries(ids).find(([, known]) => known === id)?.[0];
  const debts = async (change: Partial<RequestOf<typeof listDebts>> = {}) =>
    issuing.network.call(listDebts, {
      business_id: issuing.business.id,
      limit: 100,
      after: null,
      ...change,
    });
  const statement = (change: Partial<RequestOf<typeof readStatement>> = {}) =>
    issuing.network.call(readStatement, {
      business_id: issuing.business.id,
      customer_id: anna,
      limit: 100,
      after: null,
      ...change,
    });

  it('listDebts has what is left to pay of each document, the first due first, with the days since its due date', async () => {
    const listed = (await debts()).debts.map((debt) => [
      nameOf(debt.document.id),
      debt.balance,
      debt.days_late,
      debt.age,
    ]);
    expect(listed).toEqual([
      ['old', 749.5, 150, 'days_over_90'],
      ['late', 400, 30, 'days_1_30'],
      ['of bar', 70, 29, 'days_1_30'],
      ['new', 40.01, 0, 'not_due'],
      ['proforma', 60, -12, 'not_due'],
      ['its invoice', 80, -13, 'not_due'],
    ]);
  });

  it('listDebts has the documents of an age, or of a customer, and every document on one page', async () => {
    const namesOf = async (change: Partial<RequestOf<typeof listDebts>>) =>
      (await debts(change)).debts.map(({ document }) => nameOf(document.id));
    expect(await namesOf({ age: 'days_1_30' })).toEqual(['late', 'of bar']);
    expect(await namesOf({ age: 'days_31_60' })).toEqual([]);
    expect(await namesOf({ age: 'days_1_30', customer_id: bar })).toEqual(['of bar']);
    expect(await namesOf({ customer_id: stranger })).toEqual([]);
    const paged: (string | undefined)[] = [];
    let after: RequestOf<typeof listDebts>['after'] = null;
    do {
      const page = await debts({ limit: 2, after });
      paged.push(...page.debts.map(({ document }) => nameOf(document.id)));
      after = page.next_after;
    } while (after !== null);
    expect(paged).toEqual(await namesOf({}));
  });

  it('summarizeDebts sums what is left to pay by age', async () => {
    const {
      business: { id: business_id },
    } = issuing;
    expect(await issuing.network.call(summarizeDebts, { business_id })).toEqual({
      as_of: '2026-06-30',
      customers: 2,
      documents: 6,
      amount: 1399.51,
      late: 1219.5,
      ages: [
        { age: 'not_due', documents: 3, amount: 180.01 },
        { age: 'days_1_30', documents: 2, amount: 470 },
        { age: 'days_31_60', documents: 0, amount: 0 },
        { age: 'days_61_90', documents: 0, amount: 0 },
        { age: 'days_over_90', documents: 1, amount: 749.5 },
      ],
    });
    const nothing = await issuing.network.call(summarizeDebts, { business_id: randomUUID() });
    expect(nothing).toMatchObject({ customers: 0, documents: 0, amount: 0 });
  });

  it('listDebtors has the customers with the largest debts first, and what they have paid beyond their documents', async () => {
    const list = (change: Partial<RequestOf<typeof listDebtors>>) =>
      issuing.network.call(listDebtors, {
        business_id: issuing.business.id,
        limit: 1,
        after: null,
        ...change,
      });
    const first = await list({});
    expect(first.debtors).toMatchObject([
      {
        customer_id: anna,
        name: 'Anna',
        documents: 5,
        amount: 1329.51,
        due_on: '2026-01-31',
        on_account: 30,
      },
    ]);
    expect(first.debtors[0]?.days_late).toBe(150);
    const second = await list({ after: first.next_after });
    expect(second.debtors).toMatchObject([{ customer_id: bar, amount: 70, days_late: 29, on_account: 0 }]);
    expect(second.next_after).toBeNull();
    expect((await list({ limit: 2 })).debtors).toEqual([...first.debtors, ...second.debtors]);
  });

  it('readStatement has the documents of an account with the balance after each, and ends with what is left to pay', async () => {
    const { entries, ...sums } = await statement();
    expect(
      entries.map((entry) => [nameOf(entry.document_id), entry.debit, entry.credit, entry.balance]),
    ).toEqual([
      ['old', 1000, 0, 1000],
      ['late', 500, 0, 1500],
      ['settled', 300, 0, 1800],
      ['new', 40.01, 0, 1840.01],
      ['overpaid', 100, 0, 1940.01],
      ['receipt of old', 0, 250.5, 1689.51],
      ['receipt of settled', 0, 300, 1389.51],
      ['receipt of overpaid', 0, 120, 1269.51],
      ['unlinked receipt', 0, 10, 1259.51],
      ['credit', 0, 100, 1159.51],
      ['sold at once', 900, 900, 1159.51],
      ['proforma', 60, 0, 1219.51],
      ['its invoice', 80, 0, 1299.51],
    ]);
    expect(sums).toEqual({
      ...{ opening: 0, brought_forward: 0, debit: 2980.01, credit: 1680.5, closing: 1299.51 },
      ...{ documents: 13, open: 1329.51, next_after: null },
    });
    // The receipt of another person is on the account that it settles.
    expect((await statement({ customer_id: stranger })).entries).toEqual([]);
  });

  it('readStatement of a period opens with what was before it, and its pages continue the balance', async () => {
    const period = { from: '2026-06-02', to: '2026-06-11' };
    const complete = await statement(period);
    expect(complete).toMatchObject({ opening: 1840.01, closing: 1159.51, documents: 7 });
    const entries: typeof complete.entries = [];
    let after: RequestOf<typeof readStatement>['after'] = null;
    let carried = complete.opening;
    do {
      const page = await statement({ ...period, limit: 2, after });
      expect(page).toMatchObject({ opening: 1840.01, closing: 1159.51, brought_forward: carried });
      entries.push(...page.entries);
      carried = page.entries.at(-1)?.balance ?? carried;
      after = page.next_after;
    } while (after !== null);
    expect(entries).toEqual(complete.entries);
    expect(await statement({ from: '2027-01-01' })).toMatchObject({
      opening: 1299.51,
      closing: 1299.51,
      entries: [],
    });
  });

  it('a proforma asks for its payment again when the last of its invoices is credited in full', async () => {
    const customer = { id: randomUUID(), name: 'Corrected' };
    const issue = async (body: Partial<CreateDocument>) =>
      (await issuing.issue({ customer, ...body })).document.id;
    const open = async () =>
      (await debts({ customer_id: customer.id })).debts.map(({ document, balance }) => [
        document.type,
        balance,
      ]);
    const proforma = await issue({ type: 'proforma', items: net(200) });
    await issue({ type: 'receipt', based_on: proforma, items: net(50), payments: cash(50) });
    expect(await open()).toEqual([['proforma', 150]]);
    const first = await issue({ based_on: proforma, items: net(200) });
    expect(await open()).toEqual([['tax_invoice', 200]]);
    const second = await issue({ based_on: proforma, items: net(20) });
    await issue({ type: 'credit_note', based_on: first, items: net(150) });
    await issue({ type: 'credit_note', based_on: first, items: net(50) });
    expect(await open()).toEqual([['tax_invoice', 20]]);
    // Both in one transaction, where two halves credit one invoice in full.
    const half = { type: 'credit_note', based_on: second, items: net(10) } as const;
    await Promise.all([issue(half), issue(half)]);
    expect(await open()).toEqual([['proforma', 150]]);
    expect(await statement({ customer_id: customer.id })).toMatchObject({ closing: 150, open: 150 });
  });

  it('an agora that receipts leave is paid, whatever follows', async () => {
    const customer = { id: randomUUID(), name: 'Agora' };
    const issue = async (body: Partial<CreateDocument>) =>
      (await issuing.issue({ customer, ...body })).document.id;
    const settle = (type: 'receipt' | 'credit_note', based_on: string, amount: number) =>
      issue({ type, based_on, items: net(amount), ...(type === 'receipt' && { payments: cash(amount) }) });
    const open = async () =>
      (await debts({ customer_id: customer.id })).debts.map(({ document, balance }) => [
        document.id,
        balance,
      ]);
    const wrong = async () => {
      const series = {
        business_id: issuing.business.id,
        type: 'tax_invoice',
        after: null,
        limit: 100,
      } as const;
      const { documents, wrong_sums } = await issuing.network.call(auditSeries, series);
      return [...documents.flatMap(({ findings }) => findings), ...wrong_sums];
    };
    const first = await issue({ items: net(1) });
    await settle('receipt', first, 0.97);
    expect(await open()).toEqual([[first, 0.03]]);
    await settle('receipt', first, 0.02);
    expect(await open()).toEqual([]);
    expect(await wrong()).toEqual([]);
    // The statement closes at what is left to pay: the agora is on the credit side of the invoice.
    const { entries, ...sums } = await statement({ customer_id: customer.id });
    expect(sums).toMatchObject({ debit: 1, credit: 1, closing: 0, open: 0 });
    expect(entries.map(({ debit, credit, balance }) => [debit, credit, balance])).toEqual([
      [1, 0.01, 0.99],
      [0, 0.97, 0.02],
      [0, 0.02, 0],
    ]);
    await settle('receipt', first, 0.01);
    await settle('credit_note', first, 0.5);
    const second = await issue({ items: net(1) });
    await settle('credit_note', second, 0.49);
    await settle('credit_note', second, 0.5);
    expect(await open()).toEqual([]);
    expect(await wrong()).toEqual([]);
    await settle('receipt', second, 0.01);
    const third = await issue({ items: net(2) });
    await Promise.all([settle('receipt', third, 1), settle('receipt', third, 0.99)]);
    expect(await open()).toEqual([]);
    expect(await wrong()).toEqual([]);
    // A proforma that asks again, after a receipt that has left an agora of it.
    const proforma = await issue({ type: 'proforma', items: net(1) });
    await settle('receipt', proforma, 0.99);
    const invoice = await issue({ based_on: proforma, items: net(1) });
    await settle('credit_note', invoice, 1);
    expect(await open()).toEqual([]);
    expect(await wrong()).toEqual([]);
  });

  it('an agora that receipts leave does not lower the credit of the customer', async () => {
    const customer = { id: randomUUID(), name: 'Credit' };
    const issue = async (body: Partial<CreateDocument>) =>
      (await issuing.issue({ customer, ...body })).document.id;
    const settle = (type: 'receipt' | 'credit_note', amount: number, based_on?: string) =>
      issue({
        ...{ type, items: net(amount) },
        ...(based_on && { based_on }),
        ...(type === 'receipt' && { payments: cash(amount) }),
      });
    const { business } = issuing;
    // The list of debtors, and what the statement of each closes at.
    const onAccount = async () => {
      const { debtors } = await issuing.network.call(listDebtors, {
        ...{ business_id: business.id, limit: 100, after: null },
      });
      const { open, closing } = await statement({ customer_id: customer.id });
      const { amount, on_account } = debtors.find(({ customer_id }) => customer_id === customer.id) ?? {};
      expect([amount, on_account]).toEqual([open, Math.round(100 * (open - closing)) / 100]);
      const series = { business_id: business.id, type: 'tax_invoice', after: null, limit: 1 } as const;
      expect((await issuing.network.call(auditSeries, series)).wrong_sums).toEqual([]);
      return on_account;
    };
    await issue({ items: net(200) });
    await settle('receipt', 30);
    const invoice = await issue({ items: net(118) });
    await settle('receipt', 117.99, invoice);
    expect(await onAccount()).toBe(30);
    // An agora beyond the total is nothing either; two are on account.
    const beyond = await issue({ items: net(117.99) });
    await settle('receipt', 118, beyond);
    expect(await onAccount()).toBe(30);
    await settle('receipt', 118, await issue({ items: net(117.98) }));
    expect(await onAccount()).toBe(30.02);
    await settle('credit_note', 50, invoice);
    expect(await onAccount()).toBe(80.01);
    const credited = await issue({ items: net(118) });
    await settle('credit_note', 18, credited);
    await settle('receipt', 99.99, credited);
    expect(await onAccount()).toBe(80.01);
    const onlyCredited = await issue({ items: net(10) });
    await settle('credit_note', 9.99, onlyCredited);
    expect(await onAccount()).toBe(80.01);
    // An invoice asks for the payment of the proforma, of which a receipt has left an agora, until it is credited.
    const proforma = await issue({ type: 'proforma', items: net(60) });
    await settle('receipt', 59.99, proforma);
    expect(await onAccount()).toBe(80.01);
    const its = await issue({ based_on: proforma, items: net(60) });
    expect(await onAccount()).toBe(140);
    await settle('credit_note', 60, its);
    expect(await onAccount()).toBe(80.01);
    // The migration adds what the sums of earlier rows lack: an agora of an invoice, and one of the proforma.
    const owner = new pg.Client({ connectionString: issuing.database.ownerUrl });
    await owner.connect();
    const ofAccount = `account_id = '${customer.id}' and due_on = 'infinity'`;
    const sums = `select documents, open_agorot, on_account_agorot from debt_sum where ${ofAccount}`;
    const migrate = async (statements: string) => {
      const results: unknown = await owner.query(
        `begin; set local pinkas.business_id = '*'; ${sums}; ${statements}; ${sums}; rollback`,
      );
      const found = (results as pg.QueryResult[]).filter(({ command }) => command === 'SELECT');
      return found.map(({ rows }) => rows[0]);
    };
    try {
      const [before, after] = await migrate(agorotTakenAsPaid.statements);
      expect(after).toEqual({ ...before, on_account_agorot: String(Number(before.on_account_agorot) + 2) });
      // As the release before has stored them: an agora was beyond a total, and one was asked for.
      const [unchanged, again] = await migrate(`
        update document set balance = -0.01 where id = '${beyond}';
        update document set balance = 0.01 where id = '${onlyCredited}';
        update debt_sum set on_account_agorot = on_account_agorot + 1 where ${ofAccount};
        update debt_sum set documents = documents + 1, open_agorot = open_agorot + 1
        where account_id in ('${customer.id}', '00000000-0000-0000-0000-000000000000') and due_on in ('infinity', (
          select due_on from document where id = '${onlyCredited}'));
        ${agorotAreNothing}`);
      expect(again).toEqual(unchanged);
    } finally {
      await owner.end();
    }
  });

  it('a document of a total of zero is closed at once and is no debt, and its receipt needs no payments', async () => {
    const customer = { id: randomUUID(), name: 'Free' };
    for (const type of ['tax_invoice', 'proforma', 'tax_invoice_receipt'] as const) {
      const { document, state } = await issuing.issue({ customer, type, items: net(0) });
      expect([document.payments, state.status, state.paid]).toEqual([[], 'closed', 0]);
      if (type !== 'tax_invoice_receipt') {
        const receipt = await issuing.issue({
          customer,
          type: 'receipt',
          based_on: document.id,
          items: net(0),
        });
        expect(receipt.state).toMatchObject({ status: 'closed', paid: 0 });
      }
    }
    expect((await debts({ customer_id: customer.id })).debts).toEqual([]);
    expect(await statement({ customer_id: customer.id })).toMatchObject({ closing: 0, open: 0 });
  });

  it('listTopCustomers has income by customer: invoices less credit notes, and of a business without invoices its receipts', async () => {
    const of = new Set<string>([anna, bar, stranger]);
    const top = async (change: Partial<RequestOf<typeof listTopCustomers>> = {}) => {
      const { customers } = await issuing.network.call(listTopCustomers, {
        ...{ business_id: issuing.business.id, legal_type: 'hevra_baam', from: '2026-01', to: '2026-06' },
        ...{ limit: 20, ...change },
      });
      const known = customers.filter(({ customer_id }) => of.has(customer_id));
      return known.map(({ name, documents, income }) => [name, documents, income]);
    };
    expect(await top()).toEqual([
      ['Anna', 8, 2820.01],
      ['Bar', 1, 70],
    ]);
    expect(await top({ from: '2026-05', to: '2026-05' })).toEqual([
      ['Anna', 1, 500],
      ['Bar', 1, 70],
    ]);
    expect(await top({ from: '2026-02', to: '2026-04' })).toEqual([]);
    expect(await top({ from: '2026-05', to: '2026-05', limit: 1 })).toEqual([['Anna', 1, 500]]);
    // The receipt of another customer is on the account of the one whose invoice it settles, who gives the name.
    expect(await top({ legal_type: 'osek_patur' })).toEqual([['Anna', 4, 680.5]]);
    expect(await top({ business_id: randomUUID() })).toEqual([]);
  });

  it('auditSeries names a document whose balance, and a date or month whose sums, are not those of the book', async () => {
    const { db } = issuing.database;
    const audit = async (type: RequestOf<typeof auditSeries>['type']) => {
      const series = { business_id: issuing.business.id, type, after: null, limit: 200 };
      const { documents, wrong_sums } = await issuing.network.call(auditSeries, series);
      const found = documents.flatMap(({ id, findings }) => findings.map((finding) => [nameOf(id), finding]));
      return { found, wrong_sums };
    };
    for (const type of ['tax_invoice', 'proforma', 'receipt', 'credit_note'] as const) {
      expect(await audit(type)).toEqual({ found: [], wrong_sums: [] });
    }
    await db
      .updateTable('document')
      .set({ balance: '0.01' })
      .where('id', '=', ids.late ?? '')
      .execute();
    await db
      .updateTable('document')
      .set({ balance: null })
      .where('id', '=', ids.proforma ?? '')
      .execute();
    await db.updateTable('payment_sum').set({ amount: '1' }).where('dated_on', '=', '2026-06-10').execute();
    await db
      .updateTable('account_sum')
      .set({ net: '1' })
      .where('account_id', '=', anna)
      .where('month', '=', '2026-05-01')
      .execute();
    const wrong =
      'what is left to pay of it is not what its receipts, credit notes, invoices and set-offs leave';
    expect(await audit('tax_invoice')).toEqual({
      found: [['late', wrong]],
      wrong_sums: [
        { sums: 'account_sum', date: '2026-05-01' },
        { sums: 'debt_sum', date: '2026-05-31' },
        { sums: 'debt_sum', date: '2026-07-12' },
        { sums: 'debt_sum', date: null },
      ],
    });
    // Where nothing is stored as left to pay, it is not settled at all.
    expect((await audit('proforma')).found).toEqual([
      ['proforma', wrong],
      ['proforma', 'how far it is settled is not what is left to pay of it states'],
    ]);
    expect((await audit('receipt')).wrong_sums).toEqual([{ sums: 'payment_sum', date: '2026-06-10' }]);
  });
});
