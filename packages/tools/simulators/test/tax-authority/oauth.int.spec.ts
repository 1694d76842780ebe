import { describe, expect, it } from '@jest/globals';
import { Authority, redirectUri, today } from './authority.js';

const authority = new Authority();
const days = (count: number) => count * 86_400_000;
const subscribed = 'Invalid client ID or secret, or client not subscribed to this API';

describe('the authorize page', () => {
  it('the authorize page sends the browser back at once, with a code and the state', async () => {
    const response = await authority.authorize({ state: 'a b&c' });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(redirectUri);
    expect(location.searchParams.get('state')).toBe('a b&c');
    expect(location.searchParams.get('code')).toMatch(/^[\w-]{20,}$/);
  });

  it('the authorize page refuses the implicit grant', async () => {
    const response = await authority.authorize({ response_type: 'token' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'unsupported_response_type',
      error_description: 'Implicit grant not supported',
    });
  });

  it('the authorize page refuses another client and, where addresses are registered, another address', async () => {
    await authority.restart({ clientId: 'pinkas' });
    const unauthorized = { error: 'unauthorized_client', error_description: subscribed };
    const other = await authority.authorize({ client_id: 'other' });
    expect([other.status, await other.json()]).toEqual([401, unauthorized]);
    await authority.control('_options', { redirectUris: [redirectUri] });
    expect((await authority.authorize()).status).toBe(302);
    const upperCase = await authority.authorize({
      redirect_uri: redirectUri.replace('connected', 'Connected'),
    });
    expect(await upperCase.json()).toEqual(unauthorized);
    await authority.control('_options', { redirectUris: [redirectUri, `${redirectUri}/2`] });
    const several = await authority.authorize();
    expect(await several.json()).toEqual({
      error: 'invalid_request',
      error_description: 'Redirect URI missing',
    });
  });

  it('an owner who declines is sent back with an error', async () => {
    await authority.control('_mode', { operation: 'authorize', mode: 'refuse' });
    const location = new URL((await authority.authorize()).headers.get('location') ?? '');
    expect(location.searchParams.get('error')).toBe('access_denied');
    expect(location.searchParams.get('state')).toBe('state-1');
  });
});

