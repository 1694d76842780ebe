import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ConsoleUnderTest, startConsole, type TestBrowser } from './console.js';

const chunk = Buffer.alloc(1024 * 1024, 'a');
const chunks = 12;

describe('downloads of the console', () => {
  let console: ConsoleUnderTest;
  let browser: TestBrowser;
  let path: string;
  let cookie: string;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    console = await startConsole();
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
  afterAll(async () => {
    for (const socket of sockets) {
      socket.destroy();
    }
    await console.stop();
  });

  const sent = (method: string) =>
    fetch(`${console.origin}${path}`, { method, headers: { cookie }, signal: AbortSignal.timeout(20_000) });

  it('a file arrives whole', async () => {
    const reply = await sent('GET');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="book.jsonl"');
    expect((await reply.arrayBuffer()).byteLength).toBe(chunks * chunk.length);
  });

  it('the head of a file is answered without its bytes', async () => {
    const reply = await sent('HEAD');
    expect([reply.status, await reply.text()]).toEqual([200, '']);
  });

  it('files that nobody reads keep no page waiting', async () => {
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
    expect(first).toBe('HTTP/1.1 503');
    expect((await browser.get('/account')).status).toBe(200);
  });
});
