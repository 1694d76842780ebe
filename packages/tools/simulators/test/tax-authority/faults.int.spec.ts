import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Authority } from './authority.js';

const authority = new Authority();
let bearer: string;

beforeEach(async () => {
  bearer = (await authority.login()).access;
});

const approve = (id: string) => authority.approve(id, bearer);
const setMode = (mode: object) => authority.control('_mode', mode);

interface Calls {
  readonly mode: string;
  readonly by_invoice: readonly object[];
  readonly granted: readonly { readonly invoice_id: string }[];
  readonly calls: readonly {
    readonly path: string;
    readonly keys: readonly string[];
    readonly body: unknown;
    readonly status: number | null;
  }[];
}

const calls = () => authority.read<Calls>('_calls');
const grantedIds = async () => (await calls()).granted.map(({ invoice_id }) => invoice_id);

describe('faults', () => {
  it.each([
    [{ mode: 'error' }, 500, { message: 'Internal error server' }],
    [{ mode: 'not_permitted' }, 406, { message: 'Not Acceptable' }],
    [{ mode: 'unauthorized' }, 401, { httpCode: '401' }],
    [{ mode: 'forbidden' }, 403, { httpCode: '403' }],
    [{ mode: 'not_found' }, 404, { moreInformation: 'No resources match requested URI' }],
    [{ mode: 'rate' }, 429, { httpCode: '429' }],
    [{ mode: 'unavailable' }, 503, { httpCode: '503' }],
    [{ mode: 'abroad' }, 403, { text: '<html><body>Forbidden</body></html>' }],
    [{ mode: 'status', status: 504 }, 504, { httpCode: '504' }],
    [{ mode: 'malformed' }, 200, { text: '{"status":200,"message":"Invoice app' }],
  ])('%j is answered %d, and nothing is granted', async (mode, status, body) => {
    await setMode(mode);
    expect(await approve('a')).toMatchObject({ status, body });
    expect(await grantedIds()).toEqual([]);
  });

  it('a rate limit says how long to wait', async () => {
    await setMode({ mode: 'rate', retry_after: 30 });
    const response = await fetch(`${authority.url}/Invoices/v2/Approval`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}` },
      body: '{}',
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30']);
  });

  it.each([
    ['before the grant', { mode: 'cut' }, false],
    ['after the grant', { mode: 'lost' }, true],
    ['after the grant, by its own member,', { mode: 'cut', granted: true }, true],
  ])('a connection that is cut %s has no answer', async (_when, mode, isGranted) => {
    await setMode({ ...mode, times: 1 });
    await expect(approve('a')).rejects.toThrow('fetch failed');
    expect(await grantedIds()).toEqual(isGranted ? ['a'] : []);
    expect((await calls()).calls.at(-1)?.status).toBeNull();
    expect((await approve('a')).status).toBe(200);
    expect(await grantedIds()).toEqual(['a']);
  });

  it('a status may hide that the number was granted', async () => {
    await setMode({ mode: 'status', status: 504, granted: true, times: 1 });
    expect((await approve('a')).status).toBe(504);
    expect(await grantedIds()).toEqual(['a']);
  });

  it('a slow answer is granted before the wait', async () => {
    await setMode({ delay_ms: 600_000 });
    const leave = new AbortController();
    const answer = fetch(`${authority.url}/Invoices/v2/Approval`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}` },
      body: '{}',
      signal: leave.signal,
    });
    await setMode({ delay_ms: 50 });
    expect((await approve('a')).status).toBe(200);
    leave.abort();
    await expect(answer).rejects.toThrow();
  });

  it('any code of a refusal can be asked for', async () => {
    await setMode({ mode: 'refuse', code: 471 });
    expect(await approve('a')).toMatchObject({ status: 400, body: { message: { errors: [{ code: 471 }] } } });
    await setMode({ mode: 'refuse', code: 461 });
    expect(await approve('a')).toMatchObject({ status: 200, body: { message: { errors: [{ code: 461 }] } } });
  });

  it('a mix-up answers with the number of another invoice', async () => {
    const other = (await approve('a')).body.confirmation_number;
    await setMode({ mode: 'foreign' });
    expect((await approve('b')).body.confirmation_number).toBe(other);
  });

  it('a fault with a count ends after that many calls, and one with a time when it is over', async () => {
    await setMode({ mode: 'error', times: 2 });
    expect((await approve('a')).status).toBe(500);
    expect((await calls()).mode).toBe('error');
    expect((await approve('b')).status).toBe(500);
    expect((await approve('a')).status).toBe(200);
    expect((await calls()).mode).toBe('ok');
    await setMode({ mode: 'not_found', for_ms: 300_000 });
    expect((await approve('c')).status).toBe(404);
    await authority.control('_clock', { advance_ms: 300_001 });
    expect((await approve('c')).status).toBe(200);
  });

  it('the fault of an invoice comes before the fault of its operation, and that before the one for all', async () => {
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
    await setMode({ mode: 'malformed', reset: true });
    expect(await calls()).toMatchObject({ mode: 'malformed', by_invoice: [] });
    await setMode({ reset: true });
    expect((await approve('a')).status).toBe(200);
  });

  it('faults for all leave out OAuth', async () => {
    await setMode({ mode: 'error' });
    expect((await authority.login()).answer.status).toBe(200);
    await setMode({ mode: 'unavailable', operation: 'token' });
    expect((await authority.login()).answer.status).toBe(503);
  });

  it('a wrong client has no valid token and gets none, until the fault ends', async () => {
    await setMode({ mode: 'wrong_client' });
    expect(await approve('a')).toMatchObject({ status: 401, body: { httpCode: '401' } });
    const { answer } = await authority.login();
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized_client' } });
    await setMode({});
    expect((await approve('a')).status).toBe(200);
    expect((await authority.login()).answer.status).toBe(200);
  });

  it('an invalid fault or option is rejected with every reason, and changes nothing', async () => {
    const refused = await setMode({ mode: 'sulk', delay_ms: -1 });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('mode must be one of ok, refuse, error, hang');
    expect(refused.body.error).toContain('delay_ms must be');
    expect((await calls()).mode).toBe('ok');
    const options = await authority.control('_options', { repeat: 'maybe', repat: 'new' });
    expect(options.status).toBe(400);
    expect(options.body.error).toContain('repeat must be one of same, new, error; repat is unknown');
  });
});

