import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Authority, errorBody, invoice, seller, today } from './authority.js';

const authority = new Authority();
let bearer: string;

beforeEach(async () => {
  bearer = (await authority.login()).access;
});

const approve = (id: string, change: object = {}) => authority.approve(id, bearer, change);
const decide = (decision: string, id: string, change: object = {}) =>
  authority.call(
    `InvoiceDecisionApi/v1/${decision}`,
    {
      invoice_id: id,
      vat_number: seller.granted,
      accounting_software_number: 987654321,
      user_id: 18,
      ...change,
    },
    bearer,
  );
const options = (change: object) => authority.control('_options', change);

const refused = errorBody(200, [460, 'Invoice not approved', 'vat_number']);
const refusedBefore = errorBody(200, [
  461,
  'The unapproved invoice exists. No decision was sent',
  'invoice_id',
]);
const decided = errorBody(200, [462, 'The unapproved invoice exists and decision was sent.', 'vat_number']);
const tooOld = [434, 'Invoice date is too old for approval', 'invoice_date'] as const;
const tooEarly = [435, 'Invoice date is more than a month ahead', 'invoice_date'] as const;
const noUser = [446, 'Requeried one of the two fields: user ID or user name', 'user_id / user_name'] as const;

describe('Approval', () => {
  it("the portal's own example is approved with a number of 26 digits", async () => {
    const { status, body, source } = await approve('987654321');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 200,
      message: 'Invoice approved',
      confirmation_number: expect.stringMatching(/^20\d{24}$/),
      approved: true,
    });
    expect(source).toBe('[A] OA, EX');
  });

  it.each([
    ['an unknown key', { Invoice_ID: 'a' }, 'Invoice_ID'],
    ['a VAT number as text', { vat_number: '777777715' }, 'vat_number'],
    ['a buyer of 0', { customer_vat_number: 0 }, 'customer_vat_number'],
    ['no buyer', { customer_vat_number: undefined }, 'customer_vat_number'],
    ['a name of 26 characters', { customer_name: 'x'.repeat(26) }, 'customer_name'],
    ['a reference of zeros and blanks', { invoice_reference_number: ' 00 ' }, 'invoice_reference_number'],
    ['an id of 51 characters', { invoice_id: 'x'.repeat(51) }, 'invoice_id'],
    ['a type outside the table', { invoice_type: 306 }, 'invoice_type'],
    ['an action of v1', { action: 1 }, 'action'],
    ['a negative amount', { payment_amount: -1 }, 'payment_amount'],
    ['a date in another order', { invoice_date: '24-11-2024' }, 'invoice_date'],
    ['an item without bounds', { items: [{ index: 1_000_000 }] }, 'items/0/index'],
    ['an unknown key of an item', { items: [{ name: 'x' }] }, 'items/0/name'],
    ['a note of 101 characters', { invoice_note: 'x'.repeat(101) }, 'invoice_note'],
  ])('%s meets the schema of the gateway, or of the service by option', async (_what, change, param) => {
    const ofGateway = await approve('a', change);
    expect(ofGateway).toMatchObject({
      status: 422,
      body: { httpCode: '422', httpMessage: 'Unprocessable Entity' },
    });
    expect(ofGateway.body.moreInformation).toContain(`[JSV0009] Invalid value of ${param}:`);
    await options({ schemaErrors: 'service' });
    const ofService = await approve('a', change);
    expect(ofService.status).toBe(400);
    expect(ofService.body).toMatchObject({ status: 400, error_id: expect.stringMatching(/^\d{26}$/) });
    const { errors } = ofService.body.message as { errors: { param: string; msg: string }[] };
    expect(errors.map((error) => error.param)).toContain(param);
    expect((await authority.read<{ granted: object[] }>('_calls')).granted).toEqual([]);
  });

  it('optional keys may be null or missing, and a line may give something back', async () => {
    const required = {
      union_vat_number: null,
      authorized_company: undefined,
      user_name: null,
      customer_name: undefined,
      items: [{ quantity: -1, total_amount: -10.5, vat_amount: null }],
    };
    expect((await approve('a', required)).status).toBe(200);
    expect((await approve('b', { items: null })).status).toBe(200);
  });

  it('a body that is no JSON, or has a number with a leading zero, gets the 400 of the gateway', async () => {
    const text = JSON.stringify(invoice('a'));
    for (const broken of ['{', text.replace('777777715', '077777715'), '[]']) {
      expect(await authority.call('Invoices/v2/Approval', broken, bearer)).toMatchObject({
        status: 400,
        body: { httpCode: '400' },
      });
    }
  });

  it('a path that does not exist gets the 404 of the gateway', async () => {
    for (const path of ['Invoices/v1/Approval', 'invoices/v2/Approval', 'Invoice-decision/v1/Cancel']) {
      expect((await authority.call(path, {}, bearer)).body).toEqual({
        httpCode: '404',
        httpMessage: 'Not Found',
        moreInformation: 'No resources match requested URI',
      });
    }
  });

  it('data errors come as 400 with their codes, several at once', async () => {
    const old = { invoice_date: today(-367) };
    expect((await approve('a', old)).body).toEqual(errorBody(400, tooOld));
    expect((await approve('a', { invoice_date: today(32) })).body).toEqual(errorBody(400, tooEarly));
    expect((await approve('a', { invoice_date: today(29) })).status).toBe(200);
    const anonymous = { user_id: null, user_name: undefined };
    expect(await approve('b', { ...old, ...anonymous })).toMatchObject({
      status: 400,
      body: errorBody(400, tooOld, noUser),
    });
    expect((await approve('c', { vat_number: 777777716, customer_vat_number: 514713289 })).body).toEqual(
      errorBody(
        400,
        [431, 'VAT Number is incorrect', 'vat_number'],
        [431, 'VAT Number is incorrect', 'customer_vat_number'],
      ),
    );
  });

  it('sellers and buyers that the authority does not know follow their options', async () => {
    const other = { vat_number: 514713288 };
    expect((await approve('a', other)).body.approved).toBe(true);
    await options({ otherSellers: 500 });
    expect((await approve('b', other)).body).toEqual({
      status: 500,
      message: 'Internal error server',
      error_id: expect.stringMatching(/^\d{26}$/),
    });
    expect((await approve('c')).body.approved).toBe(true);
    await options({ unknownVats: [18] });
    expect((await approve('d')).body.message).toMatchObject({
      errors: [{ code: 431, param: 'customer_vat_number' }],
    });
  });

  it('a login without permission for the seller gets 406 with an id of the error', async () => {
    await options({ permittedVats: [514713288] });
    expect(await approve('a')).toMatchObject({
      status: 406,
      body: { status: 406, message: 'Not Acceptable', error_id: expect.stringMatching(/^\d{26}$/) },
    });
  });

  it('an application that is not subscribed to the product gets the 403 of the gateway', async () => {
    await options({ subscriptions: ['Donations'] });
    expect(await approve('a')).toMatchObject({ status: 403, body: { httpCode: '403' } });
  });

  it('health and liveness answer without a token', async () => {
    for (const path of ['health', 'alive']) {
      expect((await fetch(`${authority.url}/Invoices/v2/${path}`)).status).toBe(200);
    }
    await authority.control('_mode', { operation: 'health', mode: 'unavailable' });
    expect((await fetch(`${authority.url}/Invoices/v2/health`)).status).toBe(503);
  });
});

