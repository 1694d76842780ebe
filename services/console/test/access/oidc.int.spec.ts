import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from '../console.js';
import { type Issuer, startIssuer } from './issuer.js';
import { freePort } from './ports.js';

describe('signing in with OpenID Connect', () => {
  let console: ConsoleUnderTest;
  let issuer: Issuer;
  beforeAll(async () => {
    const port = await freePort();
    const consoleUrl = `http://localhost:${port}`;
    issuer = await startIssuer(`${consoleUrl}/sign-in/oidc/callback`);
    console = await startConsole({
      consoleUrl,
      httpPort: port,
      oidcIssuer: issuer.url,
      oidcName: 'Example <Login>',
      oidcClientId: issuer.clientId,
      oidcClientSecret: issuer.clientSecret,
    });
    // The issuer's tokens have the machine's time.
    console.clock.now = new Date();
  });
  afterAll(async () => {
    await console?.stop();
    await issuer?.close();
  });
  beforeEach(async () => {
    await console.database.db.deleteFrom('attempt_count').execute();
  });

  const begin = async (browser: TestBrowser, next = '') => {
    const { location } = await browser.get(`/sign-in/oidc?${new URLSearchParams({ next })}`);
    return location ?? '';
  };
  const pathOf = (address: string) => {
    const { pathname, search } = new URL(address);
    return `${pathname}${search}`;
  };
  const signIn = async (browser: TestBrowser, next = '') =>
    browser.get(pathOf(await issuer.signIn(await begin(browser, next))));

  it('a person whose address the issuer has verified is signed in, and goes on', async () => {
    const person = await console.addPerson();
    issuer.claims = { email: person.email.toUpperCase(), email_verified: true };
    const browser = console.browser();
    const shown = await browser.get('/sign-in?next=%2Faccount');
    expect(shown.text).toContain('Example &lt;Login&gt;');
    const reply = await signIn(browser, '/account');
    expect([reply.status, reply.location]).toEqual([303, '/account']);
    expect((await browser.get('/account')).text).toContain(person.email);
  });

  it('the request to the issuer has a challenge, a state and a nonce', async () => {
    const address = new URL(await begin(console.browser()));
    expect(address.origin).toBe(issuer.url);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(address.searchParams.get(name)?.length).toBeGreaterThan(30);
    }
  });

  it.each([
    ['is not verified', { email_verified: false }, 'your address is verified'],
    ['may be verified or not', {}, 'your address is verified'],
  ])('a known address that %s is refused, and the page says what to do', async (_what, claims, text) => {
    const person = await console.addPerson();
    issuer.claims = { email: person.email, ...claims };
    const browser = console.browser();
    const reply = await signIn(browser);
    expect(reply.status).toBe(403);
    expect(reply.text).toContain(text);
    expect(browser.cookies.has('session')).toBe(false);
  });

  it('an address that was not invited is refused, and no person is made of it', async () => {
    issuer.claims = { email: 'stranger@example.com', email_verified: true };
    const reply = await signIn(console.browser());
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('was not invited');
    const found = console.database.db.selectFrom('person').select('id');
    expect(await found.where('email', '=', 'stranger@example.com').execute()).toEqual([]);
  });

  it('a response works once, and in the browser alone that began', async () => {
    const person = await console.addPerson();
    issuer.claims = { email: person.email, email_verified: true };
    const browser = console.browser();
    const back = pathOf(await issuer.signIn(await begin(browser)));
    const victim = console.browser();
    await victim.get('/sign-in');
    expect((await victim.get(back)).status).toBe(403);
    expect((await browser.get(back)).status).toBe(303);
    const again = console.browser();
    for (const [name, value] of browser.cookies) {
      again.cookies.set(name, value);
    }
    again.cookies.delete('session');
    expect((await again.get(back)).status).toBe(403);
  });

  it('a response with another state, or after ten minutes, is refused', async () => {
    const browser = console.browser();
    const back = new URL(await issuer.signIn(await begin(browser)));
    const state = back.searchParams.get('state') ?? '';
    back.searchParams.set('state', 'another');
    expect((await browser.get(pathOf(back.href))).status).toBe(403);
    back.searchParams.set('state', state);
    console.clock.now = new Date(console.clock.now.getTime() + 11 * 60_000);
    expect((await browser.get(pathOf(back.href))).status).toBe(403);
    console.clock.now = new Date();
  });

  it('a refusal of the issuer gives a page that leads back', async () => {
    const browser = console.browser();
    const { searchParams } = new URL(await begin(browser));
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: '<script>alert(1)</script>',
      state: searchParams.get('state') ?? '',
      iss: issuer.url,
    });
    const reply = await browser.get(`/sign-in/oidc/callback?${query}`);
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('href="/sign-in"');
    expect(reply.text).not.toContain('alert(1)');
  });

  it('a fresh proof at the issuer counts for the same person alone', async () => {
    const [person, other] = [await console.addPerson(), await console.addPerson()];
    const browser = await console.signedIn(person);
    const before = browser.cookies.get('session');
    issuer.claims = { email: other.email, email_verified: true };
    const refused = await signIn(browser, '/account');
    expect([refused.status, refused.text.includes('another person')]).toEqual([403, true]);
    issuer.claims = { email: person.email, email_verified: true };
    expect((await signIn(browser, '/account')).location).toBe('/account');
    expect(browser.cookies.get('session')).not.toBe(before);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example'])(
    'the address %j as next leads to the first page after signing in',
    async (next) => {
      const person = await console.addPerson();
      issuer.claims = { email: person.email, email_verified: true };
      expect((await signIn(console.browser(), next)).location).toBe('/');
    },
  );

  it('an issuer that cannot be reached gives a page that names the other ways', async () => {
    const port = await freePort();
    const lonely = await startConsole({ oidcIssuer: `http://127.0.0.1:${port}`, oidcClientId: 'x' });
    try {
      const reply = await lonely.browser().get('/sign-in/oidc');
      expect(reply.status).toBe(502);
      expect(reply.text).toContain('does not answer');
    } finally {
      await lonely.stop();
    }
  });

  it('a console without an issuer has neither the button nor the page', async () => {
    const plain = await startConsole();
    try {
      const browser = plain.browser();
      expect((await browser.get('/sign-in')).text).not.toContain('oidc');
      expect((await browser.get('/sign-in/oidc')).status).toBe(404);
      expect((await browser.get('/sign-in/oidc/callback?state=x&code=y')).status).toBe(404);
    } finally {
      await plain.stop();
    }
  });
});
