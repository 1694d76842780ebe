import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Business,
  cancelDonation,
  type DonationOutcome,
  donationDue,
  donationSettled,
  endConnection,
  type IssuedDocument,
  listDeadLetteredAllocations,
  listUnresolvedDonations,
  retryAllocation,
  showDonation,
} from '@pinkas/contracts';
import { donationReports, fromShekels, sum, testBookOf } from '@pinkas/domain';
import { eventually, exampleBusiness, exampleDocument, readTrail } from '@pinkas/testkit';
import { type AllocationUnderTest, artifact_sha256, startAllocation } from './allocation.js';
import type { AuthorityMode } from './authority-simulator.js';

let allocation: AllocationUnderTest;
let settledEvents: { document: IssuedDocument; donation: DonationOutcome }[];
const institution: Business = exampleBusiness({
  legal_type: 'amuta',
  donation_approval: { number: '46-123', valid_until: null },
});

const cash = {
  method: 'cash' as const,
  amount: 180,
  date: '2026-03-01',
  reference: null,
  check_number: null,
  check_date: null,
  bank_code: null,
  branch: null,
  account: null,
  card_last_digits: null,
  card_type: null,
};

beforeAll(async () => {
  allocation = await startAllocation({ timeoutMs: 5_000 });
  settledEvents = allocation.network.collect(donationSettled);
});
afterAll(() => allocation.stop());
afterEach(() => allocation.authority.resetModes());

async function donate(change: Partial<IssuedDocument> = {}, business = institution): Promise<IssuedDocument> {
  const payments = change.payments ?? [cash];
  const total = payments.reduce((all, { amount }) => all + amount, 0);
  const document = exampleDocument({
    business_id: business.id,
    type: 'donation_receipt',
    date: '2026-03-01',
    issued_at: '2026-03-01T08:00:00.000Z',
    due_date: null,
    payments,
    totals: { subtotal: total, discount: 0, vat: 0, vat_rate: 0, total, currency: 'ILS' },
    ...change,
  });
  await allocation.network.publish(donationDue, document.id, { document, business, artifact_sha256 });
  return document;
}

const settledOf = (id: string) =>
  settledEvents.filter(({ document }) => document.id === id).map(({ donation }) => donation);
const settled = (id: string, n = 1) =>
  eventually(`donation event ${n} of the receipt`, () => settledOf(id)[n - 1]);
const setMode = (mode: AuthorityMode, id?: string, times?: number) =>
  allocation.authority.setMode({ mode, ...(id && { invoice_id: id }), ...(times && { times }) });

interface Report {
  Donation_ID: string;
  Document_type: number;
  [member: string]: unknown;
}

async function reportsOf(documentId: string): Promise<Report[]> {
  const { calls } = await allocation.authority.calls();
  return calls
    .filter(({ path }) => path.endsWith('/Donations/v1/Report'))
    .map(({ body }) => body as unknown as Report)
    .filter((body) => body?.Donation_ID?.startsWith(documentId));
}

async function grantedOf(documentId: string): Promise<string[]> {
  const calls = (await allocation.authority.calls()) as unknown as {
    donations: { invoice_id: string; confirmation_number: string }[];
  };
  return calls.donations
    .filter(({ invoice_id }) => invoice_id.startsWith(documentId))
    .map(({ confirmation_number }) => confirmation_number);
}

const shown = (document_id: string) => allocation.network.call(showDonation, { document_id });

