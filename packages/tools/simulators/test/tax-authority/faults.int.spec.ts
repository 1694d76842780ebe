import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Authority, redirectUri } from './authority.js';

const authority = new Authority();
let bearer: string;

beforeEach(async () => {
  bearer = (await authority.login()).access;
});

const approve = (id: string) => authority.approve(id, bearer);
const setMode = (mode: object) => authority.control('_mode', mode);
const options = (change: object) => authority.control('_options', change);
const shownMode = async () => (await authority.read<{ mode: string }>('_calls')).mode;

// What a mode does is seen by the tests of allocation; here are those that no other test uses, and the rules for all.
describe('faults', () => {
  it.each([
    [{ mode: 'unavailable' }, 503, { httpCode: '503' }],
    [{ mode: 'abroad' }, 403, { text: '<html><body>Forbidden</body></html>' }],
    [{ mode: 'wrong_client' }, 401, { httpCode: '401' }],
    [{ mode: 'refuse', code: 471 }, 400, { message: { errors: [{ code: 471 }] } }],
  ])('%j is answered %d, and nothing is granted', async (mode, status, body) => {
    await setMode(mode);
    expect(await approve('a')).toMatchObject({ status, body });
    expect(await authority.read('_calls')).toMatchObject({ granted: [] });
  });

  it.each([
    [{ mode: 'cut' }, []],
    [{ mode: 'cut', granted: true }, [{ invoice_id: 'a' }]],
  ])('%j has no answer, and grants where it is asked to', async (mode, granted) => {
    await setMode({ ...mode, times: 1 });
    await expect(approve('a')).rejects.toThrow('fetch failed');
    expect(await authority.read('_calls')).toMatchObject({ granted });
    expect((await approve('a')).status).toBe(200);
  });

  it('an owner who declines is sent back with an error', async () => {
    await setMode({ operation: 'authorize', mode: 'refuse' });
    const location = (await authority.authorize()).headers.get('location');
    expect(location).toMatch(new RegExp(`^${redirectUri}\\?.*error=access_denied`));
    expect(location).toContain('state=state-1');
  });

  it('a fault with a count ends after that many calls, and one with a time when it is over', async () => {
    await setMode({ mode: 'error', times: 2 });
    expect((await approve('a')).status).toBe(500);
    expect(await shownMode()).toBe('error');
    expect((await approve('b')).status).toBe(500);
    expect((await approve('a')).status).toBe(200);
    expect(await shownMode()).toBe('ok');
    await setMode({ mode: 'not_found', for_ms: 300_000 });
    expect((await approve('c')).status).toBe(404);
    await authority.control('_clock', { advance_ms: 300_001 });
    expect((await approve('c')).status).toBe(200);
  });

  it('the fault of an invoice comes before the fault of its operation, and that before the one for all but OAuth', async () => {
    await setMode({ mode: 'error', invoice_id: 'a' });
    await setMode({ mode: 'refuse', invoice_id: 'b', times: 1 });
    await setMode({ mode: 'forbidden', operation: 'approval' });
    await setMode({ mode: 'rate' });
    await setMode({ mode: 'ok', invoice_id: 'c' });
    expect((await approve('a')).status).toBe(500);
    expect((await approve('b')).body.approved).toBe(false);
    expect((await approve('b')).status).toBe(403);
    expect((await approve('c')).status).toBe(200);
    expect((await authority.call('general-information/v2/MinimumAmount', {}, bearer)).status).toBe(429);
    expect((await authority.login()).answer.status).toBe(200);
    await setMode({ mode: 'unavailable', operation: 'token' });
    expect((await authority.login()).answer.status).toBe(503);
    await setMode({ mode: 'malformed', reset: true });
    expect(await authority.read('_calls')).toMatchObject({ mode: 'malformed', by_invoice: [] });
    await setMode({ reset: true });
    expect((await approve('a')).status).toBe(200);
  });

  it('an invalid fault, option or time is rejected with every reason, and changes nothing', async () => {
    const { status, body } = await setMode({ mode: 'sulk', delay_ms: -1 });
    expect(status).toBe(400);
    expect(body.error).toContain('mode must be one of ok, refuse, error, hang');
    expect(body.error).toContain('delay_ms must be');
    expect(await shownMode()).toBe('ok');
    expect(await options({ repeat: 'maybe', repat: 'new' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('repeat must be one of same, new, error; repat is unknown') },
    });
    expect((await authority.control('_clock', { now: 'noon' })).status).toBe(400);
  });
});