describe('repeats', () => {
  it('the same invoice gets the same number, and another one a different number, also after a restart', async () => {
    const first = (await approve('a')).body.confirmation_number;
    expect((await approve('b')).body.confirmation_number).not.toBe(first);
    // A crash may leave half a line behind; what comes after it must still be kept.
    appendFileSync(join(authority.folder, 'grants.jsonl'), '{"invoice_id":"half');
    await authority.restart();
    bearer = (await authority.login()).access;
    expect((await approve('a')).body.confirmation_number).toBe(first);
    await approve('c');
    const { granted } = await authority.read<{ granted: { invoice_id: string }[] }>('_calls');
    expect(granted.map((grant) => grant.invoice_id)).toEqual(['a', 'b', 'c']);
  });

  it('a repeat may get a new number or an error, by option', async () => {
    const first = (await approve('a')).body.confirmation_number;
    await options({ repeat: 'new' });
    expect((await approve('a')).body.confirmation_number).not.toBe(first);
    await options({ repeat: 'error' });
    expect(await approve('a')).toMatchObject({
      status: 400,
      body: { approved: false },
      source: '[C] repeat',
    });
    const { grants } = await authority.read<{ grants: Record<string, object[]> }>('_state');
    expect(grants.a).toHaveLength(2);
  });

  it('a type without a number follows its option', async () => {
    const creditNote = { invoice_type: 330 };
    expect((await approve('a', creditNote)).body.approved).toBe(true);
    await options({ noNumber: 'none' });
    expect((await approve('b', creditNote)).body).toMatchObject({
      confirmation_number: '0',
      approved: false,
    });
    await options({ noNumber: 460 });
    expect((await approve('b', creditNote)).body.message).toMatchObject({ errors: [{ code: 460 }] });
    await options({ noNumber: 400 });
    expect((await approve('b', creditNote)).status).toBe(400);
    expect((await approve('c')).body.approved).toBe(true);
  });
});

