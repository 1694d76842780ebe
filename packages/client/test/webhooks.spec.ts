import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PinkasClient } from '@pinkas/client';
import { verifyWebhook, WebhookVerificationError } from '@pinkas/client/webhooks';
import { eventTypes } from '@pinkas/contracts';
import { eventExample } from '@pinkas/contracts/openapi';
import { Webhook } from 'standardwebhooks';

const example = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url));
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const event = eventExample('document.issued');
const body = JSON.stringify(event);

function headersOf(text: string, by = secret, at = new Date()): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(by).sign(event.id, at, text),
  };
}

describe('verifyWebhook', () => {
  it('a genuine webhook is its event, from bytes or text, with the headers of fetch or of Node', () => {
    expect(verifyWebhook(body, headersOf(body), secret)).toEqual(event);
    expect(verifyWebhook(Buffer.from(body), new Headers(headersOf(body)), secret)).toEqual(event);
    const both = `${new Webhook(other).sign(event.id, new Date(), body)} ${headersOf(body)['webhook-signature']}`;
    expect(verifyWebhook(body, { ...headersOf(body), 'webhook-signature': both }, secret)).toEqual(event);
  });

  it('a webhook is rejected with another body, secret or id, without a header, and after five minutes', () => {
    const headers = headersOf(body);
    const { 'webhook-signature': _, ...unsigned } = headers;
    for (const rejected of [
      () => verifyWebhook(`${body} `, headers, secret),
      () => verifyWebhook(body, headersOf(body, other), secret),
      () => verifyWebhook(body, { ...headers, 'webhook-id': 'evt_1' }, secret),
      () => verifyWebhook(body, unsigned, secret),
      () => verifyWebhook(body, headersOf(body, secret, new Date(Date.now() - 301_000)), secret),
    ]) {
      expect(rejected).toThrow(WebhookVerificationError);
    }
  });
});

describe('the examples', () => {
  const ends: (() => void)[] = [];
  afterEach(() => {
    for (const end of ends.splice(0)) {
      end();
    }
  });

  /** Starts a receiver. @returns its address, and the lines that it prints. */
  async function receive(command: string, args: string[]): Promise<{ url: string; lines: string[] }> {
    const child = spawn(command, args, {
      env: { ...process.env, NODE_OPTIONS: '', PINKAS_WEBHOOK_SECRET: secret, PORT: '0' },
    });
    ends.push(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    const port = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const listening = /^listening on (\d+)$/.exec(line);
        if (listening) {
          resolve(listening[1] ?? '');
        } else {
          lines.push(line);
        }
      });
      child.once('exit', () => reject(new Error(`the receiver ended: ${errors}`)));
    });
    return { url: `http://127.0.0.1:${port}/`, lines };
  }

  async function expectReceiver({ url, lines }: Awaited<ReturnType<typeof receive>>): Promise<void> {
    const post = async (headers: Record<string, string>) =>
      (await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) })).status;
    expect([
      await post(headersOf(body)),
      await post(headersOf(body)),
      await post(headersOf(body, other)),
    ]).toEqual([204, 204, 401]);
    expect(lines).toEqual([`document.issued ${event.data.document?.number} ${event.id}`]);
  }

  it('the receiver in Node handles an event that arrives twice once, and rejects what is not genuine', async () => {
    await expectReceiver(await receive(process.execPath, [example('receive-webhooks.mjs')]));
  });

  const hasPython = (() => {
    try {
      execFileSync('python3', ['-c', 'import standardwebhooks'], { stdio: 'ignore' });
      return true;
    } catch {
      process.stderr.write(
        'webhooks.spec.ts: no standardwebhooks (PyPI): the receiver in Python is NOT fully tested\n',
      );
      return false;
    }
  })();
  it('the receiver in Python handles an event that arrives twice once, and rejects what is not genuine', async () => {
    execFileSync('python3', [
      '-c',
      `compile(open("${example('receive_webhooks.py')}").read(), "receiver", "exec")`,
    ]);
    if (hasPython) {
      await expectReceiver(await receive('python3', [example('receive_webhooks.py')]));
    }
  });

  it('the poller begins with the first event, goes on from the cursor that it has stored, and prints each event once', async () => {
    const events = eventTypes.map(eventExample);
    const listed = events.slice(0, 3);
    /** Answers like the list of events: the cursor is a position. */
    const api = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://127.0.0.1').searchParams;
      const after = Number(query.get('cursor') ?? 0);
      const data = listed.slice(after, after + 2);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data, next_cursor: String(after + data.length) }));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    ends.push(() => api.close());
    const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`;
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-poller-'));
    try {
      const file = join(folder, 'cursor.txt');
      const poll = () =>
        new Promise<string>((resolve, reject) => {
          const env = {
            ...process.env,
            NODE_OPTIONS: '',
            PINKAS_BASE_URL: baseUrl,
            PINKAS_KEY: 'pk_test_example',
          };
          const child = spawn(process.execPath, [example('poll-events.mjs'), file], { env });
          let printed = '';
          child.stdout.on('data', (chunk: Buffer) => {
            printed += chunk;
          });
          child.once('exit', (code) => (code === 0 ? resolve(printed) : reject(new Error(`exit ${code}`))));
        });
      const polledIds = async () =>
        (await poll())
          .trim()
          .split('\n')
          .map((line) => line.split(' ').at(-1));
      expect(await polledIds()).toEqual(events.slice(0, 3).map(({ id }) => id));
      listed.push(...events.slice(3));
      expect(await polledIds()).toEqual(events.slice(3).map(({ id }) => id));
      expect(await poll()).toBe('');
      expect(await readFile(file, 'utf8')).toBe(String(events.length));
      const read = [];
      const pinkas = new PinkasClient({ baseUrl, apiKey: 'pk_test_example' });
      for await (const found of pinkas.events({
        cursor: '0',
        type: ['document.issued', 'delivery.sent'] as const,
      })) {
        read.push(found);
      }
      expect(read).toEqual(events);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