describe('options', () => {
  it('an application gets the answers of the products that it is subscribed to', async () => {
    await options({ subscriptions: ['Donations'] });
    expect(await approve('a')).toMatchObject({ status: 403, body: { httpCode: '403' } });
  });

  it('the decisions are at the path of their option', async () => {
    await options({ decisionsPath: 'Invoice-decision/v1' });
    const unknown = { invoice_id: 'a', vat_number: 777777715, accounting_software_number: 1, user_id: 18 };
    const decide = (at: string) => authority.call(`${at}/Cancel`, unknown, bearer);
    expect((await decide('InvoiceDecisionApi/v1')).status).toBe(404);
    expect((await decide('Invoice-decision/v1')).body.message).toMatchObject({ errors: [{ code: 463 }] });
  });

  it.each([
    ['31-12-2025', 20_000],
    ['01-01-2026', 10_000],
    ['31-05-2026', 10_000],
    ['01-06-2026', 5_000],
  ])('the threshold of %s is %d', async (date, minimum_amount) => {
    const { body } = await authority.call('general-information/v2/MinimumAmount', { date }, bearer);
    expect(body).toMatchObject({ status: 200, minimum_amount });
  });

  it('the README lists every option with its default', async () => {
    const readme = readFileSync(new URL('../../src/tax-authority/README.md', import.meta.url), 'utf8');
    const { options } = await authority.read<{ options: Record<string, unknown> }>('_options');
    const rows = Object.entries(options).map(
      ([name, value]) => `| \`${name}\` | \`${JSON.stringify(value)}\` |`,
    );
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });
});

describe('donations', () => {
  const donation = {
    Charity_association_number: 777777715,
    Donation_ID: 'd-1',
    Receipt_number: '70001',
    Donor_identity: 999999999,
    Donor_name: 'תורם לדוגמה',
    Receipt_date: '20261126',
    Receipt_issuance_date: '20261126',
    Amount_in_NIS: 180.5,
    Document_type: 405,
    Payment_method: 1,
    Accounting_software_number: 99999999,
  };
  const bank = { Bank_number: 12, Bank_branch_number: 600, Bank_account_number: 123456 };
  // The login acts for the institution since it has asked for a number as that.
  beforeEach(() => approve('of the institution'));
  const report = (change: object = {}, at = 'Donations/v1/Report') =>
    authority.call(at, { ...donation, ...change }, bearer);

  it.each([
    ['a key that the paper does not have', { Donation_id: 'x' }, 'Donation_id'],
    ['a date with dashes', { Receipt_date: '2026-11-26' }, 'Receipt_date'],
    ['a name of 65 characters', { Donor_name: 'x'.repeat(65) }, 'Donor_name'],
    ['no donor', { Donor_identity: undefined }, 'Donor_identity'],
    ['a donor with a wrong check digit', { Donor_identity: 123456789 }, 'Donor_identity'],
    ['an unknown means of payment', { Payment_method: 5 }, 'Payment_method'],
    ['a card without a type of transaction', { Payment_method: 3 }, 'Credit_transaction_type'],
    ['a transfer without its bank', { Payment_method: 4 }, 'Bank_number'],
    ['a check without its number', { Payment_method: 2, Rows: [{ Bank_number: 12 }] }, 'Check_number'],
    ['a cancellation without a number', { Document_type: 410 }, 'Base_document_number'],
  ])('%s gets no number', async (_what, change, param) => {
    expect(await report(change)).toMatchObject({
      status: 400,
      body: { message: { errors: expect.arrayContaining([expect.objectContaining({ param })]) } },
    });
  });

  it('a donation by check, transfer or standing order has rows, in a list of any name or of the one of the option', async () => {
    const check = { ...bank, Check_number: 77, Check_date: '20261201', Check_amount: 180.5 };
    expect((await report({ Payment_method: 4, rows: [bank] })).status).toBe(200);
    expect((await report({ Donation_ID: 'd-2', Payment_method: 2, rows: [check] })).status).toBe(200);
    expect((await report({ Donation_ID: 'd-3', rows: [bank] })).status).toBe(400);
    await options({ donationRows: 'Bank_details' });
    expect((await report({ Donation_ID: 'd-4', Payment_method: 8, rows: [bank] })).status).toBe(400);
    expect((await report({ Donation_ID: 'd-4', Payment_method: 8, Bank_details: [bank] })).status).toBe(200);
  });

  it('path, number, repeats and a look-up follow their options, and there is no look-up by default', async () => {
    const { confirmation_number } = (await report()).body;
    expect(confirmation_number).toMatch(/^405\d{9}$/);
    const at = 'Donations/v1/confirmationNumber';
    const find = () => authority.call(at, { Donation_ID: 'd-1' }, bearer);
    expect((await find()).status).toBe(404);
    await options({ donationsLookUp: at, donationNumber: 'Reporting_number' });
    expect((await find()).body.Reporting_number).toBe(confirmation_number);
    await options({ donationRepeat: 'new' });
    expect((await report()).body.Reporting_number).not.toBe(confirmation_number);
    await options({ donationRepeat: 'error', donationErrorStatus: 200 });
    expect(await report()).toMatchObject({ status: 200, body: { approved: false } });
    await options({ donationsPath: 'Donations/v2/Report' });
    expect((await report()).status).toBe(404);
    expect((await report({ Donation_ID: 'd-5' }, 'Donations/v2/Report')).status).toBe(200);
  });
});
