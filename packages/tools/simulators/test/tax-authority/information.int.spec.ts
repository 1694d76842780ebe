import { beforeEach, describe, expect, it } from '@jest/globals';
import { Authority, invoice, seller, today } from './authority.js';

const authority = new Authority();
let sellerLogin: string;
let buyerLogin: string;
const buyer = 514713288;

/** A login that acts for the buyer: it has asked for a number as that business. */
beforeEach(async () => {
  sellerLogin = (await authority.login()).access;
  buyerLogin = (await authority.login()).access;
  await authority.approve('of the buyer', buyerLogin, { vat_number: buyer });
});

const lookedUp = {
  customer_vat_number: buyer,
  vat_number: seller.granted,
  payment_amount: 500,
  vat_amount: 85,
  invoice_date: today(),
  invoice_reference_number: '975626515',
};
const path = 'invoice-information/v2/confirmationNumber';
const lookUp = (bearer: string, change: object = {}) =>
  authority.call(path, { ...lookedUp, ...change }, bearer);
const grant = async (id: string, change: object = {}) =>
  (await authority.approve(id, sellerLogin, { customer_vat_number: buyer, ...change })).body
    .confirmation_number;
const nothing = {
  status: 400,
  body: {
    status: 400,
    message: {
      errors: [{ code: 472, message: 'Cannot retrieve information', param: 'body', location: 'request' }],
    },
  },
};

describe('the look-up of a number', () => {
  it('the buyer finds the number by six facts of the invoice, and every wrong one finds nothing', async () => {
    expect(await lookUp(buyerLogin)).toMatchObject(nothing);
    const number = await grant('a');
    const { status, body } = await lookUp(buyerLogin);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 200,
      message: `Invoice confirmation number for the received data is: ${number}`,
      confirmation_number: number,
    });
    const wrong = {
      vat_number: 777777723,
      payment_amount: 500.01,
      vat_amount: 84.99,
      invoice_date: today(-1),
    };
    for (const [key, value] of Object.entries(wrong)) {
      expect(await lookUp(buyerLogin, { [key]: value })).toMatchObject(nothing);
    }
    expect(await lookUp(buyerLogin, { invoice_reference_number: '2' })).toMatchObject(nothing);
  });

  it('the login of the seller has no permission for the buyer, unless anyone may ask by option', async () => {
    const number = await grant('a');
    expect(await lookUp(sellerLogin)).toMatchObject({ status: 406, body: { message: 'Not Acceptable' } });
    await authority.control('_options', { lookupBy: 'anyone' });
    expect((await lookUp(sellerLogin)).body.confirmation_number).toBe(number);
  });

  it('the reference is optional, or required by option, and an invoice_id is unknown', async () => {
    const number = await grant('a');
    const without = { invoice_reference_number: undefined };
    expect((await lookUp(buyerLogin, without)).body.confirmation_number).toBe(number);
    await authority.control('_options', { lookupReference: 'required' });
    expect((await lookUp(buyerLogin, without)).status).toBe(422);
    expect((await lookUp(buyerLogin, { invoice_id: 'a' })).status).toBe(422);
  });

  it('several equal invoices give the newest number, or nothing by option', async () => {
    await grant('a');
    const newest = await grant('b');
    expect((await lookUp(buyerLogin)).body.confirmation_number).toBe(newest);
    await authority.control('_options', { lookupSeveral: 472 });
    expect(await lookUp(buyerLogin)).toMatchObject(nothing);
  });

  it('a number may be found only some time after its grant, by option', async () => {
    await authority.control('_options', { visibleAfterSeconds: 120 });
    await grant('a');
    expect(await lookUp(buyerLogin)).toMatchObject(nothing);
    await authority.control('_clock', { advance_ms: 121_000 });
    expect((await lookUp(buyerLogin)).status).toBe(200);
  });

  it('version 1 reads and writes its keys with capitals', async () => {
    const number = await grant('a');
    const v1 = {
      Customer_VAT_Number: buyer,
      Vat_Number: seller.granted,
      Payment_Amount: 500,
      VAT_Amount: 85,
      Invoice_Date: today(),
    };
    const ofV1 = path.replace('v2', 'v1');
    const { body } = await authority.call(ofV1, v1, buyerLogin);
    expect(body).toMatchObject({ Status: 200, Confirmation_Number: number });
    expect((await authority.call(ofV1, lookedUp, buyerLogin)).status).toBe(422);
    expect((await authority.call(path, v1, buyerLogin)).status).toBe(422);
  });
});

