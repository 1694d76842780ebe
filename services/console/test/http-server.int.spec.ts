import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ConsoleUnderTest, startConsole } from './console.js';

describe('the HTTP server of the console', () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  it('a person of one business is led to it', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const reply = await (await console.signedIn(person)).get('/');
    expect([reply.status, reply.location]).toEqual([303, `/b/${business.id}`]);
  });

  it('a page is not shown to a browser in which nobody is signed in', async () => {
    const reply = await console.browser().get('/?a=b');
    expect([reply.status, reply.location]).toEqual([303, '/sign-in?next=%2F%3Fa%3Db']);
  });

  const sent = (path: string, init: RequestInit) =>
    fetch(`${console.origin}${path}`, { redirect: 'manual', signal: AbortSignal.timeout(20_000), ...init });

  it.each([
    ['text/plain', 'a'.repeat(2_000_000)],
    ['application/json', `[${'0,'.repeat(900_000)}0]`],
  ])('what is no form is refused before it is read: %s', async (type, body) => {
    const reply = await sent('/sign-in', { method: 'POST', body, headers: { 'content-type': type } });
    expect(reply.status).toBe(415);
  });

  it('a form with more fields than any form has is refused with a page', async () => {
    const reply = await sent('/sign-in', {
      method: 'POST',
      body: 'a&'.repeat(100_000),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' },
    });
    expect(reply.status).toBe(413);
    expect(await reply.text()).toContain('The file or the form is too large');
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('a file larger than any picture is refused with a page', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const body = new FormData();
    body.set('_csrf', browser.csrfToken);
    body.set('logo', new Blob([Buffer.alloc(5 * 1024 * 1024)], { type: 'image/png' }), 'logo.png');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await sent(`/b/${business.id}/business`, { method: 'POST', body, headers: { cookie } });
    expect(reply.status).toBe(413);
    expect(await reply.text()).toContain('הקובץ או הטופס גדולים מדי');
  });

  it('files are read for the forms that have some, and for no other', async () => {
    const body = new FormData();
    body.set('email', 'somebody@example.com');
    expect((await sent('/sign-in', { method: 'POST', body })).status).toBe(415);
  });

  it.each(['//', '//evil.example/account', '/%00', '/account?a=%00', '/%zz'])(
    'an address that is none is no failure of the console: %s',
    async (path) => {
      expect((await sent(path, {})).status).toBeLessThan(500);
    },
  );

  it('an id in an address that is none changes no header of the reply', async () => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    for (const id of ['%D7%90', '%0d%0ax-added:%20yes']) {
      const reply = await browser.post(`/b/${business.id}/documents/${id}/send`);
      expect(reply.status).toBe(404);
      expect(reply.headers.get('x-added')).toBeNull();
    }
  });
});
