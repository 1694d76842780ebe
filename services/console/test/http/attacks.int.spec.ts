import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PageBinding } from '../../src/http/console-page.js';
import { insertNotice } from '../../src/notice/notice.repository.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';
import { askForLink, linkFor, useLink } from '../mail.js';
import { bindings, ofBusiness, pathsOf } from './bindings.js';

const foreignAddresses = [
  'https://evil.example/',
  '//evil.example/',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\r\n/evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/..//evil.example',
  'http:evil.example',
  ' //evil.example',
];
const isLocal = (location: string | null) =>
  location !== null &&
  /^\/(?![/\\])/.test(location) &&
  new URL(location, 'http://console.invalid').origin === 'http://console.invalid';

const markup = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

describe('attacks on the console', () => {
  let console: ConsoleUnderTest;
  let businessId: string;
  let owner: TestPerson;
  /** A business of other people, and one of them. */
  let foreignId: string;
  let victim: TestPerson;
  /** Browsers for tests that change nothing in them. */
  let owners: TestBrowser;
  let issuers: TestBrowser;
  let bookkeepers: TestBrowser;
  beforeAll(async () => {
    console = await startConsole();
    businessId = console.addBusiness().id;
    foreignId = console.addBusiness({ name: 'secret of somebody else' }).id;
    victim = await console.addPerson({ [foreignId]: 'owner' });
    owner = await console.addPerson({ [businessId]: 'owner' });
    owners = await console.signedIn(owner);
    issuers = await console.signedIn(await console.addPerson({ [businessId]: 'issuer' }));
    bookkeepers = await console.signedIn(await console.addPerson({ [businessId]: 'bookkeeper' }));
  });
  afterAll(() => console.stop());
  beforeEach(async () => {
    await console.database.db.deleteFrom('attempt_count').execute();
  });

  const send = (browser: TestBrowser, { method }: PageBinding, path: string) =>
    method === 'GET' ? browser.get(path) : browser.post(path);

  it('the pages of the module are found', () => {
    expect(bindings.length).toBeGreaterThan(25);
    expect(ofBusiness.length).toBeGreaterThan(5);
  });

  describe('of every page', () => {
    const named = (list: readonly PageBinding[]) =>
      list.map((binding) => [`${binding.method} ${binding.path}`, binding] as const);

    it.each(named(bindings.filter(({ method }) => method === 'POST')))(
      'the form %s is refused from another site, without a token, and with the token of another session',
      async (_name, binding) => {
        await Promise.all([owners.get('/account'), bookkeepers.get('/account')]);
        const before = console.notices.length;
        for (const path of pathsOf(binding, businessId)) {
          for (const site of ['cross-site', 'same-site']) {
            expect((await owners.post(path, {}, { 'sec-fetch-site': site })).status).toBe(403);
          }
          expect((await owners.post(path, { _csrf: '' })).status).toBe(403);
          expect((await owners.post(path, { _csrf: 'x'.repeat(40) })).status).toBe(403);
          expect((await owners.post(path, { _csrf: bookkeepers.csrfToken })).status).toBe(403);
        }
        expect(console.notices.length).toBe(before);
      },
    );

    it.each(named(bindings.filter(({ access }) => access !== 'anyone')))(
      'the page %s leads a browser in which nobody is signed in to the sign-in page',
      async (_name, binding) => {
        const browser = console.browser();
        await browser.get('/sign-in');
        for (const path of pathsOf(binding, businessId)) {
          const reply = await send(browser, binding, path);
          expect([reply.status, reply.location?.split('?')[0]]).toEqual([303, '/sign-in']);
        }
      },
    );

    it.each(named(ofBusiness.filter(({ access }) => access !== 'reader')))(
      'the page %s is refused to each role below that which it needs, with the menu of the business',
      async (_name, binding) => {
        const isOwners = binding.access === 'owner';
        for (const browser of isOwners ? [issuers, bookkeepers] : [bookkeepers]) {
          for (const path of pathsOf(binding, businessId)) {
            const reply = await send(browser, binding, path);
            expect([path, reply.status]).toEqual([path, 403]);
            expect(reply.text).toContain(
              isOwners ? 'Only an owner may change this' : 'Only owners and issuers may do this',
            );
            expect(reply.text).toContain(`href="/b/${businessId}/people"`);
          }
        }
      },
    );

    it.each(named(ofBusiness.filter(({ access }) => access !== 'owner')))(
      'the page %s is not refused to an issuer for the role',
      async (_name, binding) => {
        // One of them leaves the business.
        const issuer = await console.addPerson({ [businessId]: 'issuer' });
        const browser = binding.method === 'GET' ? issuers : await console.signedIn(issuer);
        for (const path of pathsOf(binding, businessId)) {
          expect((await send(browser, binding, path)).status).not.toBe(403);
        }
      },
    );

    it('a bookkeeper sends no form but those of files and of leaving', () => {
      const forms = ofBusiness.filter(({ access, method }) => access === 'reader' && method === 'POST');
      expect(forms.map(({ path }) => path).sort()).toEqual([
        '/documents/selection',
        '/documents/table',
        '/exports',
        '/people/leave',
      ]);
    });

    it('an issuer changes no setting, person, key, connection or accountant of the months, cancels no report, types in no number, decides on no refusal and transmits no file', () => {
      const owners = ofBusiness.filter(({ access }) => access === 'owner').map(({ path }) => path);
      expect(new Set(owners.map((path) => path.split('/')[1]))).toEqual(
        new Set(['authority', 'business', 'connection', 'documents', 'exports', 'first-steps', 'people']),
      );
      expect(new Set(owners.filter((path) => path.startsWith('/documents/')))).toEqual(
        new Set([
          '/documents/:id/cancel-donation',
          '/documents/:id/number',
          '/documents/:id/refusal/:decision',
          '/documents/:id/report-donation',
        ]),
      );
      expect(new Set(owners.filter((path) => path.startsWith('/exports')))).toEqual(
        new Set([
          '/exports/:id/transmission',
          '/exports/monthly',
          '/exports/monthly/again',
          '/exports/monthly/now',
        ]),
      );
    });

    it.each(named(ofBusiness))(
      'the page %s of a business of somebody else looks like one that does not exist',
      async (_name, binding) => {
        for (const id of [foreignId, foreignId.toUpperCase(), randomUUID(), 'x', `${businessId}x`]) {
          for (const path of pathsOf(binding, id)) {
            const reply = await send(owners, binding, path);
            expect([path, reply.status]).toEqual([path, 404]);
            expect(reply.text).not.toContain('secret');
          }
        }
      },
    );

    it.each(named(ofBusiness.filter(({ path }) => path.includes(':person'))))(
      'the page %s does not reach a member of another business through one that the owner has',
      async (_name, binding) => {
        const path = `/b/${businessId}${binding.path.replace(':person', victim.id)}`;
        expect((await send(owners, binding, path)).status).toBe(404);
        const member = await console.database.db
          .selectFrom('membership')
          .select('role')
          .where('person_id', '=', victim.id)
          .executeTakeFirst();
        expect(member?.role).toBe('owner');
      },
    );

    it.each(named(bindings.filter(({ method }) => method === 'GET')))(
      'the page %s is shown in no frame, runs the own scripts only, and is kept by no cache',
      async (_name, binding) => {
        for (const browser of [console.browser(), owners]) {
          for (const path of pathsOf(binding, businessId)) {
            const { headers, location } = await browser.get(path);
            expect(headers.get('cache-control')).toMatch(/no-store|immutable/);
            expect(headers.get('x-content-type-options')).toBe('nosniff');
            if (location === null && headers.get('content-type')?.startsWith('text/html')) {
              expect(headers.get('x-frame-options')).toBe('DENY');
              const policy = headers.get('content-security-policy') ?? '';
              expect(policy).toContain("frame-ancestors 'none'");
              expect(policy).toContain("default-src 'none'");
              expect(policy).toContain("form-action 'self'");
              expect(policy).not.toMatch(/unsafe|\*|https?:/);
            }
          }
        }
      },
    );
  });

  it.each(foreignAddresses)('the address %j as next leads nowhere outside of the console', async (next) => {
    const query = new URLSearchParams({ next }).toString();
    const browser = await console.signedIn(owner);
    const locations = [
      (await browser.get(`/sign-in?${query}`)).location,
      (await browser.post('/language', { language: 'en', next })).location,
    ];
    const prove = await browser.get(`/prove?${query}`);
    const targets = [...prove.text.matchAll(/ (?:data-next|action|href|name="next" value)="([^"]*)"/g)];
    expect(targets.length).toBeGreaterThan(4);
    expect(
      targets.flatMap(([, target = '']) => (isLocal(target) || target === '#content' ? [] : target)),
    ).toEqual([]);
    await browser.post('/prove', { next });
    const proved = await useLink(browser, await linkFor(console, owner.email));
    locations.push(proved.location);
    const fresh = console.browser();
    const person = await console.addPerson();
    await askForLink(fresh, person.email, next);
    locations.push((await useLink(fresh, await linkFor(console, person.email))).location);
    expect(locations.filter((location) => !isLocal(location))).toEqual([]);
    console.notices.length = 0;
  });

  it('an address that was stored outside of the console is checked again where it leads', async () => {
    const person = await console.addPerson();
    await insertNotice(console.database.db, {
      id: randomUUID(),
      kind: 'sign_in',
      email: person.email,
      browser_hash: null,
      business_id: null,
      next_path: '//evil.example/',
      language: 'en',
      request_id: null,
      requested_at: console.clock.now,
    });
    const reply = await useLink(console.browser(), await linkFor(console, person.email));
    expect(reply.location).toBe('/');
  });

  it('markup in names, addresses and browsers is shown as text', async () => {
    const business = console.addBusiness({ name: markup });
    const person = await console.addPerson({ [business.id]: 'owner' });
    await console.addPerson({ [business.id]: 'owner' }, `x${markup}@example.com`);
    const browser = await console.signedIn(person);
    browser.headers['user-agent'] = markup;
    const db = console.database.db;
    await db.updateTable('session').set({ user_agent: markup, network: markup }).execute();
    await db
      .insertInto('passkey')
      .values({
        id: randomUUID(),
        person_id: person.id,
        credential_id: randomUUID(),
        public_key: Buffer.alloc(1),
        counter: 0,
        transports: [],
        name: markup,
        created_at: console.clock.now,
        last_used_at: null,
      })
      .execute();
    const other = console.addBusiness({ name: markup });
    await db
      .insertInto('membership')
      .values({
        business_id: other.id,
        person_id: person.id,
        role: 'owner',
        invited_by: null,
        invited_at: console.clock.now,
      })
      .execute();
    const shown = await Promise.all(
      ['/', '/account', `/b/${business.id}/people`].map((path) => browser.get(path)),
    );
    for (const { status, text } of shown) {
      expect(status).toBe(200);
      expect(text).toContain('&lt;img src=x');
      expect(text).not.toMatch(/<img|<script>alert/);
    }
  });

  it('markup in the name of a business is text in the mail of an invitation, and its lines do not enter the subject', async () => {
    const business = console.addBusiness({ name: `${markup}\r\nBcc: all@example.com` });
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const email = `m-${randomUUID()}@example.com`;
    await browser.post(`/b/${business.id}/people/invite`, { email, role: 'owner' });
    await linkFor(console, email);
    const mail = console.notices.find(({ recipient }) => recipient === email);
    expect(mail?.html).not.toMatch(/<img|<script/);
    expect(mail?.subject).not.toMatch(/[\r\n]/);
  });

  describe('with HTTPS', () => {
    let secure: ConsoleUnderTest;
    beforeAll(async () => {
      secure = await startConsole({ consoleUrl: 'https://console.example.com' });
    });
    afterAll(() => secure.stop());

    it('every cookie is bound to the host, to HTTPS, and out of reach for scripts and other sites', async () => {
      const person = await secure.addPerson();
      const browser = secure.browser();
      const replies = [await browser.get('/sign-in'), await askForLink(browser, person.email)];
      const link = await linkFor(secure, person.email);
      replies.push(await browser.get(link), await browser.post(link), await browser.get('/account'));
      replies.push(await browser.post('/sign-out'));
      const cookies = replies.flatMap((reply) => reply.cookies);
      const names = new Set(cookies.map((cookie) => cookie.split('=')[0]));
      expect([...names].sort()).toEqual(['__Host-browser', '__Host-csrf', '__Host-session']);
      for (const cookie of cookies) {
        expect(cookie).toMatch(/; Path=\/(;|$)/);
        expect(cookie).toMatch(/; HttpOnly/);
        expect(cookie).toMatch(/; Secure/);
        expect(cookie).toMatch(/; SameSite=Lax/);
        expect(cookie).not.toMatch(/; Domain/i);
      }
      for (const { headers } of replies) {
        expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
      }
    });

    it('links in mails lead to the public address, whatever the Host header of the request is', async () => {
      const person = await secure.addPerson();
      const browser = secure.browser();
      browser.headers['x-forwarded-host'] = 'evil.example';
      await askForLink(browser, person.email);
      await linkFor(secure, person.email);
      const mail = secure.notices.find(({ recipient }) => recipient === person.email);
      expect(mail?.text).toContain('https://console.example.com/sign-in/link/');
      expect(mail?.text).not.toContain('evil.example');
    });
  });
});