describe('refusals', () => {
  it('the sellers of the sandbox have their answers', async () => {
    expect((await approve('a', { vat_number: seller.refused })).body).toEqual(refused);
    expect((await approve('b', { vat_number: seller.undecided })).body).toEqual(refusedBefore);
    expect((await approve('c', { vat_number: seller.decided })).body).toEqual(decided);
  });

  it('a refused invoice is remembered by its id: 461, and 462 after a decision', async () => {
    await authority.control('_mode', { mode: 'refuse', times: 1 });
    expect((await approve('a')).body).toEqual(refused);
    expect((await approve('a')).body).toEqual(refusedBefore);
    await authority.restart();
    bearer = (await authority.login()).access;
    expect((await approve('a')).body).toEqual(refusedBefore);
    expect(await decide('Cancel', 'a')).toMatchObject({
      status: 200,
      body: { status: 200, message: 'Decision accepted' },
    });
    expect((await approve('a')).body).toEqual(decided);
    expect((await approve('b')).body.approved).toBe(true);
  });

  it('a decision about an invoice that was not refused, a second one, and one without a user are rejected', async () => {
    const request = (code: number, message: string, param: string) => ({
      status: 400,
      body: { status: 400, message: { errors: [{ code, message, param, location: 'request' }] } },
    });
    const unknown = request(463, 'No matching unapproved invoice found', 'invoice_id');
    expect(await decide('Continue', 'a')).toMatchObject(unknown);
    await approve('a', { vat_number: seller.refused });
    expect(await decide('Continue', 'a')).toMatchObject(unknown);
    const ofSeller = { vat_number: seller.refused };
    expect(await decide('Continue', 'a', { ...ofSeller, user_id: null })).toMatchObject(request(...noUser));
    expect((await decide('Continue', 'a', ofSeller)).status).toBe(200);
    const again = await decide('Continue', 'a', ofSeller);
    expect(again).toMatchObject({ status: 400, body: { message: { errors: [{ code: 462 }] } } });
    expect((await decide('Stop', 'a')).status).toBe(404);
  });

  it('a hearing may follow after continue, and once it is won the same id is granted', async () => {
    const refuseOne = async (id: string) => {
      await authority.control('_mode', { mode: 'refuse', invoice_id: id, times: 1 });
      await approve(id);
      expect((await decide('Continue', id)).status).toBe(200);
    };
    await refuseOne('a');
    expect((await decide('FurtherObjection', 'a')).status).toBe(200);
    expect((await approve('a')).body).toEqual(decided);
    await authority.control('_authority', { won: 'a' });
    expect((await approve('a')).body.approved).toBe(true);
    await options({ objectionAfterContinue: 462 });
    await refuseOne('b');
    expect((await decide('FurtherObjection', 'b')).status).toBe(400);
  });

  it('a reverse charge gets a number under the refused id, and needs a VAT of 0', async () => {
    const reverse = {
      action: 3,
      vat_amount: 0,
      payment_amount_including_vat: 500,
      invoice_reference_number: '2',
    };
    await authority.control('_mode', { mode: 'refuse', times: 1 });
    await approve('a');
    expect((await approve('a', { ...reverse, vat_amount: 85 })).body.message).toMatchObject({
      errors: [{ code: 437, param: 'vat_amount' }],
    });
    const granted = await approve('a', reverse);
    expect(granted.body.approved).toBe(true);
    expect((await approve('a', reverse)).body).toEqual(granted.body);
    expect((await approve('a')).body).toEqual(decided);
    await options({ reverseChargeUnrefused: 463 });
    expect((await approve('b', reverse)).body.message).toMatchObject({ errors: [{ code: 463 }] });
  });

  it('the decisions are at the path of their option', async () => {
    await options({ decisionsPath: 'Invoice-decision/v1' });
    expect((await decide('Cancel', 'a')).status).toBe(404);
    const sent = {
      invoice_id: 'a',
      vat_number: seller.undecided,
      accounting_software_number: 1,
      user_id: 18,
    };
    expect((await authority.call('Invoice-decision/v1/Cancel', sent, bearer)).status).toBe(200);
  });
});