describe('the report of a donation', () => {
  it('a donation is reported once, with the fields of the authority, and its number is published', async () => {
    const document = await donate();
    const donation = await settled(document.id);
    const granted = await grantedOf(document.id);
    expect(donation).toEqual({ status: 'reported', number: granted[0], reason: null });
    expect(granted).toHaveLength(1);
    expect(await reportsOf(document.id)).toEqual([
      {
        Charity_association_number: Number(institution.tax_id),
        Donation_ID: `${document.id}-1`,
        Receipt_number: '1',
        Donor_identity: Number(document.customer.tax_id),
        Donor_name: document.customer.name,
        Receipt_date: '20260301',
        Receipt_issuance_date: '20260301',
        Amount_in_NIS: 180,
        Document_type: 405,
        Payment_method: 1,
        Accounting_software_number: 99_999_999,
      },
    ]);
    const { donation: view, attempts } = await shown(document.id);
    expect(view).toMatchObject({
      state: 'reported',
      number: granted[0],
      reports: [{ index: 1, means: 'cash', tax_year: 2026, amount: 180, number: granted[0] }],
    });
    expect(attempts).toMatchObject([{ n: 1, outcome: 'granted', number: granted[0] }]);
  });

  it('the same event again reports nothing again', async () => {
    const document = await donate();
    await settled(document.id);
    await allocation.network.publish(donationDue, document.id, {
      document,
      business: institution,
      artifact_sha256,
    });
    const other = await donate();
    await settled(other.id);
    expect(await reportsOf(document.id)).toHaveLength(1);
  });

  it('a receipt with several means is reported once for each, checks by tax year, with its total as their sum', async () => {
    const check = (check_date: string, amount: number) => ({
      ...cash,
      method: 'check' as const,
      amount,
      check_date,
      check_number: '100-7',
      bank_code: 12,
      branch: '600',
      account: '123456',
    });
    const document = await donate({
      payments: [
        check('2026-12-01', 10.1),
        check('2027-01-01', 20.2),
        { ...cash, method: 'credit_card', amount: 30.3, card_last_digits: '1234' },
        { ...cash, method: 'wallet_method_2', amount: 40.4 },
        check('2026-06-01', 50.5),
      ],
    });
    const { number } = await settled(document.id);
    const sent = await reportsOf(document.id);
    expect(sent.map((report) => [report.Donation_ID, report.Payment_method, report.Amount_in_NIS])).toEqual([
      [`${document.id}-1`, 2, 60.6],
      [`${document.id}-2`, 2, 20.2],
      [`${document.id}-3`, 3, 30.3],
      [`${document.id}-4`, 10, 40.4],
    ]);
    expect(sent[0]?.rows).toEqual([
      expect.objectContaining({
        Bank_number: 12,
        Check_number: 1007,
        Check_date: '20261201',
        Check_amount: 10.1,
      }),
      expect.objectContaining({ Check_date: '20260601', Check_amount: 50.5 }),
    ]);
    expect(sent.slice(2).map((report) => report.rows)).toEqual([undefined, undefined]);
    expect(sent[2]).toMatchObject({ Credit_transaction_type: 5, Last_4_credit_card_digits: '1234' });
    expect(sum(sent.map((report) => fromShekels(report.Amount_in_NIS as number)))).toBe(
      fromShekels(document.totals.total),
    );
    expect(number).toBe((await grantedOf(document.id)).join(', '));
  });

  it('a bank transfer has a row, whose bank the receipt does not record', async () => {
    const document = await donate({ payments: [{ ...cash, method: 'bank_transfer' }] });
    expect(await settled(document.id)).toMatchObject({ status: 'reported' });
    expect((await reportsOf(document.id))[0]).toMatchObject({
      Payment_method: 4,
      rows: [{ Bank_number: 0, Bank_branch_number: 0, Bank_account_number: 0 }],
    });
  });

  it('the number of a report is unique among those of its institution, and not among all', async () => {
    const document = await donate();
    const { number } = await settled(document.id);
    const unreported = async (business: Business) => {
      const id = exampleDocument().id;
      await allocation.authority.setMode({ mode: 'status', status: 422, invoice_id: `${id}-1` });
      await donate({ id }, business);
      await settled(id);
      return allocation.database.db
        .updateTable('donation_report')
        .set({ number, answer: '{}' })
        .where('document_id', '=', id)
        .execute();
    };
    await unreported({ ...institution, id: exampleBusiness().id });
    await expect(unreported(institution)).rejects.toThrow('donation_report_number_key');
  });

  it('a donor without an id is anonymous, without a name, and one who lives abroad has a country and a passport', async () => {
    const { customer } = exampleDocument();
    const anonymous = await donate({ customer: { ...customer, tax_id: null } });
    const foreign = await donate({
      customer: { ...customer, tax_id: null },
      foreign_donor: { country: 'FR', passport: '12AB34567' },
    });
    await settled(anonymous.id);
    await settled(foreign.id);
    expect((await reportsOf(anonymous.id))[0]).toMatchObject({
      Donor_identity: 999_999_999,
      Donor_name: 'תרומה בעילום שם',
    });
    expect((await reportsOf(foreign.id))[0]).toMatchObject({
      Donor_identity: 888_888_888,
      Donor_name: customer.name,
      Standard_country_code: 'FR',
      Passport_number: '12AB34567',
    });
  });
});