describe('tokens', () => {
  it('a code gives the tokens of the samples, once', async () => {
    const code = await authority.code();
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, scope: 'scope' };
    const { status, body } = await authority.token(form, 'pinkas:secret');
    expect(status).toBe(200);
    expect(body).toEqual({
      token_type: 'Bearer',
      access_token: expect.any(String),
      scope: 'scope',
      expires_in: 601,
      consented_on: expect.any(Number),
      refresh_token: expect.any(String),
      refresh_token_expires_in: 7_776_000,
    });
    expect(await authority.token(form, 'pinkas:secret')).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: '*[pinkas] Authorization code was used before, message rejected*',
      },
    });
  });

  it('a wrong code, no code and a code of another address are refused as observed', async () => {
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri };
    const refusal = async (change: object) =>
      (await authority.token({ ...form, ...change }, 'pinkas:secret')).body.error_description;
    expect(await refusal({ code: 'wrong' })).toBe('*[pinkas] Failed to verify oauth request signature*');
    expect(await refusal({ code: '' })).toBe('Missing authorization code');
    const code = await authority.code();
    expect(await refusal({ code, redirect_uri: `${redirectUri}/x` })).toContain('Redirect URI specified');
    expect(await refusal({ code })).toBeUndefined();
  });

  it('a code belongs to one client', async () => {
    const form = {
      grant_type: 'authorization_code',
      code: await authority.code(),
      redirect_uri: redirectUri,
    };
    expect((await authority.token(form, 'other:secret')).body.error).toBe('invalid_grant');
  });

  it('a refresh token is spent by its use: its successor is valid, also after a restart', async () => {
    const { refresh: first } = await authority.login();
    const second = await authority.refresh(first);
    expect(second.status).toBe(200);
    const spent = { status: 400, body: { error: 'invalid_grant' } };
    expect(await authority.refresh(first)).toMatchObject(spent);
    await authority.restart();
    expect(await authority.refresh(first)).toMatchObject(spent);
    const third = await authority.refresh(String(second.body.refresh_token));
    expect(third.status).toBe(200);
    expect((await authority.approve('a', String(third.body.access_token))).body.approved).toBe(true);
    expect((await authority.refresh(String(third.body.refresh_token), 'other')).status).toBe(400);
  });

  it.each([
    ['body', true, false],
    ['basic', false, true],
    ['either', true, true],
  ])(
    'a refresh with credentials in the %s alone follows the option',
    async (refreshAuth, inBody, inHeader) => {
      await authority.control('_options', { refreshAuth });
      const ofBody = await authority.refresh((await authority.login()).refresh);
      expect(ofBody.status).toBe(inBody ? 200 : 401);
      const { refresh } = await authority.login();
      const form = { grant_type: 'refresh_token', refresh_token: refresh };
      const ofHeader = await authority.token(form, 'pinkas:secret');
      expect(ofHeader.status).toBe(inHeader ? 200 : 401);
      if (!inHeader) {
        expect(ofHeader.body.error).toBe('invalid_client');
        // The refused attempt has not spent the token.
        expect((await authority.refresh(refresh)).status).toBe(200);
      }
    },
  );

  it('wrong credentials are an unauthorized client', async () => {
    await authority.restart({ clientId: 'pinkas', clientSecret: 'right:secret' });
    const form = {
      grant_type: 'authorization_code',
      code: await authority.code(),
      redirect_uri: redirectUri,
    };
    const refused = { status: 401, body: { error: 'unauthorized_client', error_description: subscribed } };
    expect(await authority.token(form, 'pinkas:wrong')).toMatchObject(refused);
    expect(await authority.token(form, 'other:right:secret')).toMatchObject(refused);
    const tokens = await authority.token(form, 'pinkas:right:secret');
    expect(tokens.status).toBe(200);
    const refreshToken = String(tokens.body.refresh_token);
    expect(await authority.refresh(refreshToken, 'pinkas', 'wrong')).toMatchObject(refused);
    expect((await authority.refresh(refreshToken, 'pinkas', 'right:secret')).status).toBe(200);
  });

  it('an access token lasts 601 seconds, also next to a newer one', async () => {
    const { access, refresh } = await authority.login();
    const second = String((await authority.refresh(refresh)).body.access_token);
    await authority.control('_clock', { advance_ms: 599_000 });
    expect((await authority.approve('a', access)).status).toBe(200);
    await authority.control('_clock', { advance_ms: 3_000 });
    for (const token of [access, second, 'made-up']) {
      expect((await authority.approve('a', token)).body).toEqual({
        httpCode: '401',
        httpMessage: 'Unauthorized',
        moreInformation: expect.stringContaining('Cannot pass the security checks'),
      });
    }
  });

  it('a consent ends 90 days after the login, however often it was refreshed', async () => {
    const { refresh } = await authority.login();
    await authority.control('_clock', { advance_ms: days(89) });
    const late = await authority.refresh(refresh);
    expect(late.body.refresh_token_expires_in).toBe(7_776_000);
    await authority.control('_clock', { advance_ms: days(2) });
    expect((await authority.refresh(String(late.body.refresh_token))).body.error).toBe('invalid_grant');
  });

  it('a consent may count from the last refresh, or end after a number of refreshes, by options', async () => {
    await authority.control('_options', { consentFrom: 'refresh', refreshesMax: 2 });
    let { refresh } = await authority.login();
    for (const status of [200, 200, 400]) {
      await authority.control('_clock', { advance_ms: days(60) });
      const answer = await authority.refresh(refresh);
      expect(answer.status).toBe(status);
      refresh = String(answer.body.refresh_token);
    }
  });

  it('a refresh whose answer is lost has spent its token', async () => {
    const { refresh } = await authority.login();
    await authority.control('_mode', { operation: 'token', mode: 'lost', times: 1 });
    await expect(authority.refresh(refresh)).rejects.toThrow('fetch failed');
    expect((await authority.refresh(refresh)).body.error).toBe('invalid_grant');
  });

  it('revoked logins have to begin again', async () => {
    const { access, refresh } = await authority.login();
    await authority.control('_authority', { revoke: true });
    expect((await authority.approve('a', access)).status).toBe(401);
    expect((await authority.refresh(refresh)).body.error).toBe('invalid_grant');
  });
});

it('the clock is set, advanced and reset, and dates follow it', async () => {
  await authority.control('_clock', { now: '2026-05-31T21:30:00Z' });
  const shown = await authority.read<{ now: string }>('_state');
  expect(shown.now.slice(0, 16)).toBe('2026-05-31T21:30');
  const { access } = await authority.login();
  expect((await authority.approve('a', access, { invoice_date: '2026-06-01' })).status).toBe(200);
  await authority.control('_clock', { reset: true });
  expect((await authority.read<{ now: string }>('_state')).now.slice(0, 4)).toBe(today().slice(0, 4));
  expect((await authority.control('_clock', { now: 'noon' })).status).toBe(400);
});
