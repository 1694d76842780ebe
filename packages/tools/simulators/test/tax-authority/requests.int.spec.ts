import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Authority, errorBody, invoice, redirectUri, seller, today } from './authority.js';

const authority = new Authority();
const buyer = 514713288;
let bearer: string;
let buyerLogin: string;

beforeEach(async () => {
  bearer = (await authority.login()).access;
});

/** A login acts for the seller that it has asked for a number as. */
const loginAsBuyer = async () => {
  buyerLogin = (await authority.login()).access;
  await authority.approve('of the buyer', buyerLogin, { vat_number: buyer });
};
const approve = (id: string, change: object = {}) => authority.approve(id, bearer, change);
const grant = async (id: string, change: object = {}) =>
  String((await approve(id, change)).body.confirmation_number);
const decide = (decision: string, id: string, at = 'InvoiceDecisionApi/v1') =>
  authority.call(
    `${at}/${decision}`,
    { invoice_id: id, vat_number: seller.granted, accounting_software_number: 1, user_id: 18 },
    bearer,
  );
const options = (change: object) => authority.control('_options', change);
const setMode = (mode: object) => authority.control('_mode', mode);

interface Calls {
  readonly granted: readonly { readonly invoice_id: string }[];
  readonly calls: readonly {
    readonly path: string;
    readonly keys: readonly string[];
    readonly body: unknown;
  }[];
}
const calls = () => authority.read<Calls>('_calls');
const grantedIds = async () => (await calls()).granted.map(({ invoice_id }) => invoice_id);

const refused = errorBody(200, [460, 'Invoice not approved', 'vat_number']);
const refusedBefore = errorBody(200, [
  461,
  'The unapproved invoice exists. No decision was sent',
  'invoice_id',
]);
const decided = errorBody(200, [462, 'The unapproved invoice exists and decision was sent.', 'vat_number']);
const tooOld = [434, 'Invoice date is too old for approval', 'invoice_date'] as const;
const noUser = [446, 'Requeried one of the two fields: user ID or user name', 'user_id / user_name'] as const;