describe('details', () => {
  const details = (body: object, bearer = buyerLogin) =>
    authority.call('invoice-information/v2/details', { customer_vat_number: buyer, ...body }, bearer);

  it('the buyer reads the invoice by nine digits or all', async () => {
    const number = String(await grant('a'));
    for (const confirmation_number of [number, number.slice(-9)]) {
      const { body } = await details({ confirmation_number });
      const { items, invoice_type, payment_amount } = invoice('a');
      expect(body).toMatchObject({ status: 200, message: { items, invoice_type, payment_amount } });
      expect(body.message).not.toHaveProperty('invoice_id');
    }
    expect(await details({ confirmation_number: '123456789' })).toMatchObject(nothing);
    expect((await details({ confirmation_number: number }, sellerLogin)).status).toBe(406);
    expect((await details({ confirmation_number: number, vat_number: 777777723 })).status).toBe(400);
  });
});

describe('MinimumAmount', () => {
  const threshold = (date: string) =>
    authority.call('general-information/v2/MinimumAmount', { date }, sellerLogin);

  it.each([
    ['31-12-2025', 20_000],
    ['01-01-2026', 10_000],
    ['31-05-2026', 10_000],
    ['01-06-2026', 5_000],
  ])('the threshold of %s is %d', async (date, minimum_amount) => {
    expect(await threshold(date)).toMatchObject({ status: 200, body: { status: 200, minimum_amount } });
  });

  it('the form of the date and the thresholds are options', async () => {
    expect((await threshold('2026-06-01')).status).toBe(400);
    await authority.control('_options', { minimumDate: 'YYYY-MM-DD', thresholds: [['2026-01-01', 3_000]] });
    expect((await threshold('2026-06-01')).body.minimum_amount).toBe(3_000);
    expect((await threshold('01-06-2026')).status).toBe(400);
    await authority.control('_options', { minimumDate: 'either' });
    expect((await threshold('01-06-2026')).status).toBe(200);
  });
});

describe('donations', () => {
  const donation = {
    Charity_association_number: buyer,
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
  const report = (change: object = {}, at = 'Donations/v1/Report') =>
    authority.call(at, { ...donation, ...change }, buyerLogin);

  it('a report gets a number, and its cancellation names that number', async () => {
    const { status, body, source } = await report();
    expect(status).toBe(200);
    expect(source).toContain('[C]');
    expect(body.confirmation_number).toMatch(/^405\d{9}$/);
    expect((await report()).body).toEqual(body);
    const cancellation = { Donation_ID: 'd-1-c', Document_type: 410 };
    expect((await report(cancellation)).status).toBe(400);
    const base = { ...cancellation, Base_document_number: body.confirmation_number };
    expect((await report(base)).status).toBe(200);
  });

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
  ])('%s gets no number', async (_what, change, param) => {
    const { status, body } = await report(change);
    expect(status).toBe(400);
    const { errors } = body.message as { errors: { param: string }[] };
    expect(errors.map((error) => error.param)).toContain(param);
  });

  it('a donation by check, transfer or standing order has rows, in a list of any name or of the one of the option', async () => {
    const bank = { Bank_number: 12, Bank_branch_number: 600, Bank_account_number: 123456 };
    const check = { ...bank, Check_number: 77, Check_date: '20261201', Check_amount: 180.5 };
    expect((await report({ Payment_method: 4, rows: [bank] })).status).toBe(200);
    expect((await report({ Donation_ID: 'd-2', Payment_method: 2, rows: [check] })).status).toBe(200);
    expect((await report({ Donation_ID: 'd-3', rows: [bank] })).status).toBe(400);
    await authority.control('_options', { donationRows: 'Bank_details' });
    expect((await report({ Donation_ID: 'd-4', Payment_method: 8, rows: [bank] })).status).toBe(400);
    expect((await report({ Donation_ID: 'd-4', Payment_method: 8, Bank_details: [bank] })).status).toBe(200);
  });

  it('path, number, repeats and a look-up follow their options, and there is no look-up by default', async () => {
    const { confirmation_number } = (await report()).body;
    const at = 'Donations/v1/confirmationNumber';
    const find = () => authority.call(at, { Donation_ID: 'd-1' }, buyerLogin);
    expect((await find()).status).toBe(404);
    await authority.control('_options', { donationsLookUp: at, donationNumber: 'Reporting_number' });
    expect((await find()).body.Reporting_number).toBe(confirmation_number);
    await authority.control('_options', { donationRepeat: 'new' });
    expect((await report()).body.Reporting_number).not.toBe(confirmation_number);
    await authority.control('_options', { donationRepeat: 'error', donationErrorStatus: 200 });
    expect(await report()).toMatchObject({ status: 200, body: { approved: false } });
    await authority.control('_options', { donationsPath: 'Donations/v2/Report' });
    expect((await report()).status).toBe(404);
    expect((await report({ Donation_ID: 'd-5' }, 'Donations/v2/Report')).status).toBe(200);
  });
});
