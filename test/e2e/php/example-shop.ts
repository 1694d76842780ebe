import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedDocument } from '@pinkas/contracts';
import { reservePort } from '@pinkas/local-stack/servers';
import { eventually, TcpProxy } from '@pinkas/testkit';
import { expectVerified } from '../../harness/book.js';
import type { Issuer, RunningStack } from '../../harness/running-stack.js';
import { repositoryRoot } from '../../harness/sources.js';
import { type PhpDriver, phpOptions } from './php-driver.js';
import { type OrderChange, wooCommerceOrder } from './woocommerce-order.js';

const ordersOfStorm = 24;
type Reserved = Awaited<ReturnType<typeof reservePort>>;

/** `packages/client-php/examples/shop.php`, run by PHP's own server. */
export function exampleShop(
  system: () => RunningStack,
  driver: () => Promise<PhpDriver | undefined>,
  temporaryFolder: () => string,
): void {
  describe('the example shop in PHP', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let hasPhp: boolean;
    const ends: (() => unknown)[] = [];
    beforeAll(async () => {
      stack = system();
      hasPhp = (await driver()) !== undefined;
    });
    afterEach(async () => {
      await Promise.all(ends.splice(0).map((end) => end()));
    });

    /** Starts a shop. @returns how it is called, and its folder. */
    async function open({ port, release }: Reserved, baseUrl: string, secret: string) {
      await release();
      const folder = await mkdtemp(join(temporaryFolder(), 'shop-'));
      const args = [
        ...(await phpOptions(folder)),
        '-S',
        `127.0.0.1:${port}`,
        join(repositoryRoot, 'packages/client-php/examples/shop.php'),
      ];
      let log = '';
      const child: ChildProcess = spawn('php', args, {
        env: {
          PATH: process.env.PATH,
          PINKAS_BASE_URL: baseUrl,
          PINKAS_KEY: issuer.key,
          PINKAS_WEBHOOK_SECRET: secret,
          SHOP_FOLDER: folder,
          PHP_CLI_SERVER_WORKERS: '4',
        },
        detached: true,
      });
      child.stderr?.on('data', (chunk: Buffer) => {
        log += chunk;
      });
      // Its workers are processes of their own.
      ends.push(() => process.kill(-(child.pid as number), 'SIGKILL'));
      const post = (path: string, body: object) => postTo(port, path, JSON.stringify(body));
      await eventually('the shop answers', async () => (await post('/', {}).catch(() => null)) !== null);
      return { folder, post, log: () => log };
    }

    const documentsOf = async (order: number) => {
      const path = `/documents?external_ref=${order}&include_cancelled=true`;
      return (await stack.call<{ data: CreatedDocument[] }>(issuer.key, 'GET', path)).body.data;
    };

    it('an order that is paid has one document, a refund one credit note, and a webhook is handled once', async () => {
      if (!hasPhp) {
        return;
      }
      issuer = await stack.newIssuer({ tax_authority_connected: true });
      const reserved = await reservePort();
      const url = `http://127.0.0.1:${reserved.port}/webhooks`;
      const { secret } = await stack.pinkas<{ secret: string }>(
        ...['webhook', 'create', url, '--business', issuer.business.id],
      );
      const { folder, post, log } = await open(reserved, (await stack.file()).base_url, secret);
      const paid = await post('/orders/1042/paid', orderOf(1042));
      expect([paid.status, log()]).toEqual([200, expect.not.stringMatching(/Warning|Fatal|Deprecated/)]);
      expect(paid.body).toMatchObject({ document: { type: 'tax_invoice_receipt', totals: { total: 133 } } });
      expect((await post('/orders/1042/paid', orderOf(1042))).body.document.id).toBe(paid.body.document.id);
      const refund = {
        id: 7,
        amount: '59.00',
        line_items: [{ name: 'Mug', quantity: -1, total: '-50.00', total_tax: '-9.00' }],
      };
      const refunded = await post('/orders/1042/refunded', refund);
      expect(refunded.body.document).toMatchObject({
        type: 'credit_note',
        based_on: paid.body.document.id,
        totals: { total: 59 },
      });
      expect((await post('/orders/1042/refunded', refund)).body).toMatchObject(refunded.body);
      expect((await post('/orders/1042/refunded', { ...refund, id: 8, amount: '0.00' })).status).toBe(204);
      expect(await documentsOf(1042)).toHaveLength(2);
      expect((await post('/orders/1/refunded', refund)).status).toBe(404);
      expect(await post('/orders/2/paid', orderOf(2, { total: '134.00' }))).toMatchObject({
        status: 422,
        body: { error: 'the lines of order 2 differ from its total by 1.00' },
      });
      expect(await post('/orders/3/paid', orderOf(3, { billing: { email: 'nowhere' } }))).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('/customer/email') },
      });
      expect([await documentsOf(2), await documentsOf(3)]).toEqual([[], []]);

      const files = () => readdir(folder).then((names) => names.filter((name) => name.startsWith('evt_')));
      await eventually('both documents are known from webhooks', async () => (await files()).length >= 2);
      const texts = await Promise.all((await files()).map((name) => readFile(join(folder, name), 'utf8')));
      expect(texts).toContain(`document.issued ${paid.body.document.number}\n`);
      expect((await post('/webhooks', {})).status).toBe(401);
    });

    it('each order has one document though connections are cut and slow, and issuing is killed', async () => {
      if (!hasPhp) {
        return;
      }
      issuer = await stack.newIssuer();
      const { base_url: baseUrl } = await stack.file();
      const proxy = await TcpProxy.start(baseUrl);
      ends.push(() => proxy.stop());
      const address = new URL(baseUrl);
      address.host = proxy.address;
      const { post } = await open(await reservePort(), address.href, `whsec_${'A'.repeat(44)}`);
      const orders = Array.from({ length: ordersOfStorm }, (_, index) => 5_000 + index);
      const answers: { status: number; body: { attempts?: number } }[] = [];
      const left = [...orders];
      /** A caller of the shop, such as its payment provider, repeats what was not answered with 200. */
      const payAll = async () => {
        for (let order = left.shift(); order !== undefined; order = left.shift()) {
          let status = 0;
          await eventually(
            `order ${order} is answered`,
            async () => {
              const answer = await post(`/orders/${order}/paid`, orderOf(order as number));
              answers.push(answer);
              status = answer.status;
              return status === 200;
            },
            180_000,
          );
        }
      };
      // The first connections are silent and then reset: their requests are certain to be repeated.
      proxy.cut();
      const paying = Promise.all([payAll(), payAll(), payAll()]);
      await eventually('three requests are on their way', () => proxy.connections >= 3);
      proxy.reset();
      const before = await stack.pidOf('issuing');
      await stack.kill('issuing');
      const storming = { over: false };
      void paying.finally(() => {
        storming.over = true;
      });
      for (let round = 0; !storming.over; round += 1) {
        const fault = [() => proxy.slow({ delayMs: 150 }), () => proxy.cut(), () => proxy.reset()][round % 3];
        fault?.();
        await pass(300);
        // What was cut is ended, as a network does at last.
        if (round % 3 === 1) {
          proxy.reset();
        }
      }
      await paying;
      await stack.awaitRestart('issuing', before);
      proxy.forward();
      expect(answers.filter(({ body }) => (body.attempts ?? 0) > 1).length).toBeGreaterThanOrEqual(3);
      for (const order of orders) {
        expect([order, (await documentsOf(order)).length]).toEqual([order, 1]);
      }
      await expectVerified(stack, issuer);
    });
  });
}

/** An order of two mugs and shipping. */
const orderOf = (id: number, change: OrderChange = {}) =>
  wooCommerceOrder({
    id,
    total: '133.00',
    line_items: [{ quantity: 2, sku: 'MUG', total: '100.00', total_tax: '18.00' }],
    shipping_lines: [{ total: '12.71', total_tax: '2.29' }],
    ...change,
  });

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
function postTo(port: number, path: string, body: string): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent: false, timeout: 60_000 };
    const sent = request(options, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) {
        text += chunk;
      }
      resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}