describe('a request for a number', () => {
  it("the portal's own example is approved with a number of 26 digits", async () => {
    const { status, body, source } = await approve('987654321');
    expect([status, source]).toEqual([200, '[A] OA, EX']);
    expect(body).toEqual({
      status: 200,
      message: 'Invoice approved',
      confirmation_number: expect.stringMatching(/^20\d{24}$/),
      approved: true,
    });
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
    expect(ofGateway).toMatchObject({ status: 422, body: { httpMessage: 'Unprocessable Entity' } });
    expect(ofGateway.body.moreInformation).toContain(`[JSV0009] Invalid value of ${param}:`);
    await options({ schemaErrors: 'service' });
    expect(await approve('a', change)).toMatchObject({
      status: 400,
      body: {
        error_id: expect.stringMatching(/^\d{26}$/),
        message: { errors: expect.arrayContaining([expect.objectContaining({ param })]) },
      },
    });
    expect(await grantedIds()).toEqual([]);
  });

  it('optional keys may be null or missing, and a line may give something back', async () => {
    const lines = [{ quantity: -1, total_amount: -10.5, vat_amount: null }];
    const given = { union_vat_number: null, authorized_company: undefined, user_name: null, items: lines };
    expect((await approve('a', given)).status).toBe(200);
    expect((await approve('b', { items: null, customer_name: undefined })).status).toBe(200);
  });

  it('a body that is no JSON, or has a number with a leading zero, gets the 400 of the gateway, and an unknown path its 404', async () => {
    const text = JSON.stringify(invoice('a'));
    for (const broken of ['{', text.replace('777777715', '077777715'), '[]']) {
      expect((await authority.call('Invoices/v2/Approval', broken, bearer)).body.httpCode).toBe('400');
    }
    for (const path of ['Invoices/v1/Approval', 'invoices/v2/Approval', 'Invoice-decision/v1/Cancel']) {
      const { body } = await authority.call(path, {}, bearer);
      expect(body).toMatchObject({ httpCode: '404', moreInformation: 'No resources match requested URI' });
    }
  });

  it('data errors come as 400 with their codes, several at once', async () => {
    const old = { invoice_date: today(-367), user_id: null, user_name: undefined };
    expect((await approve('a', old)).body).toEqual(errorBody(400, tooOld, noUser));
    const [sellers, buyers] = ['vat_number', 'customer_vat_number'].map(
      (param) => [431, 'VAT Number is incorrect', param] as const,
    );
    const wrong = { vat_number: 777777716, customer_vat_number: 514713289 };
    expect((await approve('c', wrong)).body).toEqual(errorBody(400, sellers ?? noUser, buyers ?? noUser));
  });

  it('the sellers of the sandbox have their answers', async () => {
    expect((await approve('a', { vat_number: seller.refused })).body).toEqual(refused);
    expect((await approve('b', { vat_number: seller.undecided })).body).toEqual(refusedBefore);
    expect((await approve('c', { vat_number: seller.decided })).body).toEqual(decided);
  });

  it('a reverse charge gets a number under the refused id, and needs a VAT of 0', async () => {
    await setMode({ mode: 'refuse', times: 1 });
    await approve('a');
    const reverse = { action: 3, vat_amount: 0, payment_amount_including_vat: 500 };
    expect((await approve('a', { ...reverse, vat_amount: 85 })).body.message).toMatchObject({
      errors: [{ code: 437, param: 'vat_amount' }],
    });
    const granted = await approve('a', reverse);
    expect(granted.body.approved).toBe(true);
    expect((await approve('a', reverse)).body).toEqual(granted.body);
    expect((await approve('a')).body).toEqual(decided);
  });

  it('invoices that follow a proforma share its id and its amount', async () => {
    const proforma = await grant('p', { invoice_type: 332, payment_amount: 1000 });
    const after = (reference: string, amount: number) =>
      approve('p', { action: 4, invoice_reference_number: reference, payment_amount: amount });
    const first = await after('1', 600);
    expect(first.body.confirmation_number).not.toBe(proforma);
    expect((await after('1', 600)).body).toEqual(first.body);
    expect((await after('2', 500)).body).toMatchObject({ approved: false, confirmation_number: '0' });
    expect((await after('2', 400)).body.approved).toBe(true);
  });

  it('the invoices of one request are judged one by one, and none where their count does not match', async () => {
    const send = (invoices_amount: number) =>
      authority.call(
        'Multi-invoices/v2/MultiApproval',
        {
          vat_number: seller.granted,
          union_vat_number: null,
          user_id: 18,
          invoices_amount,
          invoices_payment_amount: 1_000,
          invoices_vat_amount: 170,
          invoices_list: [invoice('a'), invoice('c', { invoice_date: today(-400) })],
        },
        bearer,
      );
    expect(await send(3)).toMatchObject({ status: 400, body: { is_error_in_main: true } });
    expect(await grantedIds()).toEqual([]);
    expect((await send(2)).body).toMatchObject({
      status: 200,
      is_error_in_main: false,
      message: {
        success: [{ invoice_id: 'a', confirmation_number: expect.stringMatching(/^\d{26}$/) }],
        errors: [{ invoice_id: 'c', message: { errors: [{ code: 434 }] } }],
      },
    });
  });
});

describe('what the authority remembers', () => {
  it('the same invoice gets the same number, and another one a different number, also after a restart', async () => {
    const first = await grant('a');
    expect(await grant('b')).not.toBe(first);
    // A crash may leave half a line behind; what comes after it must still be kept.
    appendFileSync(join(authority.folder, 'grants.jsonl'), '{"invoice_id":"half');
    await authority.restart();
    bearer = (await authority.login()).access;
    expect(await grant('a')).toBe(first);
    await approve('c');
    expect(await grantedIds()).toEqual(['a', 'b', 'c']);
  });

  it('a refused invoice is remembered by its id: 461, and 462 after a decision, until its hearing is won', async () => {
    await setMode({ mode: 'refuse', times: 1 });
    expect((await approve('a')).body).toEqual(refused);
    await authority.restart();
    bearer = (await authority.login()).access;
    expect((await approve('a')).body).toEqual(refusedBefore);
    expect((await decide('Stop', 'a')).status).toBe(404);
    expect((await decide('Continue', 'a')).body).toEqual({ status: 200, message: 'Decision accepted' });
    expect((await decide('Cancel', 'a')).body.message).toMatchObject({ errors: [{ code: 462 }] });
    expect((await approve('a')).body).toEqual(decided);
    expect((await decide('FurtherObjection', 'a')).status).toBe(200);
    await authority.control('_authority', { won: 'a' });
    expect((await approve('a')).body.approved).toBe(true);
  });

  it('a refresh token is spent by its use: its successor is valid, also after a restart', async () => {
    const { refresh: first } = await authority.login();
    const second = await authority.refresh(first);
    const spent = { status: 400, body: { error: 'invalid_grant' } };
    expect(await authority.refresh(first)).toMatchObject(spent);
    await authority.restart();
    expect(await authority.refresh(first)).toMatchObject(spent);
    const third = await authority.refresh(String(second.body.refresh_token));
    expect(third.status).toBe(200);
    expect((await authority.approve('a', String(third.body.access_token))).body.approved).toBe(true);
    expect((await authority.refresh(String(third.body.refresh_token), 'other')).status).toBe(400);
  });

  it('the calls are listed with their keys, newest last, without tokens or secrets', async () => {
    const { refresh } = await authority.login();
    await authority.refresh(refresh);
    await approve('a');
    const { calls: received } = await calls();
    const [refreshed, approval] = received.slice(-2);
    expect(refreshed?.keys).toEqual(['grant_type', 'refresh_token', 'scope', 'client_id', 'client_secret']);
    expect(refreshed?.body).toEqual({ grant_type: 'refresh_token' });
    expect(approval?.path.split('/').at(-1)).toBe('Approval');
    expect(approval?.keys).toContain('customer_vat_number');
    const shown = JSON.stringify([received, await authority.read('_state')]);
    expect([bearer, refresh].filter((secret) => shown.includes(secret))).toEqual([]);
  });
});

