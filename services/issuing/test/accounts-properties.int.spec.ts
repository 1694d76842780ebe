import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addSetOff,
  addWithheld,
  auditSeries,
  type BookEntry,
  type CreateDocument,
  cancelDocument,
  getDocument,
  type issueDocument,
  listDebtors,
  listDebts,
  listDocuments,
  listPayments,
  printReport,
  type ReplyOf,
  type RequestOf,
  readBook,
  readStatement,
  removeSetOff,
  removeWithheld,
  reportPeriod,
  summarizeDebts,
} from '@pinkas/contracts';
import {
  type Agorot,
  debtAges,
  fromShekels,
  paymentMethods,
  settlementOf,
  settlementStates,
  sum,
  toShekels,
} from '@pinkas/domain';
import { describeSoftware, newPrimaryId, writeUniform } from '@pinkas/exports';
import fc from 'fast-check';
import { cash, type IssuingUnderTest, net, startIssuing } from './issuing.js';

const customers = Array.from({ length: 3 }, () => ({ id: randomUUID(), name: 'לקוח' }));
const methods = ['cash', 'bank_transfer', 'wallet_method_1'] as const;

/** What is done to the book, in the order of the days; `on` is one of the documents before it. */
const step = fc.record({
  does: fc.constantFrom(
    ...([
      'invoice',
      'invoice',
      'invoice',
      'proforma',
      'receipt',
      'receipt',
      'credit',
      'sale',
      'cancel',
    ] as const),
    ...(['set_off', 'set_off', 'remove', 'transfer', 'transfer'] as const),
    ...(['withhold', 'withhold', 'receive'] as const),
  ),
  customer: fc.integer({ min: 0, max: customers.length - 1 }),
  on: fc.option(fc.nat({ max: 30 }), { freq: 6 }),
  agorot: fc.integer({ min: 1, max: 200_000 }),
  terms: fc.integer({ min: 0, max: 150 }),
  method: fc.constantFrom(...methods),
  rate: fc.constantFrom(0, 17, 18),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const seed = 20_260_630;
const first = Date.parse('2026-01-01T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1000;

describe('the accounts and reports of a random book', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0, now: new Date('2026-06-30T08:00:00Z') });
    issuing.network.answer(printReport, () => ({ pdf: Buffer.from('%PDF').toString('base64') }));
  });
  afterAll(() => issuing.stop());

  const agorot = (shekels: number): Agorot => fromShekels(shekels);

  type Issued = ReplyOf<typeof issueDocument>['document'];

  /** Fills a new book. What the rules refuse is not done. */
  async function fill(steps: readonly Step[]): Promise<string> {
    const business = { ...issuing.business, id: randomUUID() };
    const issued: Issued[] = [];
    for (const [index, item] of steps.entries()) {
      const day = new Date(first + Math.floor(index * 4) * dayMs).toISOString().slice(0, 10);
      await apply(business, item, day, issued).catch((error: { code?: string }) => {
        if (error.code === undefined || error.code === 'internal_error') {
          throw error;
        }
      });
    }
    return business.id;
  }

  async function apply(
    business: IssuingUnderTest['business'],
    item: Step,
    date: string,
    issued: Issued[],
  ): Promise<void> {
    const customer = customers[item.customer] as (typeof customers)[number];
    const source = item.on === null ? undefined : issued[item.on % Math.max(1, issued.length)];
    const based = source ? { based_on: source.id } : {};
    const amount = item.agorot / 100;
    const due = new Date(Date.parse(date) + item.terms * dayMs).toISOString().slice(0, 10);
    const payments = (total: number): NonNullable<CreateDocument['payments']> => [
      { method: item.method, amount: total, ...(item.method !== 'cash' && { reference: 'x' }) },
    ];
    if (item.does === 'withhold' || item.does === 'receive') {
      await withhold(business, item, date, payments);
      return;
    }
    if (item.does === 'set_off' || item.does === 'remove' || item.does === 'transfer') {
      await settleFreely(business, item, date, payments);
      return;
    }
    const bodies: Record<'invoice' | 'proforma' | 'receipt' | 'credit' | 'sale', Partial<CreateDocument>> = {
      invoice: { type: 'tax_invoice', due_date: due, ...based },
      proforma: { type: 'proforma', due_date: due },
      receipt: { type: 'receipt', ...based, payments: payments(amount) },
      credit: { type: 'credit_note', ...based },
      sale: { type: 'tax_invoice_receipt', payments: payments(amount) },
    };
    if (item.does === 'cancel') {
      if (source) {
        await issuing.network.call(cancelDocument, {
          business_id: business.id,
          document_id: source.id,
          reason: null,
        });
      }
      return;
    }
    const body = { date, customer, items: net(amount), prices_include_vat: true, ...bodies[item.does] };
    const reply = await issuing.issue(body, randomUUID(), { business: { ...business, vat_rate: item.rate } });
    issued.push(reply.document);
  }

  /** Records that a customer has withheld tax, alone or with a receipt, or removes that. */
  async function withhold(
    business: IssuingUnderTest['business'],
    item: Step,
    date: string,
    payments: (total: number) => NonNullable<CreateDocument['payments']>,
  ): Promise<void> {
    const customer = customers[item.customer] as (typeof customers)[number];
    const account = { business_id: business.id, customer_id: customer.id };
    const { network } = issuing;
    const open = async () => network.call(listDebts, { ...account, limit: 100, after: null });
    const { debts, on_account = 0 } = await open();
    const debt = debts[item.terms % Math.max(1, debts.length)];
    if (!debt || debt.balance < 0.05) {
      return;
    }
    const key = { business_id: business.id, document_id: debt.document.id };
    const { withheld: [known] = [] } = await network.call(getDocument, { ...key, detailed: true });
    let change = 0n;
    // Up to an agora, so that what is nothing occurs.
    const amount = toShekels((agorot(debt.balance) - BigInt(item.terms % 3)) / BigInt(1 + (item.agorot % 2)));
    if (item.does === 'receive') {
      const paid = toShekels((agorot(debt.balance) * 9n) / 10n);
      const left = toShekels(agorot(debt.balance) - agorot(paid) - BigInt(item.terms % 2));
      const body = { type: 'receipt', customer, date, items: net(paid), prices_include_vat: true } as const;
      await issuing.issue({ ...body, payments: payments(paid), based_on: key.document_id }, randomUUID(), {
        business: { ...business, vat_rate: item.rate },
        withheld: { amounts: [{ document_id: key.document_id, amount: left }] },
      });
      change = agorot(debt.balance);
    } else if (known && item.terms % 4 === 0) {
      await network.call(removeWithheld, { ...key, withheld_id: known.withheld_id });
      change = -agorot(known.amount);
    } else {
      const act = { ...key, withheld_id: randomUUID(), amount, withheld_on: date };
      await Promise.all([network.call(addWithheld, act), network.call(addWithheld, act)]);
      change = agorot(amount);
    }
    const after = await open();
    const openOf = (rows: typeof debts) => sum(rows.map(({ balance }) => agorot(balance)));
    const nothing = openOf(debts) - openOf(after.debts) - change;
    expect([-1n, 0n, 1n]).toContain(nothing);
    expect(after.on_account).toBe(on_account);
  }

  /** Sets money on account against what a customer has open, removes that, or issues a receipt for some of it. */
  async function settleFreely(
    business: IssuingUnderTest['business'],
    item: Step,
    date: string,
    payments: (total: number) => NonNullable<CreateDocument['payments']>,
  ): Promise<void> {
    const customer = customers[item.customer] as (typeof customers)[number];
    const account = { business_id: business.id, customer_id: customer.id };
    const { network } = issuing;
    const open = async () => network.call(listDebts, { ...account, limit: 100, after: null });
    const { debts, on_account = 0 } = await open();
    const chosen = debts.slice(0, 3);
    const before = sum(debts.map(({ balance }) => agorot(balance)));
    if (item.does === 'remove') {
      const id = debts[0]?.document.id ?? randomUUID();
      const key = { business_id: business.id, document_id: id };
      const { set_offs: [first] = [] } = await network.call(getDocument, { ...key, detailed: true });
      if (first) {
        await network.call(removeSetOff, { ...key, set_off_id: first.set_off_id });
        const after = await open();
        expect(agorot(after.on_account ?? 0) - agorot(on_account)).toBe(agorot(first.amount));
        expect(sum(after.debts.map(({ balance }) => agorot(balance))) - before).toBe(agorot(first.amount));
      }
      return;
    }
    // Up to an agora, so that what is nothing occurs.
    let rest = item.does === 'transfer' ? agorot(item.agorot / 100) : agorot(on_account);
    const amounts = chosen.flatMap(({ document, balance }) => {
      const amount = [agorot(balance) - BigInt(item.terms % 2), rest].reduce((one, other) =>
        one < other ? one : other,
      );
      rest -= amount;
      return amount > 0n ? [{ document_id: document.id, amount: toShekels(amount) }] : [];
    });
    if (amounts.length === 0) {
      return;
    }
    const total = sum(amounts.map(({ amount }) => agorot(amount)));
    if (item.does === 'set_off') {
      const act = { ...account, set_off_id: randomUUID(), amounts };
      const tooMuch = {
        ...act,
        set_off_id: randomUUID(),
        amounts: [{ ...amounts[0], amount: on_account + 0.01 }],
      };
      await expect(network.call(addSetOff, tooMuch as typeof act)).rejects.toMatchObject({
        code: 'validation_error',
      });
      for (const reply of await Promise.all([network.call(addSetOff, act), network.call(addSetOff, act)])) {
        expect(agorot(reply.on_account)).toBe(agorot(on_account) - total);
      }
    } else {
      const body = {
        type: 'receipt',
        customer,
        date,
        items: net(item.agorot / 100),
        prices_include_vat: true,
      } as const;
      const paid = { ...body, payments: payments(item.agorot / 100) };
      await issuing.issue(paid, randomUUID(), {
        business: { ...business, vat_rate: item.rate },
        set_offs: amounts,
      });
    }
    const { on_account: left = 0 } = await open();
    expect(agorot(left)).toBe(
      agorot(on_account) + (item.does === 'transfer' ? agorot(item.agorot / 100) : 0n) - total,
    );
  }

  async function bookOf(business_id: string): Promise<BookEntry[]> {
    const entries: BookEntry[] = [];
    let after: RequestOf<typeof readBook>['after'] = null;
    do {
      const page: ReplyOf<typeof readBook> = await issuing.network.call(readBook, {
        business_id,
        after,
        limit: 100,
      });
      entries.push(...page.entries);
      after = page.next_after;
    } while (after !== null);
    return entries;
  }

  async function checkDebts(business_id: string, book: readonly BookEntry[]): Promise<void> {
    // What the book states, by the rule of the domain.
    const expected = book.flatMap(({ document, state }) => {
      const { balance } = settlementOf(document, state);
      return balance !== null && balance > 0n ? [[document.id, balance] as const] : [];
    });
    const { debts } = await issuing.network.call(listDebts, { business_id, limit: 100, after: null });
    const listed = debts.map(({ document, balance }) => [document.id, agorot(balance)] as const);
    expect(new Map(listed)).toEqual(new Map(expected));
    for (const state of settlementStates) {
      const { documents } = await issuing.network.call(listDocuments, {
        ...{ business_id, settlement_states: [state], include_cancelled: true, limit: 100, before: null },
      });
      const settled = book.filter(
        ({ document, state: facts }) => settlementOf(document, facts).state === state,
      );
      expect(new Set(documents.map(({ document }) => document.id))).toEqual(
        new Set(settled.map(({ document }) => document.id)),
      );
    }
    const total = sum(expected.map(([, balance]) => balance));
    const summary = await issuing.network.call(summarizeDebts, { business_id });
    expect([summary.documents, agorot(summary.amount)]).toEqual([expected.length, total]);
    expect(summary.ages.map(({ age }) => age)).toEqual([...debtAges]);
    for (const { age, documents, amount } of summary.ages) {
      const ofAge = debts.filter((debt) => debt.age === age);
      expect([documents, agorot(amount)]).toEqual([
        ofAge.length,
        sum(ofAge.map(({ balance }) => agorot(balance))),
      ]);
    }
    for (const type of ['tax_invoice', 'proforma'] as const) {
      const audit = await issuing.network.call(auditSeries, { business_id, type, after: null, limit: 100 });
      expect([audit.wrong_sums, audit.documents.flatMap(({ findings }) => findings)]).toEqual([[], []]);
    }
    const { debtors } = await issuing.network.call(listDebtors, { business_id, limit: 100, after: null });
    expect(sum(debtors.map(({ amount }) => agorot(amount)))).toBe(total);
    for (const { customer_id, amount, on_account } of debtors) {
      const account = await issuing.network.call(readStatement, {
        ...{ business_id, customer_id, limit: 500, after: null },
      });
      expect(agorot(account.closing)).toBe(agorot(amount) - agorot(on_account));
      expect(account.open).toBe(amount);
      expect(account.closing).toBe(account.entries.at(-1)?.balance);
    }
  }

  /** An independent model: what asks for payment, less what was received and credited, of all customers; set-offs change none of it. What is withheld is credited. */
  async function checkStatements(business_id: string, book: readonly BookEntry[]): Promise<void> {
    const asked = sum(
      book.map(({ document, state }) => {
        const { balance } = settlementOf(document, state);
        const { type, totals } = document;
        const { paid, set_off = 0, credited = 0 } = state;
        // An agora that is nothing is not asked for.
        const asks = balance === 0n ? sum([paid, set_off, credited].map(agorot)) : agorot(totals.total);
        return type === 'tax_invoice' || (type === 'proforma' && balance !== null) ? asks : 0n;
      }),
    );
    const settled = sum(
      book.map(({ document: { type, totals, payments }, state: { withheld = 0 } }) => {
        if (type === 'receipt') {
          return sum(payments.map((payment) => agorot(payment.amount)));
        }
        return type === 'credit_note' ? agorot(totals.total) : agorot(withheld);
      }),
    );
    const accounts = await Promise.all(
      customers.map(({ id }) =>
        issuing.network.call(readStatement, { business_id, customer_id: id, limit: 500, after: null }),
      ),
    );
    expect(sum(accounts.map(({ closing }) => agorot(closing)))).toBe(asked - settled);
  }

  async function checkReport(business_id: string, book: readonly BookEntry[]): Promise<void> {
    const { legal_type } = issuing.business;
    const period = { from: '2026-01-15', to: '2026-04-30' };
    const report = await issuing.network.call(reportPeriod, { business_id, legal_type, ...period });
    const out = await mkdtemp(join(tmpdir(), 'pinkas-report-'));
    const business = { ...issuing.business, id: business_id };
    const settings = { registration: '', vendorTaxId: '', vendorName: '' };
    const { files } = await writeUniform(
      (contract, request) => issuing.network.call(contract, request),
      {
        ...{ business, ...period, charset: 'iso-8859-8', out, primaryId: newPrimaryId() },
        ...{ software: describeSoftware(settings, business), startedAt: new Date('2026-06-30T08:00:00Z') },
      },
      () => {},
    ).finally(() => rm(out, { recursive: true, force: true }));
    const uniform = Object.fromEntries(files.typeTotals.map((row) => [row.type, row]));
    expect(sum(report.types.map(({ vat }) => agorot(vat)))).toBe(agorot(report.sales.vat));
    for (const type of ['tax_invoice', 'tax_invoice_receipt', 'credit_note'] as const) {
      const sign = type === 'credit_note' ? -1n : 1n;
      const rows = report.types.filter((row) => row.type === type);
      expect([
        sum(rows.map(({ total }) => agorot(total))),
        rows.reduce((count, row) => count + row.documents, 0),
      ]).toEqual([sign * (uniform[type]?.total ?? 0n), uniform[type]?.documents ?? 0]);
    }
    expect(agorot(report.sales.total)).toBe(
      (uniform.tax_invoice?.total ?? 0n) +
        (uniform.tax_invoice_receipt?.total ?? 0n) -
        (uniform.credit_note?.total ?? 0n),
    );
    const payments = book
      .filter(({ document: { date } }) => date >= period.from && date <= period.to)
      .flatMap(({ document }) => document.payments);
    for (const method of paymentMethods) {
      const expected = sum(
        payments.filter((row) => row.method === method).map(({ amount }) => agorot(amount)),
      );
      const row = report.receipts.find((receipt) => receipt.method === method);
      expect(agorot(row?.amount ?? 0)).toBe(expected);
      const listed = await listedPayments(business_id, method, period);
      expect(sum(listed.map(({ amount }) => agorot(amount)))).toBe(expected);
    }
    expect(sum(report.months.map(({ vat }) => agorot(vat)))).toBe(agorot(report.sales.vat));
    expect(sum(report.rates.map(({ total }) => agorot(total)))).toBe(agorot(report.sales.total));
  }

  async function listedPayments(
    business_id: string,
    method: RequestOf<typeof listPayments>['method'],
    period: { from: string; to: string },
  ) {
    const documents: ReplyOf<typeof listPayments>['documents'] = [];
    let after: RequestOf<typeof listPayments>['after'] = null;
    do {
      const page: ReplyOf<typeof listPayments> = await issuing.network.call(listPayments, {
        ...{ business_id, method, ...period, limit: 2, after },
      });
      documents.push(...page.documents);
      after = page.next_after;
    } while (after !== null);
    expect(new Set(documents.map(({ document }) => document.id)).size).toBe(documents.length);
    return documents;
  }

  it('debts, statements and the report of a period are what the documents of the book amount to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const business_id = await fill(steps);
        const book = await bookOf(business_id);
        await checkDebts(business_id, book);
        await checkStatements(business_id, book);
        await checkReport(business_id, book);
      }),
      { seed, numRuns: 12, endOnFailure: true },
    );
  }, 240_000);

  it('a receipt with several payments is listed once for each of its means', async () => {
    const business = { ...issuing.business, id: randomUUID(), vat_rate: 0 };
    const payments = [...cash(20), ...cash(30), { method: 'bank_transfer', amount: 50 } as const];
    const { document } = await issuing.issue({ type: 'receipt', items: net(100), payments }, randomUUID(), {
      business,
    });
    const period = { from: document.date, to: document.date };
    const [listed] = await listedPayments(business.id, 'cash', period);
    expect(listed).toMatchObject({ amount: 50, payments: [{ amount: 20 }, { amount: 30 }] });
    expect(await listedPayments(business.id, 'bank_transfer', period)).toHaveLength(1);
    expect(await listedPayments(business.id, 'check', period)).toEqual([]);
    const { receipts, received } = await issuing.network.call(reportPeriod, {
      ...{ business_id: business.id, legal_type: 'hevra_baam', ...period },
    });
    expect(receipts).toEqual([
      { method: 'cash', payments: 2, amount: 50 },
      { method: 'bank_transfer', payments: 1, amount: 50 },
    ]);
    expect(received).toBe(100);
  });

  it('a period of more than a year is refused', async () => {
    const period = { business_id: issuing.business.id, from: '2024-01-01', to: '2025-01-01' };
    const refused = { code: 'validation_error', details: { errors: [{ path: '/to' }] } };
    await expect(issuing.network.call(reportPeriod, { ...period, legal_type: null })).rejects.toMatchObject(
      refused,
    );
    await expect(
      issuing.network.call(listPayments, { ...period, method: 'cash', limit: 1, after: null }),
    ).rejects.toMatchObject(refused);
  });
});
