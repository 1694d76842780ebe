import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '@pinkas/client/webhooks';
import { type ApiEvent, eventTypes } from '@pinkas/contracts';
import { errorExample, eventExample, replyExamples } from '@pinkas/contracts/openapi';
import { eventually } from '@pinkas/testkit';

const command = fileURLToPath(new URL('../dist/listen/main.js', import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const [profile] = Object.values(replyExamples('https://api.example.com/docs').getMe).map(
  ({ value }) => value,
);

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listening = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

/** An event of each type, so many minutes old. */
const eventsOf = (ages: readonly number[]): ApiEvent[] =>
  ages.map((age, index) => ({
    ...eventExample(eventTypes[index % eventTypes.length] ?? 'document.issued'),
    id: `evt_${index}`,
    timestamp: new Date(Date.now() - age * 60_000).toISOString(),
  }));

describe('pinkas-client listen', () => {
  /** The list of events: a cursor is a position. */
  let listed: ApiEvent[];
  let mode: 'live' | 'test';
  /** How the next requests for events fail, each once. */
  let faults: ('cut' | 'revoked')[];
  let asked: URLSearchParams[];
  /** When each of these came, and how many requests the key may make in a minute. */
  let askedAt: number[];
  let perMinute: number;
  let api: Server;
  /** What the next webhooks are answered; 204 after them. */
  let answers: number[];
  let received: { id: string; text: string; headers: Record<string, string | string[] | undefined> }[];
  let receiver: Server;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    [listed, mode, faults, asked, answers, received] = [[], 'test', [], [], [], []];
    [askedAt, perMinute] = [[], 6_000];
    api = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://127.0.0.1');
      const reply = (status: number, body: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (url.pathname === '/v1/me') {
        return void reply(200, { ...(profile as object), mode, limits: { per_minute: perMinute } });
      }
      asked.push(url.searchParams);
      askedAt.push(performance.now());
      const fault = faults.shift();
      if (fault === 'cut') {
        return void response.destroy();
      }
      if (fault === 'revoked') {
        return void reply(401, errorExample('key_revoked', 'https://api.example.com/docs'));
      }
      const after = Number(url.searchParams.get('cursor')?.slice(-6) ?? 0);
      const data = listed.slice(after, after + Number(url.searchParams.get('limit')));
      reply(200, { data, next_cursor: cursorOf(after + data.length) });
    });
    receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk);
      }
      const text = Buffer.concat(chunks).toString();
      received.push({ id: JSON.parse(text).id, text, headers: request.headers });
      const answer = answers.shift() ?? 204;
      response.writeHead(answer, { location: '/elsewhere' }).end(answer < 300 ? undefined : 'oops\u001b[2J');
    });
    await Promise.all([listening(api), listening(receiver)]);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
    }
    for (const server of [api, receiver]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const cursorOf = (position: number) => `cursor-of-position-${String(position).padStart(6, '0')}`;

  function start(options: string[] = [], target = addressOf(receiver)) {
    const child = spawn(process.execPath, [command, 'listen', target, ...options], {
      env: {
        PATH: process.env.PATH,
        PINKAS_BASE_URL: `${addressOf(api)}/v1`,
        PINKAS_KEY: 'pk_test_EXAMPLE0_notakeynotakeynotakey',
        PINKAS_WEBHOOK_SECRET: secret,
      },
    });
    children.push(child);
    const lines: string[] = [];
    const errors: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    createInterface(child.stderr).on('line', (line) => errors.push(line));
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, lines, errors, exited };
  }

  const has = (lines: readonly string[], pattern: RegExp) =>
    eventually(`a line matches ${pattern}`, () => lines.some((line) => pattern.test(line)));
  const receivedIds = () => received.map(({ id }) => id);
  const idsOf = (events: readonly ApiEvent[]) => events.map(({ id }) => id);

  it('posts what happens from now on, in its order, signed and as a webhook is', async () => {
    listed = eventsOf([90, 80]);
    const { lines, child, exited } = start();
    await has(lines, /^secret: whsec_/);
    await has(lines, /^waiting for events$/);
    const happened = eventsOf([0, 0, 0, 0]).slice(2);
    listed.push(...happened);
    await eventually('both arrive', () => received.length === 2);
    expect(receivedIds()).toEqual(idsOf(happened));
    for (const { text, headers } of received) {
      const event = verifyWebhook(text, headers, secret);
      expect(event).toEqual(happened.find(({ id }) => id === event.id));
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': event.id });
    }
    await has(lines, /evt_3 {2}→ 204 {2}\d+ ms$/);
    child.kill('SIGINT');
    expect(await exited).toBe(0);
    expect(lines.slice(-2)).toEqual(['2 received, 0 failed', `go on from here with --since ${cursorOf(4)}`]);
  });

  it.each([
    { since: 'start', expected: [0, 1, 2, 3] },
    { since: '45m', expected: [2, 3] },
    { since: new Date(Date.now() - 75 * 60_000).toISOString(), expected: [1, 2, 3] },
    { since: cursorOf(3), expected: [3] },
  ])('--since $since posts the events from there on', async ({ since, expected }) => {
    listed = eventsOf([90, 60, 30, 10]);
    start(['--since', since]);
    await eventually('the last one arrives', () => receivedIds().includes('evt_3'));
    expect(receivedIds()).toEqual(expected.map((index) => `evt_${index}`));
  });

  it('skips pages of earlier events without posting one', async () => {
    listed = eventsOf(Array.from({ length: 2_150 }, () => 60));
    const { lines } = start();
    await has(lines, /^2000 earlier events skipped$/);
    await eventually('it is behind them', () =>
      asked.some((query) => query.get('cursor') === cursorOf(2_150)),
    );
    expect(received).toEqual([]);
  });

  it.each([
    ['skips', []],
    ['posts', ['--since', 'start']],
  ])('listen makes a quarter of the requests of the key while it %s full pages', async (_what, options) => {
    listed = eventsOf(Array.from({ length: 1_000 }, () => 60));
    perMinute = 1_200;
    start(options);
    await eventually('it is behind them', () =>
      asked.some((query) => query.get('cursor') === cursorOf(1_000)),
    );
    // A quarter is 300 a minute, 200 ms each; the first may have arrived late.
    const [first = 0, last = 0] = [askedAt[0], askedAt[9]];
    expect((last - first) / 9).toBeGreaterThan(150);
  });

  it('--types asks for these only, and --print shows them', async () => {
    listed = eventsOf([1]);
    const { lines } = start(['--since', 'start', '--types', 'document.issued,delivery.failed', '--print']);
    await has(lines, /"id": "evt_0"/);
    expect(asked[0]?.getAll('type')).toEqual(['document.issued', 'delivery.failed']);
  });

  it('an event that fails is posted again when r is pressed, and nothing else is', async () => {
    listed = eventsOf([1, 1, 1]);
    answers = [204, 500, 302];
    const { child, lines } = start(['--since', 'start']);
    await has(lines, /evt_1.*→ 500 {2}\d+ ms {2}oops \[2J$/);
    await has(lines, /evt_2.*→ 302 {2}\d+ ms {2}a redirect to \/elsewhere$/);
    child.stdin.write('r');
    await has(lines, /evt_1 {2}attempt 2 {2}→ 204/);
    await has(lines, /evt_2 {2}attempt 2 {2}→ 204/);
    expect(receivedIds()).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_1', 'evt_2']);
    child.stdin.write('rq');
    await has(lines, /^nothing has failed$/);
    await has(lines, /^3 received, 0 failed$/);
  });

  it('--retry posts again until it is received, also where nothing listens at first', async () => {
    listed = eventsOf([1]);
    const target = addressOf(receiver);
    const { port } = receiver.address() as AddressInfo;
    await new Promise((resolve) => receiver.close(resolve));
    const { lines } = start(['--since', 'start', '--retry'], target);
    await has(lines, /→ no answer {2}\d+ ms {2}nothing listens at 127/);
    await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
    await has(lines, /evt_0 {2}attempt \d+ {2}→ 204/);
  });

  it('a connection that is cut goes on where it stopped', async () => {
    listed = eventsOf([1, 1]);
    faults = ['cut'];
    const { lines } = start(['--since', 'start']);
    await eventually('both arrive', () => received.length === 2);
    faults = Array.from({ length: 6 }, () => 'cut' as const);
    listed.push(...eventsOf([1, 1, 1]).slice(2));
    await has(lines, /goes on where it stopped$/);
    await eventually('the third arrives', () => received.length === 3);
    expect(receivedIds()).toEqual(['evt_0', 'evt_1', 'evt_2']);
  });

  it('a key that is revoked ends it with the reason', async () => {
    faults = ['revoked'];
    const { errors, exited } = start(['--since', 'start']);
    expect(await exited).toBe(1);
    expect(errors.join('\n')).toContain('API key');
  });

  it('a live key is not followed where no one can be asked, unless --yes says so', async () => {
    mode = 'live';
    listed = eventsOf([1]);
    const refused = start(['--since', 'start']);
    expect(await refused.exited).toBe(2);
    expect(refused.errors).toEqual([
      'this key leads to the live book: pass --yes to follow it, or take a test key',
    ]);
    expect(received).toEqual([]);
    start(['--since', 'start', '--yes']);
    await eventually('it arrives', () => received.length === 1);
  });

  it.each([
    [['--since', 'yesterday'], /^--since is now/],
    [['--types', 'a,,b'], /^--types is a list/],
    [['--nonsense'], /nonsense/],
    [['http://localhost:1'], /^listen takes one URL/],
  ])('the options %j are refused with what to write', async (options, message) => {
    const { errors, exited } = start(options);
    expect(await exited).toBe(2);
    expect(errors[0]).toMatch(message);
  });
});