describe('the record of calls', () => {
  it('the calls are listed with their keys, newest last, without tokens or secrets', async () => {
    const { refresh } = await authority.login();
    await authority.refresh(refresh);
    await approve('a');
    const { calls: received } = await calls();
    expect(received.map(({ path, status }) => [path.split('/').at(-1), status]).slice(-3)).toEqual([
      ['token', 200],
      ['token', 200],
      ['Approval', 200],
    ]);
    const [refreshed, approval] = received.slice(-2);
    expect(refreshed?.keys).toEqual(['grant_type', 'refresh_token', 'scope', 'client_id', 'client_secret']);
    expect(refreshed?.body).toEqual({ grant_type: 'refresh_token' });
    expect(approval?.keys).toContain('customer_vat_number');
    const shown = JSON.stringify([received, await authority.read('_state')]);
    for (const secret of [bearer, refresh]) {
      expect(shown).not.toContain(secret);
    }
  });

  it('requests, answers, grants and uses of the token endpoint are counted', async () => {
    await setMode({ mode: 'error', times: 1 });
    await approve('a');
    await approve('a');
    await authority.approve('a', bearer, { invoice_note: 'changed' });
    await authority.approve('b', 'made-up');
    expect(await authority.read('_calls')).toMatchObject({
      asked: { a: 3 },
      token_uses: [{ grant_type: 'authorization_code', client_id: 'pinkas', given: true }],
    });
    expect(await authority.read('_state')).toMatchObject({
      grants: { a: [{ vat_number: 777777715, action: 0 }] },
      requests: { a: { times: 3, different_bodies: 2 } },
      counts: { '/shaam/tsandbox/Invoices/v2/Approval': { 200: 2, 401: 1, 500: 1 } },
      logins: [{ client_id: 'pinkas', refreshes: 0, vat_numbers: [777777715] }],
    });
  });
});

it('the README lists every option with its default', async () => {
  const readme = readFileSync(new URL('../../src/tax-authority/README.md', import.meta.url), 'utf8');
  const { options } = await authority.read<{ options: Record<string, unknown> }>('_options');
  for (const [name, value] of Object.entries(options)) {
    expect(readme).toContain(`| \`${name}\` | \`${JSON.stringify(value)}\` |`);
  }
});
