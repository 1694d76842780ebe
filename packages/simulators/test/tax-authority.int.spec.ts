import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningSimulator } from '../src/http.js';
import { startTaxAuthority } from '../src/tax-authority/tax-authority-simulator.js';

const redirectUri = 'http://127.0.0.1:9/connected';
let folder: string;
let authority: RunningSimulator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tax-authority-test-'));
  authority = await start();
});
afterEach(async () => {
  await authority.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(more: object = {}): Promise<RunningSimulator> {
  return startTaxAuthority({ host: '127.0.0.1', port: 0, dataDir: folder, ...more });
}

async function restart(): Promise<void> {
  await authority.close();
  authority = await start();
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function authorize(query: Record<string, string>): Promise<Response> {
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: 'pinkas',
    scope: 'scope',
    redirect_uri: redirectUri,
    state: 'state-1',
    ...query,
  });
  return fetch(`${authority.url}/shaam/tsandbox/longtimetoken/oauth2/authorize?${search}`, {
    redirect: 'manual',
  });
}

async function newCode(): Promise<string> {
  const location = new URL((await authorize({})).headers.get('location') ?? '');
  return location.searchParams.get('code') ?? '';
}

async function token(form: Record<string, string>, client = 'pinkas:secret'): Promise<Answer> {
  return answerOf(
    await fetch(`${authority.url}/shaam/tsandbox/longtimetoken/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
      body: new URLSearchParams(form),
    }),
  );
}

const fromCode = async () =>
  token({
    grant_type: 'authorization_code',
    code: await newCode(),
    redirect_uri: redirectUri,
    scope: 'scope',
  });

async function accessToken(): Promise<string> {
  return String((await fromCode()).body.access_token);
}

async function call(path: string, body: object | string, bearer: string): Promise<Answer> {
  return answerOf(await post(path, body, bearer));
}

function post(path: string, body: object | string, bearer: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${authority.url}/shaam/tsandbox/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
}

const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Jerusalem' }).format(new Date());

const invoice = (id: string, change: object = {}) => ({
  invoice_id: id,
  invoice_type: 305,
  vat_number: 777777715,
  user_name: 'pinkas',
  invoice_reference_number: '1042',
  customer_vat_number: 514713288,
  invoice_date: today,
  invoice_issuance_date: today,
  accounting_software_number: 99999999,
  amount_before_discount: 6_000,
  discount: 0,
  payment_amount: 6_000,
  vat_amount: 1_080,
  payment_amount_including_vat: 7_080,
  ...change,
});

const approve = (id: string, bearer: string, change: object = {}) =>
  call('Invoices/v2/Approval', invoice(id, change), bearer);

async function setMode(mode: object): Promise<Response> {
  return fetch(`${authority.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
}

interface Calls {
  readonly mode: string;
  readonly calls: readonly {
    readonly path: string;
    readonly body: unknown;
    readonly status: number | null;
  }[];
  readonly granted: readonly { readonly invoice_id: string; readonly confirmation_number: string }[];
  readonly by_invoice: readonly object[];
  readonly asked: Readonly<Record<string, number>>;
  readonly look_ups: readonly object[];
  readonly token_uses: readonly object[];
}

async function calls(): Promise<Calls> {
  return (await fetch(`${authority.url}/_calls`)).json() as Promise<Calls>;
}

describe('OAuth', () => {
  it('the login page redirects the browser at once, with a code and the state', async () => {
    const response = await authorize({ state: 'a b&c' });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(redirectUri);
    expect(location.searchParams.get('state')).toBe('a b&c');
    expect(location.searchParams.get('code')).toMatch(/^[\w-]{20,}$/);
  });

  it('a code is exchanged for tokens once', async () => {
    const code = await newCode();
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, scope: 'scope' };
    const first = await token(form);
    expect(first).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 601, refresh_token_expires_in: 7_776_000 },
    });
    expect(await token(form)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('a code for another redirect address gets no tokens', async () => {
    const code = await newCode();
    const answer = await token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'http://127.0.0.1:9/x',
    });
    expect(answer).toEqual({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('a refresh token is rotated: a used one is invalid and its successor valid, also after a restart', async () => {
    const first = String((await fromCode()).body.refresh_token);
    const refresh = (refreshToken: string) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken });
    const second = await refresh(first);
    expect(second.status).toBe(200);
    expect(await refresh(first)).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    await restart();
    expect((await refresh(first)).status).toBe(400);
    const third = await refresh(String(second.body.refresh_token));
    expect(third.status).toBe(200);
    expect((await approve('after-restart', String(third.body.access_token))).body.approved).toBe(true);
  });

  it('only the configured client is accepted', async () => {
    await authority.close();
    authority = await start({ clientId: 'pinkas', clientSecret: 'right:secret' });
    const code = await newCode();
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    expect((await token(form, 'pinkas:wrong')).status).toBe(401);
    expect((await token(form, 'other:right:secret')).status).toBe(401);
    expect((await token(form, 'pinkas:right:secret')).status).toBe(200);
    expect((await authorize({ client_id: 'other' })).status).toBe(400);
  });
});

describe('OAuth consent', () => {
  it('the consent of an owner belongs to one client', async () => {
    const form = { grant_type: 'authorization_code', code: await newCode(), redirect_uri: redirectUri };
    expect(await token(form, 'other:secret')).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    const refreshToken = String((await fromCode()).body.refresh_token);
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await token(refresh, 'other:secret')).status).toBe(400);
    await restart();
    expect((await token(refresh, 'other:secret')).status).toBe(400);
    expect((await token(refresh)).status).toBe(200);
  });
});

describe('approvals', () => {
  it('an approval needs a valid access token', async () => {
    expect((await approve('a', 'made-up')).status).toBe(401);
    expect((await calls()).granted).toEqual([]);
  });

  it('an approval has a number of 26 digits', async () => {
    const { status, body } = await approve('a', await accessToken());
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 200, approved: true });
    expect(body.confirmation_number).toMatch(/^20\d{24}$/);
  });

  it('the same invoice gets the same number, and another one a different number, also after a restart', async () => {
    const bearer = await accessToken();
    const first = (await approve('a', bearer)).body.confirmation_number;
    expect((await approve('b', bearer)).body.confirmation_number).not.toBe(first);
    // A crash may leave half a line behind; what comes after it must still be kept.
    appendFileSync(join(folder, 'grants.jsonl'), '{"invoice_id":"half');
    await restart();
    const again = await accessToken();
    expect((await approve('a', again)).body.confirmation_number).toBe(first);
    const third = (await approve('c', again)).body.confirmation_number;
    await restart();
    expect((await approve('c', await accessToken())).body.confirmation_number).toBe(third);
    expect((await calls()).granted.map(({ invoice_id: id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('an invalid request gets 422 with every error, and no number', async () => {
    const change = { vat_number: '777777715', discount: undefined };
    const { status, body } = await approve('a', await accessToken(), change);
    expect(status).toBe(422);
    const { errors } = body.message as { errors: { param: string }[] };
    expect(errors.map(({ param }) => param)).toEqual(['vat_number', 'discount']);
    expect((await calls()).granted).toEqual([]);
  });

  it('an invalid VAT number is refused with code 431 and HTTP 200', async () => {
    const { status, body } = await approve('a', await accessToken(), { vat_number: 777777716 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ approved: false, confirmation_number: '0' });
    expect(body.message).toMatchObject({ errors: [{ code: 431, param: 'vat_number' }] });
  });

  it('a request that is no JSON gets 400', async () => {
    expect((await call('Invoices/v2/Approval', '{', await accessToken())).status).toBe(400);
  });

  it('an approval can be looked up by its invoice id', async () => {
    const bearer = await accessToken();
    const path = 'invoice-information/v1/confirmationNumber';
    expect((await call(path, { invoice_id: 'a' }, bearer)).status).toBe(404);
    const granted = (await approve('a', bearer)).body.confirmation_number;
    expect((await call(path, { invoice_id: 'a' }, bearer)).body.confirmation_number).toBe(granted);
    expect((await call(path, {}, bearer)).status).toBe(422);
  });
});

describe('failure modes', () => {
  it('a mode with a count ends after that many calls', async () => {
    const bearer = await accessToken();
    await setMode({ mode: 'error', times: 2 });
    expect((await approve('a', bearer)).status).toBe(500);
    expect((await calls()).mode).toBe('error');
    expect((await approve('b', bearer)).status).toBe(500);
    expect((await approve('a', bearer)).status).toBe(200);
    expect((await calls()).mode).toBe('ok');
  });

  it('the mode of an invoice takes precedence over the mode for all, until it is cleared', async () => {
    const bearer = await accessToken();
    await setMode({ mode: 'error', invoice_id: 'a' });
    await setMode({ mode: 'refuse', invoice_id: 'b', times: 1 });
    await setMode({ mode: 'forbidden' });
    await setMode({ mode: 'ok', invoice_id: 'c' });
    const statusOf = async (id: string) => (await approve(id, bearer)).status;
    expect(await statusOf('a')).toBe(500);
    expect((await approve('b', bearer)).body.approved).toBe(false);
    expect(await statusOf('b')).toBe(403);
    expect(await statusOf('c')).toBe(200);
    expect(await statusOf('d')).toBe(403);
    await setMode({ mode: 'malformed', reset: true });
    expect(await calls()).toMatchObject({ mode: 'malformed', by_invoice: [] });
    await setMode({ reset: true });
    expect(await statusOf('a')).toBe(200);
  });

  it('an invalid mode is rejected, and changes nothing', async () => {
    const refused = await setMode({ mode: 'sulk', delay_ms: -1 });
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as { error: string };
    expect(error).toContain('mode must be one of ok, refuse, error, hang, malformed');
    expect(error).toContain('delay_ms must be');
    expect((await calls()).mode).toBe('ok');
  });
});

it('the received calls are listed, newest last, without tokens', async () => {
  const bearer = await accessToken();
  await approve('a', bearer);
  const { calls: received } = await calls();
  expect(received.map(({ path, status }) => [path.split('/').at(-1), status])).toEqual([
    ['authorize', 302],
    ['token', 200],
    ['Approval', 200],
  ]);
  expect(received[1]?.body).toEqual({ grant_type: 'authorization_code' });
  expect(received[2]?.body).toMatchObject({ invoice_id: 'a', payment_amount: 6_000 });
  expect(JSON.stringify(received)).not.toContain(bearer);
});

it('the call record counts the requests for each invoice, every look-up and every use of the token endpoint', async () => {
  const first = (await fromCode()).body;
  const bearer = String(first.access_token);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(first.refresh_token) };
  await token(refresh);
  await token(refresh);
  await setMode({ mode: 'error', times: 1 });
  await approve('a', bearer);
  const lookUp = () => call('invoice-information/v1/confirmationNumber', { invoice_id: 'a' }, bearer);
  await lookUp();
  await approve('a', bearer);
  await lookUp();
  await approve('b', 'made-up');
  const at = expect.stringMatching(/^\d{4}-.*Z$/);
  const clientId = { client_id: 'pinkas' };
  expect(await calls()).toMatchObject({
    asked: { a: 2 },
    look_ups: [
      { at, invoice_id: 'a', found: false },
      { at, invoice_id: 'a', found: true },
    ],
    token_uses: [
      { at, grant_type: 'authorization_code', ...clientId, given: true },
      { at, grant_type: 'refresh_token', ...clientId, given: true },
      { at, grant_type: 'refresh_token', ...clientId, given: false },
    ],
  });
});