describe('OAuth', () => {
  const turnIn = (form: object, basic = 'pinkas:secret') =>
    authority.token({ grant_type: 'authorization_code', redirect_uri: redirectUri, ...form }, basic);
  const subscribed = 'Invalid client ID or secret, or client not subscribed to this API';

  it('the authorize page refuses the implicit grant, another client and another address', async () => {
    await authority.restart({ clientId: 'pinkas' });
    await options({ redirectUris: [redirectUri] });
    const refusalOf = async (query: Record<string, string>) =>
      (await authority.authorize(query)).json() as Promise<Record<string, string>>;
    expect(await refusalOf({ response_type: 'token' })).toMatchObject({ error: 'unsupported_response_type' });
    const unauthorized = { error: 'unauthorized_client', error_description: subscribed };
    expect(await refusalOf({ client_id: 'other' })).toEqual(unauthorized);
    const upperCase = redirectUri.replace('connected', 'Connected');
    expect(await refusalOf({ redirect_uri: upperCase })).toEqual(unauthorized);
    expect((await authority.authorize()).status).toBe(302);
  });

  it('a code is worth its tokens once, with its own client and address, and others are refused as observed', async () => {
    const refusal = async (form: object) => (await turnIn(form)).body.error_description;
    expect(await refusal({ code: 'wrong' })).toBe('*[pinkas] Failed to verify oauth request signature*');
    expect(await refusal({ code: '' })).toBe('Missing authorization code');
    const code = await authority.code();
    expect(await refusal({ code, redirect_uri: `${redirectUri}/x` })).toContain('Redirect URI specified');
    expect((await turnIn({ code }, 'other:secret')).body.error).toBe('invalid_grant');
    expect((await turnIn({ code, scope: 'scope' })).body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 601,
      refresh_token_expires_in: 7_776_000,
    });
    expect(await refusal({ code })).toContain('Authorization code was used before');
  });

  it.each([
    ['body', true, false],
    ['basic', false, true],
    ['either', true, true],
  ])(
    'a refresh with credentials in the %s alone follows the option',
    async (refreshAuth, inBody, inHeader) => {
      await options({ refreshAuth });
      const ofBody = await authority.refresh((await authority.login()).refresh);
      expect(ofBody.status).toBe(inBody ? 200 : 401);
      const { refresh } = await authority.login();
      const ofHeader = await authority.token(
        { grant_type: 'refresh_token', refresh_token: refresh },
        'pinkas:secret',
      );
      expect(ofHeader.status).toBe(inHeader ? 200 : 401);
      if (!inHeader) {
        // The refused attempt has not spent the token.
        expect((await authority.refresh(refresh)).status).toBe(200);
      }
    },
  );

  it('an access token lasts 601 seconds, also next to a newer one, and no longer than its login', async () => {
    const { access, refresh } = await authority.login();
    const second = String((await authority.refresh(refresh)).body.access_token);
    await authority.control('_clock', { advance_ms: 599_000 });
    expect((await authority.approve('a', access)).status).toBe(200);
    await authority.control('_clock', { advance_ms: 3_000 });
    for (const token of [access, second, 'made-up']) {
      expect((await authority.approve('a', token)).body.httpCode).toBe('401');
    }
    const fresh = (await authority.login()).access;
    await authority.control('_authority', { revoke: true });
    expect((await authority.approve('a', fresh)).status).toBe(401);
  });

  it.each([
    ['the login, however often it was refreshed', {}, [89, 2], [200, 400]],
    [
      'the last refresh, or after a number of them, by options',
      { consentFrom: 'refresh', refreshesMax: 2 },
      [60, 60, 60],
      [200, 200, 400],
    ],
  ])('a consent ends 90 days after %s', async (_when, change, pauses, statuses) => {
    await options(change);
    let { refresh } = await authority.login();
    const seen: number[] = [];
    for (const pause of pauses) {
      await authority.control('_clock', { advance_ms: pause * 86_400_000 });
      const { status, body } = await authority.refresh(refresh);
      seen.push(status);
      refresh = String(body.refresh_token);
    }
    expect(seen).toEqual(statuses);
  });
});

