import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findBinary } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { type ConsoleUnderTest, startConsole, type TestPerson } from '../console.js';
import { freePort } from './ports.js';

const actionMs = 60_000;

describe('passkeys', () => {
  let console: ConsoleUnderTest;
  let url: string;
  let browser: Browser;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    console = await startConsole({ consoleUrl: url, httpPort: port });
    browser = await chromium.launch({
      executablePath: findBinary('chromium-headless-shell') ?? '',
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await console.stop();
  });
  beforeEach(() => console.database.db.deleteFrom('attempt_count').execute());

  /** A browser of its own with an authenticator that verifies its user. */
  async function openBrowser(person?: TestPerson) {
    const context = await browser.newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(actionMs);
    if (person) {
      const signedIn = await console.signedIn(person);
      const cookies = [...signedIn.cookies].map(([name, value]) => ({ name, value, url }));
      await context.addCookies(cookies);
    }
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { context, page, session, authenticatorId };
  }

  async function addPasskey(page: Page, name: string): Promise<void> {
    await page.goto(`${url}/account/passkeys/new`);
    await page.fill('#name', name);
    await page.click('.passkey button');
    await page.waitForURL(`${url}/account`);
  }

  async function pressPasskey(page: Page, path = '/sign-in'): Promise<void> {
    await page.goto(`${url}${path}`);
    await page.click('.passkey button');
  }

  const credentialOf = async (session: CDPSession, authenticatorId: string) => {
    const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
    const [credential] = credentials;
    if (!credential) {
      throw new Error('the authenticator has no passkey');
    }
    return credential;
  };

  it('a person adds a passkey, signs in with it without an address, and removes it', async () => {
    const person = await console.addPerson();
    const { context, page } = await openBrowser(person);
    await addPasskey(page, '<b>phone</b>');
    expect(await page.locator('.passkeys').innerText()).toContain('<b>phone</b>');
    await context.clearCookies();
    await pressPasskey(page, '/sign-in?next=%2Faccount');
    await page.waitForURL(`${url}/account`);
    expect(await page.locator('main').innerText()).toContain(person.email);
    const rows = await console.database.db
      .selectFrom('passkey')
      .select(['counter', 'last_used_at', 'name'])
      .where('person_id', '=', person.id)
      .execute();
    expect(rows).toMatchObject([{ name: '<b>phone</b>' }]);
    expect(Number(rows[0]?.counter)).toBeGreaterThan(0);
    expect(rows[0]?.last_used_at).not.toBeNull();
    await page.fill('.passkeys input[name=name]', 'tablet');
    await page.click('.passkeys form button');
    await page.waitForSelector('text=tablet');
    await page.click('.passkeys a.danger');
    await page.click('main button.danger');
    await page.waitForURL(`${url}/account`);
    await context.clearCookies();
    await pressPasskey(page);
    await page.waitForSelector('.passkey .error:not(:empty)');
    await context.close();
  });

  it('a name of a passkey that is too long is refused next to its field, and stays there as it was typed', async () => {
    const { context, page } = await openBrowser(await console.addPerson());
    const long = 'name '.repeat(13);
    await page.goto(`${url}/account/passkeys/new`);
    await page.fill('#name', long);
    await page.click('.passkey button');
    await page.waitForSelector('.passkey .error:has-text("At most 60 characters; this has 64.")');
    expect(await page.inputValue('#name')).toBe(long);
    await addPasskey(page, 'phone');
    await page.fill('.passkeys input[name=name]', long);
    await page.click('.passkeys form button');
    await page.waitForSelector('.passkeys .error:has-text("At most 60 characters; this has 64.")');
    expect(await page.inputValue('.passkeys input[name=name]')).toBe(long.trim());
    await page.goto(`${url}/account`);
    expect(await page.inputValue('.passkeys input[name=name]')).toBe('phone');
    await context.close();
  });

  it('a passkey whose counter goes back is refused: it was copied', async () => {
    const person = await console.addPerson();
    const { context, page } = await openBrowser(person);
    await addPasskey(page, 'copied');
    await console.database.db
      .updateTable('passkey')
      .set({ counter: 1000 })
      .where('person_id', '=', person.id)
      .execute();
    await context.clearCookies();
    await pressPasskey(page);
    await page.waitForSelector('.passkey .error:not(:empty)');
    expect(await context.cookies().then((cookies) => cookies.map(({ name }) => name))).not.toContain(
      'session',
    );
    await context.close();
  });

  it('a passkey is refused where its authenticator does not verify the user', async () => {
    const person = await console.addPerson();
    const { context, page, session, authenticatorId } = await openBrowser(person);
    await addPasskey(page, 'unverified');
    await context.clearCookies();
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await pressPasskey(page);
    await page.waitForSelector('.passkey .error:not(:empty)', { timeout: 70_000 });
    await context.close();
  });

  it('a response to a challenge works once, and in the browser alone that asked for it', async () => {
    const person = await console.addPerson();
    const { context, page } = await openBrowser(person);
    await addPasskey(page, 'replayed');
    await context.clearCookies();
    const sent = page.waitForRequest((request) => request.url().endsWith('/sign-in/passkey'));
    await page.route('**/sign-in/passkey', (route) => route.abort());
    await pressPasskey(page);
    const response = new URLSearchParams((await sent).postData() ?? '').get('response') ?? '';
    const other = console.browser();
    await other.get('/sign-in');
    expect((await other.post('/sign-in/passkey', { response })).status).toBe(403);
    const same = console.browser();
    for (const { name, value } of await context.cookies()) {
      same.cookies.set(name, value);
    }
    await same.get('/sign-in');
    const accepted = await same.post('/sign-in/passkey', { response });
    expect([accepted.status, accepted.text]).toEqual([200, '{"next":"/"}']);
    for (const { name, value } of await context.cookies()) {
      same.cookies.set(name, value);
    }
    same.cookies.delete('session');
    await same.get('/sign-in');
    expect((await same.post('/sign-in/passkey', { response })).status).toBe(403);
    await context.close();
  });

  it('a challenge of another person adds no passkey to this one', async () => {
    const [person, other] = [await console.addPerson(), await console.addPerson()];
    const { context, page } = await openBrowser(person);
    const sent = page.waitForRequest((request) => request.url().endsWith('/account/passkeys'));
    await page.route('**/account/passkeys', (route) => route.abort());
    await page.goto(`${url}/account/passkeys/new`);
    await page.click('.passkey button');
    const response = new URLSearchParams((await sent).postData() ?? '').get('response') ?? '';
    const thief = await console.signedIn(other);
    const mark = (await context.cookies()).find(({ name }) => name === 'browser');
    thief.cookies.set('browser', mark?.value ?? '');
    expect((await thief.post('/account/passkeys', { response })).status).toBe(422);
    expect(
      await console.database.db
        .selectFrom('passkey')
        .select('id')
        .where('person_id', '=', other.id)
        .execute(),
    ).toEqual([]);
    await context.close();
  });

  it('a passkey is a fresh proof, and its page leads on to what asked for it', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const { context, page, session, authenticatorId } = await openBrowser(person);
    await addPasskey(page, 'proof');
    expect((await credentialOf(session, authenticatorId)).isResidentCredential).toBe(true);
    console.clock.now = new Date(console.clock.now.getTime() + 11 * 60_000);
    await page.goto(`${url}/b/${business.id}/people/invite`);
    expect(new URL(page.url()).pathname).toBe('/prove');
    await page.click('.passkey button');
    await page.waitForURL(`${url}/b/${business.id}/people/invite`);
    await context.close();
  });

  it.each(['', '{}', '{"id":1,"response":{"clientDataJSON":"e30"}}', 'x'.repeat(30_000)])(
    'the response %# of a browser, which is none, is refused',
    async (response) => {
      const tested = console.browser();
      await tested.get('/sign-in');
      expect((await tested.post('/sign-in/passkey', { response })).status).toBe(403);
    },
  );

  it('a link signs in automatically in the browser that asked for it', async () => {
    const person = await console.addPerson();
    const { context, page } = await openBrowser();
    await page.goto(`${url}/sign-in?next=%2Faccount`);
    await page.fill('#email', person.email);
    await page.click('form[action="/sign-in"] button');
    await page.waitForURL(`${url}/sign-in/sent`);
    await eventually('the mail is sent', () => console.notices.at(-1)?.recipient === person.email);
    const [link = ''] = /http\S+\/sign-in\/link\/\S+/.exec(console.notices.at(-1)?.text ?? '') ?? [];
    await page.goto(link);
    await page.waitForURL(`${url}/account`);
    await context.close();
  });
});
