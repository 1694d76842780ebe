import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { keepFlash } from '../../src/session/flash.repository.js';
import { type ConsoleUnderTest, startConsole, type TestBrowser, type TestPerson } from '../console.js';

const chunk = Buffer.alloc(1024 * 1024, 'a');
const chunks = 12;

let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole({ shutdownDelayMs: 8_000 });
});
afterAll(() => console.stop());

describe('the HTTP server of the console', () => {
  it('a person of one business is led to it', async () => {
    const business = console.addBusiness();
    const person = await console.addPerson({ [business.id]: 'owner' });
    const reply = await (await console.signedIn(person)).get('/');
    expect([reply.status, reply.location]).toEqual([303, `/b/${business.id}`]);
  });

  it('a page is not shown to a browser in which no one is signed in', async () => {
    const reply = await console.browser().get('/?a=b');
    expect([reply.status, reply.location]).toEqual([303, '/sign-in?next=%2F%3Fa%3Db']);
  });

  const sent = (path: string, init: RequestInit) =>
    fetch(`${console.origin}${path}`, { redirect: 'manual', signal: AbortSignal.timeout(60_000), ...init });

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
    expect(await reply.text()).toContain('The form holds more than can be received');
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
    expect(await reply.text()).toContain('הקובץ גדול מדי');
  });

  it.each([
    ['no boundary', '', 'a'],
    ['a long boundary', `; boundary=${'x'.repeat(300)}`, 'a'],
    ['no end', '; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\na'],
  ])('a form with files that cannot be read is refused with a page: %s', async (_what, boundary, body) => {
    const business = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [business.id]: 'owner' }));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'content-type': `multipart/form-data${boundary}` };
    const reply = await sent(`/b/${business.id}/business`, { method: 'POST', body, headers });
    expect(reply.status).toBe(400);
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
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

  it.each([
    ['no UTF-8', '/b/%ff/documents'],
    ['a long id', `/b/${'1'.repeat(1_000)}/documents`],
  ])('an address that cannot be read gets the page of one that does not exist: %s', async (_what, path) => {
    const reply = await sent(path, { headers: { 'accept-language': 'en' } });
    expect(reply.status).toBe(404);
    expect(await reply.text()).toContain('This page does not exist');
    expect(reply.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400],
    ['a tunnel', 'CONNECT /account HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
  ])('%s are answered with a page, and the connection is closed', async (_what, bytes, status) => {
    const socket = connect(Number(new URL(console.origin).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    for await (const part of socket) {
      text += String(part);
    }
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-security-policy: default-src 'none'/m);
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
    expect(head).toMatch(/^connection: close$/m);
    expect(body).toMatch(/^<!doctype html>/);
  });

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

describe('the page of exports', () => {
  it('a person who requests a file while there is no room reads so, and to try again later', async () => {
    const { id } = console.addBusiness();
    const browser = await console.signedIn(await console.addPerson({ [id]: 'owner' }));
    const { db } = console.database;
    const fill = (bytes: number) => db.updateTable('export_volume').set({ stored_bytes: bytes }).execute();
    await fill(10 * 1024 ** 3);
    const dates = { from: '2026-01-01', to: '2026-01-31' };
    const { status, text } = await browser.post(`/b/${id}/exports`, { format: 'csv', ...dates });
    await fill(0);
    expect(status).toBe(422);
    expect(text).toContain('There is no room for more files at the moment');
    expect(text).toContain('try again later');
  });
});

describe('what a form has done', () => {
  const prepared = 'The file is in preparation.';
  let at: string;
  let owner: TestPerson;
  let browser: TestBrowser;
  beforeEach(async () => {
    const { id } = console.addBusiness();
    at = `/b/${id}/exports`;
    owner = await console.addPerson({ [id]: 'owner' });
    browser = await console.signedIn(owner);
  });
  const request = () => browser.post(at, { format: 'csv', from: '2026-01-01', to: '2026-01-31' });
  const isShown = async (by = browser, path = at) => (await by.get(path)).text.includes(prepared);

  it('it is shown once, in the session of the form, and on the page that the form leads to', async () => {
    const other = await console.signedIn(owner);
    expect((await request()).location).toBe(at);
    expect(await isShown(other)).toBe(false);
    expect(await isShown(browser, at.replace('/exports', '/people'))).toBe(false);
    expect([await isShown(), await isShown()]).toEqual([true, false]);
  });

  it('it is shown once by two tabs that load the page at once', async () => {
    await request();
    expect((await Promise.all([isShown(), isShown()])).sort()).toEqual([false, true]);
  });

  it('a page that is opened more than a minute later does not show it', async () => {
    await request();
    console.clock.now = new Date(console.clock.now.getTime() + 60_001);
    expect(await isShown()).toBe(false);
  });

  it.each([
    ['/exports', 'requested'],
    ['/business', 'saved'],
    ['/connection', 'revoked'],
    ['/authority', 'disconnected'],
  ])('an address makes no notice: %s?done=%s', async (path, name) => {
    const { text } = await browser.get(`${at.replace('/exports', path)}?done=${name}&outcome=${name}`);
    expect(text).toContain('<main');
    expect(text).not.toContain('class="notice done"');
  });

  it('the outcomes that a session keeps are limited, and end with it', async () => {
    const { db } = console.database;
    const { id } = await db
      .selectFrom('session')
      .select('id')
      .where('person_id', '=', owner.id)
      .executeTakeFirstOrThrow();
    for (let index = 0; index < 30; index += 1) {
      const now = new Date(console.clock.now.getTime() + index);
      await keepFlash(db, id, `/page/${index}`, 'done', now);
    }
    const kept = () => db.selectFrom('form_outcome').select('path').where('session_id', '=', id).execute();
    const paths = (await kept()).map(({ path }) => path);
    expect(paths).toHaveLength(20);
    expect(paths).toContain('/page/29');
    await browser.post('/sign-out');
    expect(await kept()).toEqual([]);
  });
});

describe('slow senders of forms', () => {
  const sockets: Socket[] = [];
  let businessId: string;
  let cookie: string;
  beforeAll(async () => {
    ({ id: businessId } = console.addBusiness());
    const browser = await console.signedIn(await console.addPerson({ [businessId]: 'owner' }));
    cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });

  /** Sends the head of a form and one byte of its body. @returns what was received, up to now. */
  function begin(path: string, headers: Record<string, string>): () => string {
    const socket = connect(Number(new URL(console.origin).port), '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('data', (text: string) => {
      received += text;
    });
    const lines = Object.entries({ host: 'localhost', 'accept-language': 'en', ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}content-length: 1000\r\n\r\n-`);
    return () => received;
  }
  const text = { 'content-type': 'application/x-www-form-urlencoded' };
  const files = { 'content-type': 'multipart/form-data; boundary=x' };

  it.each([
    ['with files, from strangers', () => [`/b/${businessId}/business`, files] as const, 303, 256],
    [
      'with files, of one person',
      () => [`/b/${businessId}/business`, { ...files, cookie }] as const,
      408,
      252,
    ],
    ['without files, from strangers', () => ['/sign-in', text] as const, 408, 252],
  ])('256 forms that arrive slowly keep no page waiting: %s', async (_name, form, status, ended) => {
    const [path, headers] = form();
    const received = Array.from({ length: 256 }, () => begin(path, headers));
    const answered = () => received.filter((read) => read().startsWith(`HTTP/1.1 ${status} `)).length;
    await eventually('the surplus is answered', () => answered() >= ended);
    // Those that may wait have more of their time left than the pause between two looks.
    expect(answered()).toBe(ended);
    const person = await console.signedIn(await console.addPerson());
    expect((await person.get('/account')).status).toBe(200);
    // A form of another person is not among those that end.
    expect((await person.post('/language', { language: 'en', next: '/' })).status).toBe(303);
    const [first] = received.map((read) => read());
    expect(first).toContain(status === 408 ? 'The form did not arrive in time' : 'location: /sign-in');
  });

  it('a form that does not arrive in time is answered with a page', async () => {
    const read = begin('/sign-in', text);
    await eventually('the form is answered', async () => read().includes('</html>'));
    expect(read()).toMatch(/^HTTP\/1\.1 408 .*The form did not arrive in time/s);
  });
});

describe('downloads of the console', () => {
  let browser: TestBrowser;
  let path: string;
  let cookie: string;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const { id: business_id } = console.addBusiness();
    const person = await console.addPerson({ [business_id]: 'bookkeeper' });
    browser = await console.signedIn(person);
    const id = randomUUID();
    path = `/b/${business_id}/exports/${id}/file`;
    cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { db } = console.database;
    await db
      .insertInto('export_job')
      .values({
        ...{ business_id, id, person_id: person.id, format: 'jsonl', state: 'done' },
        ...{ first_date: '2026-01-01', last_date: '2026-12-31', requested_at: console.clock.now },
        ...{ file_name: 'book.jsonl', media_type: 'application/x-ndjson', size_bytes: chunks * chunk.length },
        expires_at: new Date('2027-01-01T00:00:00Z'),
      })
      .execute();
    for (let position = 0; position < chunks; position += 1) {
      await db
        .insertInto('export_chunk')
        .values({ business_id, export_id: id, position, bytes: chunk })
        .execute();
    }
  });
  afterAll(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
  });

  const sent = (method: string) =>
    fetch(`${console.origin}${path}`, { method, headers: { cookie }, signal: AbortSignal.timeout(60_000) });

  it('a file arrives whole', async () => {
    const reply = await sent('GET');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="book.jsonl"');
    expect((await reply.arrayBuffer()).byteLength).toBe(chunks * chunk.length);
  });

  it('the head of a file is answered without its bytes', async () => {
    const reply = await sent('HEAD');
    expect([reply.status, await reply.text()]).toEqual([200, '']);
  });

  it('files that a person does not read keep no page waiting, and no one else from theirs', async () => {
    const { port } = new URL(console.origin);
    const begin = async () => {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
      await once(socket, 'readable');
      return String(socket.read(12));
    };
    let first = await begin();
    while (first === 'HTTP/1.1 200' && sockets.length < 300) {
      first = await begin();
    }
    expect([first, sockets.length]).toEqual(['HTTP/1.1 503', 5]);
    expect((await browser.get('/account')).status).toBe(200);
    const [, , businessId = ''] = path.split('/');
    const other = await console.signedIn(await console.addPerson({ [businessId]: 'bookkeeper' }));
    const cookies = [...other.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(`${console.origin}${path}`, { headers: { cookie: cookies } });
    expect([reply.status, (await reply.arrayBuffer()).byteLength]).toEqual([200, chunks * chunk.length]);
  });
});

// Last: it stops the console.

describe('the shutdown of the console', () => {
  it('a console listens for its shutdown delay, and closes each connection with its reply', async () => {
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(
      await (await fetch(`${console.origin}/sign-in`)).text(),
    )?.[1];
    const requests = [
      ['/sign-in', {}],
      [style ?? '', {}],
      ['/nowhere', {}],
      ['/%zz', {}],
      ['/sign-in', { method: 'POST', body: new URLSearchParams({ email: 'somebody@example.com' }) }],
    ] as const;
    const statuses = [200, 200, 404, 404, 403];
    const replies = async () => {
      const all = [];
      for (const [path, init] of requests) {
        const reply = await fetch(`${console.origin}${path}`, init);
        await reply.text();
        all.push([reply.status, reply.headers.get('connection')]);
      }
      return all;
    };
    expect(await replies()).toEqual(statuses.map((status) => [status, 'keep-alive']));
    const stopped = console.service.stop();
    // Over the open connection, and over new ones.
    expect(await replies()).toEqual(statuses.map((status) => [status, 'close']));
    await stopped;
    await expect(fetch(console.origin)).rejects.toThrow();
  });
});