describe('proforma', () => {
  it('invoices that follow a proforma share its id and its amount', async () => {
    const proforma = await approve('p', { invoice_type: 332, payment_amount: 1000 });
    const after = (reference: string, amount: number) =>
      approve('p', { action: 4, invoice_reference_number: reference, payment_amount: amount });
    const first = await after('1', 600);
    expect(first.body.approved).toBe(true);
    expect(first.body.confirmation_number).not.toBe(proforma.body.confirmation_number);
    expect((await after('1', 600)).body).toEqual(first.body);
    expect((await after('2', 500)).body).toMatchObject({ approved: false, confirmation_number: '0' });
    expect((await after('2', 400)).body.approved).toBe(true);
  });
});

describe('MultiApproval', () => {
  const head = (list: readonly ReturnType<typeof invoice>[], change: object = {}) => ({
    vat_number: seller.granted,
    union_vat_number: null,
    user_id: 18,
    invoices_amount: list.length,
    invoices_payment_amount: 500 * list.length,
    invoices_vat_amount: 85 * list.length,
    invoices_list: list,
    ...change,
  });
  const send = (body: object) => authority.call('Multi-invoices/v2/MultiApproval', body, bearer);
  const failure = (id: string, body: object) => {
    const { message } = body as { message: object };
    return { invoice_id: id, message, confirmation_number: '0', approved: false };
  };
  const mainOf = (status: number) => ({
    status,
    transaction_id: expect.stringMatching(/^\d{26}$/),
    is_error_in_main: false,
    vat_number: seller.granted,
    union_vat_number: 0,
  });

  it('invoices are judged one by one, and the lists name each', async () => {
    await authority.control('_mode', { mode: 'refuse', invoice_id: 'b' });
    const list = [
      invoice('a'),
      invoice('b', { vat_number: seller.refused }),
      invoice('c', { invoice_date: today(-400) }),
    ];
    const { status, body } = await send(head(list));
    expect(status).toBe(200);
    expect(body).toEqual({
      ...mainOf(200),
      message: {
        success: [
          { invoice_id: 'a', confirmation_number: expect.stringMatching(/^\d{26}$/), approved: true },
        ],
        errors: [failure('b', refused), failure('c', errorBody(400, tooOld))],
      },
    });
  });

  it('a list of data errors alone is a 400 without successes', async () => {
    const unnamed = { user_id: null, user_name: null };
    const list = [
      invoice('a', { invoice_date: today(-400), ...unnamed }),
      invoice('b', { invoice_date: today(40) }),
    ];
    const { status, body } = await send(head(list));
    expect(status).toBe(400);
    expect(body).toEqual({
      ...mainOf(400),
      message: {
        errors: [failure('a', errorBody(400, tooOld, noUser)), failure('b', errorBody(400, tooEarly))],
      },
    });
  });

  it('a head that does not match is a 438, and nothing of the list is processed', async () => {
    const { status, body } = await send(head([invoice('a')], { invoices_amount: 2 }));
    expect(status).toBe(400);
    const wrongCount = errorBody(400, [
      438,
      'Invoices amount is not the same as actual invoices amount',
      'invoices_amount',
    ]);
    expect(body).toEqual({
      ...mainOf(400),
      is_error_in_main: true,
      message: { errors: [failure('0', wrongCount)] },
    });
    expect((await authority.read<{ granted: object[] }>('_calls')).granted).toEqual([]);
  });
});