describe('a report that the authority does not take at once', () => {
  it('a report whose answer was lost is sent again with the same bytes, and the donation is reported once', async () => {
    const id = await donate().then(async (first) => {
      await settled(first.id);
      return first.id;
    });
    expect(await grantedOf(id)).toHaveLength(1);
    await setMode('lost', undefined, 1);
    const document = await donate();
    expect(await settled(document.id)).toMatchObject({ status: 'pending', number: null });
    allocation.advanceClock(6_000);
    const donation = await settled(document.id, 2);
    expect(donation.number).toBe((await grantedOf(document.id))[0]);
    const [first, ...repeated] = await reportsOf(document.id);
    expect(repeated).toEqual([first]);
    expect(await grantedOf(document.id)).toHaveLength(1);
  });

  it('a report that was taken stays, and only the others of its receipt are sent again', async () => {
    const payments = [cash, { ...cash, method: 'bank_transfer' as const, amount: 20 }];
    const document = exampleDocument({ business_id: institution.id, type: 'donation_receipt', payments });
    await setMode('error', `${document.id}-2`, 1);
    await donate({ id: document.id, payments });
    expect(await settled(document.id)).toMatchObject({ status: 'pending', number: null });
    expect((await shown(document.id)).donation?.reports).toMatchObject([
      { number: expect.any(String) },
      { number: null },
    ]);
    allocation.advanceClock(6_000);
    expect(await settled(document.id, 2)).toMatchObject({ status: 'reported' });
    expect((await reportsOf(document.id)).map(({ Donation_ID }) => Donation_ID)).toEqual([
      `${document.id}-1`,
      `${document.id}-2`,
      `${document.id}-2`,
    ]);
    expect(await grantedOf(document.id)).toHaveLength(2);
  });

  it('a refusal is final and published with its reason, and a retry after it reports the donation', async () => {
    const id = exampleDocument().id;
    await setMode('refuse', `${id}-1`);
    await donate({ id });
    expect(await settled(id)).toEqual({
      status: 'refused',
      number: null,
      reason: expect.stringContaining('460 The report was not accepted'),
    });
    const { donations } = await allocation.network.call(listUnresolvedDonations, { limit: 10 });
    expect(donations.find(({ document_id }) => document_id === id)).toMatchObject({
      state: 'refused',
      refusal_codes: ['460'],
    });
    await allocation.authority.resetModes();
    const reply = await allocation.network.call(retryAllocation, { document_id: id });
    expect(reply).toMatchObject({ outcome: 'issued', number: (await grantedOf(id))[0] });
    expect(await settled(id, 2)).toMatchObject({ status: 'reported', number: reply.number });
    expect(await allocation.network.call(retryAllocation, { document_id: id })).toMatchObject({
      outcome: 'not_retryable',
      number: reply.number,
    });
  });

  it('an application that is not subscribed alerts the operator, and the report waits', async () => {
    const id = exampleDocument().id;
    await setMode('forbidden', `${id}-1`);
    await donate({ id });
    expect(await settled(id)).toMatchObject({
      status: 'pending',
      reason: expect.stringContaining('donations product'),
    });
    await allocation.authority.resetModes();
    allocation.advanceClock(300_000);
    expect(await settled(id, 2)).toMatchObject({ status: 'reported' });
  });

  it('a report with a field that the authority does not take is dead-lettered, as a donation', async () => {
    const id = exampleDocument().id;
    await allocation.authority.setMode({ mode: 'status', status: 422, invoice_id: `${id}-1` });
    await donate({ id });
    expect(await settled(id)).toMatchObject({ status: 'failed' });
    const { documents } = await allocation.network.call(listDeadLetteredAllocations, { limit: 500 });
    expect(documents.find(({ document_id }) => document_id === id)).toMatchObject({ kind: 'donation' });
  });

  it('the report of a business whose connection has ended is due when its owner connects it again', async () => {
    const other = await startAllocation({ autoConnect: false });
    try {
      const events = other.network.collect(donationSettled);
      const business = exampleBusiness({ ...institution });
      await other.connect(business.id);
      await other.network.call(endConnection, { business_id: business.id });
      const document = exampleDocument({
        business_id: business.id,
        type: 'donation_receipt',
        payments: [cash],
      });
      document.totals = { ...document.totals, subtotal: 180, vat: 0, total: 180 };
      await other.network.publish(donationDue, document.id, { document, business, artifact_sha256 });
      const first = await eventually('the first outcome', () => events[0]);
      expect(first.donation).toMatchObject({ status: 'pending', reason: expect.stringContaining('connect') });
      await other.connect(business.id);
      other.advanceClock(0);
      const second = await eventually('the second outcome', () => events[1]);
      expect(second.donation).toMatchObject({ status: 'reported', number: expect.any(String) });
    } finally {
      await other.stop();
    }
  });

  it('a process that died in an attempt has an unknown outcome: the same bytes are sent again', async () => {
    const id = exampleDocument().id;
    await setMode('hang', `${id}-1`, 1);
    await donate({ id });
    await eventually('the authority was asked', async () => (await reportsOf(id)).length === 1);
    // As a process that died leaves it: claimed, and without an outcome.
    await settled(id);
    await allocation.database.db
      .updateTable('allocation')
      .set({ claimed_until: new Date(allocation.clock.now.getTime() - 1), outcome_unknown: false })
      .where('document_id', '=', id)
      .execute();
    allocation.advanceClock(6_000);
    expect(await settled(id, 2)).toMatchObject({ status: 'reported' });
    const [first, ...repeated] = await reportsOf(id);
    expect(repeated).toEqual([first]);
    expect(await grantedOf(id)).toHaveLength(1);
  });
});