describe('what a buyer reads', () => {
  beforeEach(loginAsBuyer);
  const facts = {
    customer_vat_number: buyer,
    vat_number: seller.granted,
    payment_amount: 500,
    vat_amount: 85,
    invoice_date: today(),
    invoice_reference_number: '975626515',
  };
  const lookUp = (change: object = {}, at = 'v2/confirmationNumber', login = buyerLogin) =>
    authority.call(`invoice-information/${at}`, { ...facts, ...change }, login);
  const codeOf = async (answer: ReturnType<typeof lookUp>) => JSON.stringify((await answer).body);

  it('the buyer finds the number by six facts of the invoice, and every wrong one finds nothing', async () => {
    const number = await grant('a', { customer_vat_number: buyer });
    expect((await lookUp()).body.confirmation_number).toBe(number);
    const wrong = {
      vat_number: 777777723,
      payment_amount: 500.01,
      vat_amount: 84.99,
      invoice_date: today(-1),
    };
    for (const [key, value] of Object.entries({ ...wrong, invoice_reference_number: '2' })) {
      expect(await codeOf(lookUp({ [key]: value }))).toContain('"code":472');
    }
    expect((await lookUp({}, undefined, bearer)).status).toBe(406);
    expect((await lookUp({ invoice_id: 'a' })).status).toBe(422);
  });

  it('the reference may be required, and several equal invoices find nothing, by options', async () => {
    await grant('a', { customer_vat_number: buyer });
    const newest = await grant('b', { customer_vat_number: buyer });
    const without = { invoice_reference_number: undefined };
    expect((await lookUp(without)).body.confirmation_number).toBe(newest);
    await options({ lookupReference: 'required', lookupSeveral: 472 });
    expect((await lookUp(without)).status).toBe(422);
    expect(await codeOf(lookUp())).toContain('"code":472');
  });

  it('version 1 reads and writes its keys with capitals', async () => {
    const number = await grant('a', { customer_vat_number: buyer });
    const v1 = {
      Customer_VAT_Number: buyer,
      Vat_Number: seller.granted,
      Payment_Amount: 500,
      VAT_Amount: 85,
      Invoice_Date: today(),
    };
    const at = 'invoice-information/v1/confirmationNumber';
    expect((await authority.call(at, v1, buyerLogin)).body).toMatchObject({ Confirmation_Number: number });
    expect((await authority.call(at, facts, buyerLogin)).status).toBe(422);
  });

  it('the buyer reads the invoice by nine digits or all, and the seller does not', async () => {
    const number = await grant('a', { customer_vat_number: buyer });
    const details = (confirmation_number: string, login = buyerLogin) =>
      authority.call(
        'invoice-information/v2/details',
        { customer_vat_number: buyer, confirmation_number },
        login,
      );
    const { items, invoice_type, payment_amount } = invoice('a');
    for (const digits of [number, number.slice(-9)]) {
      const { message } = (await details(digits)).body;
      expect(message).toMatchObject({ items, invoice_type, payment_amount });
      expect(message).not.toHaveProperty('invoice_id');
    }
    expect(await codeOf(details('123456789'))).toContain('"code":472');
    expect((await details(number, bearer)).status).toBe(406);
  });
});