describe('cancelDonation', () => {
  it('the reports of a donation are cancelled, each by the number of its report, and once', async () => {
    const payments = [cash, { ...cash, method: 'bank_transfer' as const, amount: 20 }];
    const document = await donate({ payments });
    const { number } = await settled(document.id);
    const reason = 'התרומה הוחזרה';
    const reply = await allocation.network.call(cancelDonation, { document_id: document.id, reason });
    expect(reply).toMatchObject({ state: 'cancelled', number, cancellation: { reason } });
    expect(reply.reports.every(({ cancellation_number }) => cancellation_number !== null)).toBe(true);
    expect(await settled(document.id, 2)).toEqual({ status: 'cancelled', number, reason });
    const cancellations = (await reportsOf(document.id)).filter((report) => report.Document_type === 410);
    expect(cancellations.map((report) => [report.Donation_ID, report.Base_document_number])).toEqual(
      reply.reports.map(({ index, number: base }) => [`${document.id}-${index}-c`, base]),
    );
    await allocation.network.call(cancelDonation, { document_id: document.id, reason: 'again' });
    expect((await reportsOf(document.id)).filter((report) => report.Document_type === 410)).toHaveLength(2);
    const entries = await readTrail(allocation.database, document.business_id);
    expect(entries.filter(({ subject }) => subject === document.id)).toMatchObject([
      { action: 'donation.cancel', actor: 'operator', after: { reason } },
    ]);
  });

  it('a cancellation whose answer was lost is sent again, and is one for the authority', async () => {
    const document = await donate();
    await settled(document.id);
    await setMode('lost', `${document.id}-1-c`, 1);
    const reply = await allocation.network.call(cancelDonation, { document_id: document.id, reason: 'x' });
    expect(reply).toMatchObject({ state: 'pending', cancellation: { reason: 'x' } });
    allocation.advanceClock(6_000);
    expect(await settled(document.id, 2)).toMatchObject({ status: 'cancelled' });
    const [first, ...repeated] = (await reportsOf(document.id)).filter(
      (report) => report.Document_type === 410,
    );
    expect(repeated).toEqual([first]);
    expect(await grantedOf(document.id)).toHaveLength(2);
  });

  it('a report that may have arrived is sent again before it is cancelled, since its number is needed', async () => {
    const id = exampleDocument().id;
    await setMode('lost', `${id}-1`, 1);
    await donate({ id });
    expect(await settled(id)).toMatchObject({ status: 'pending' });
    const reply = await allocation.network.call(cancelDonation, { document_id: id, reason: 'x' });
    expect(reply).toMatchObject({ state: 'cancelled', number: (await grantedOf(id))[0] });
    expect(reply.reports).toMatchObject([{ cancellation_number: expect.any(String) }]);
  });

  it('a donation that was never reported is cancelled without a call, and is not reported any more', async () => {
    const id = exampleDocument().id;
    await setMode('refuse', `${id}-1`);
    await donate({ id });
    await settled(id);
    const reply = await allocation.network.call(cancelDonation, { document_id: id, reason: 'x' });
    expect(reply).toMatchObject({ state: 'cancelled', number: null });
    expect(await settled(id, 2)).toEqual({ status: 'cancelled', number: null, reason: 'x' });
    expect(await reportsOf(id)).toHaveLength(1);
  });

  it('a cancellation during the report ends with what was reported cancelled', async () => {
    const id = exampleDocument().id;
    await allocation.authority.setMode({ mode: 'ok', delay_ms: 400, invoice_id: `${id}-1`, times: 1 });
    await donate({ id });
    await eventually('the authority was asked', async () => (await reportsOf(id)).length === 1);
    const reply = await allocation.network.call(cancelDonation, { document_id: id, reason: 'x' });
    expect(reply).toMatchObject({ state: 'cancelled', number: (await grantedOf(id))[0] });
    expect((await settledOf(id)).at(-1)).toMatchObject({ status: 'cancelled' });
  });

  it('a cancellation that the authority refuses leaves the donation reported, with the reason', async () => {
    const document = await donate();
    const { number } = await settled(document.id);
    await setMode('refuse', `${document.id}-1-c`);
    const reply = await allocation.network.call(cancelDonation, { document_id: document.id, reason: 'x' });
    expect(reply).toMatchObject({ state: 'refused', number });
    expect(await settled(document.id, 2)).toEqual({
      status: 'reported',
      number,
      reason: expect.stringContaining('could not be cancelled'),
    });
  });

  it('a document without a donation cannot be cancelled', async () => {
    const { id } = await allocation.issue();
    await allocation.settled(id);
    await expect(
      allocation.network.call(cancelDonation, { document_id: id, reason: 'x' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    expect((await shown(id)).donation).toBeNull();
  });
});

it('a pause of the product of invoices stops no report of a donation', async () => {
  await allocation.authority.setMode({ mode: 'rate', retry_after: 90, times: 1 });
  const { id } = await allocation.issue();
  expect(await allocation.settled(id)).toMatchObject({ status: 'failed' });
  const { id: donated } = await donate();
  expect(await settled(donated)).toMatchObject({ status: 'reported' });
  allocation.advanceClock(90_000);
});

describe('a test book', () => {
  const testBusiness = { ...institution, id: testBookOf(institution.id) };
  it.each([
    [null, 'reported'],
    ['test_donation_reported', 'reported'],
    ['test_donation_refused', 'refused'],
    ['test_donation_failed', 'failed'],
    ['test_donation_late', 'pending'],
  ])(
    'the item %s of a test receipt provokes the outcome %s, and the authority is not asked',
    async (sku, status) => {
      const items = [{ description: 'x', quantity: 1, unit_price: 180, line_total: 180, sku }];
      const document = await donate({ items }, testBusiness);
      expect(await settled(document.id)).toMatchObject({ status });
      if (status === 'pending') {
        allocation.advanceClock(6_000);
        expect(await settled(document.id, 2)).toMatchObject({ status: 'reported' });
      }
      expect(await reportsOf(document.id)).toEqual([]);
    },
  );

  it('the reports of a receipt of a test book are cancelled by the product itself', async () => {
    const document = await donate({}, testBusiness);
    await settled(document.id);
    const reply = await allocation.network.call(cancelDonation, { document_id: document.id, reason: 'x' });
    expect(reply.state).toBe('cancelled');
    expect(donationReports(document)).toHaveLength(1);
    expect(await reportsOf(document.id)).toEqual([]);
  });
});
