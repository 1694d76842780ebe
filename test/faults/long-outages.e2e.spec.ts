import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { expectNothingOwed, expectProven, expectSoundBook, type Seen } from '../book.js';
import { type Issuer, invoice, RunningStack, sendsMail } from '../running-stack.js';
import { commit, freeze, replayed } from './steps-fixture.js';

/** How long NATS is away. */
const natsAwayMs = 30_000;
const callersAtOnce = 8;

describe('under load', () => {
  let stack: RunningStack;
  let issuer: Issuer;
  const seen: Seen[] = [];
  const addresses: string[] = [];
  beforeAll(async () => {
    stack = await RunningStack.start();
    issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
  }, 180_000);
  afterAll(() => stack.stop(), 60_000);

  /**
   * Callers that issue one document after the other, and send a request that failed again with the same key, until `ended`.
   * Each second document gets an allocation number.
   */
  const load = async (ended: () => boolean): Promise<void> => {
    const caller = async () => {
      while (!ended()) {
        const email = `${randomUUID()}@example.com`;
        const customer = { name: 'לקוח דואר', tax_id: '777777723', email };
        const body = invoice(addresses.length % 2 === 0 ? 6000 : 100, { customer });
        addresses.push(email);
        const key = randomUUID();
        const first = await stack.issue(issuer.key, body, key);
        if (first.status !== 201) {
          expect(Object.keys(errorCatalogue)).toContain(first.body.error.code);
          expect(first.body.error.retryable).toBe(true);
        }
        const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
        seen.push({ key, id, number, total: totals.total });
      }
    };
    await Promise.all(Array.from({ length: callersAtOnce }, caller));
  };
  /** Runs the load while something happens, and until some more documents were issued after it. */
  const loadDuring = async (happening: () => Promise<void>): Promise<void> => {
    let over = Number.POSITIVE_INFINITY;
    const running = load(() => seen.length >= over);
    try {
      await happening();
    } finally {
      over = seen.length + callersAtOnce;
    }
    await running;
  };
  const expectEveryMailOnce = async () => {
    const everyMail = async () => {
      const { mailbox_url } = await stack.file();
      const response = await fetch(`${mailbox_url}/messages`, { signal: AbortSignal.timeout(10_000) });
      const mails = (await response.json()) as { to: string[]; message_id: string }[];
      return mails.flatMap((mail) => mail.to.map((to) => ({ to, messageId: mail.message_id })));
    };
    const mails = await eventually(
      'every customer has the mail',
      async () => {
        const all = await everyMail();
        const arrived = new Set(all.map((mail) => mail.to));
        return addresses.every((address) => arrived.has(address)) ? all : undefined;
      },
      120_000,
    );
    expect(mails.filter((mail) => addresses.includes(mail.to))).toHaveLength(addresses.length);
  };

  it('NATS, away for half a minute: every answer is a document or says to come again, and everything is done once', async () => {
    await loadDuring(async () => {
      const thaw = await freeze(stack, 'nats');
      // The outage itself, while the callers go on.
      await pass(natsAwayMs);
      thaw();
    });
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectEveryMailOnce();
    await expectNothingOwed(stack);
    await expectProven(stack);
  }, 300_000);

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'PostgreSQL, restarted by %s: every answer is a document or says to come again, and everything is done once',
    async (signal) => {
      await loadDuring(async () => {
        const before = await stack.pidOf('postgres');
        await stack.kill('postgres', signal);
        await stack.restarted('postgres', before);
      });
      await expectSoundBook(stack, issuer, 'tax_invoice', seen);
      await expectEveryMailOnce();
      await expectNothingOwed(stack);
      await expectProven(stack);
    },
    300_000,
  );

  it('the store of NATS, wiped while steps are pending: all of them are done, once', async () => {
    const email = `${randomUUID()}@example.com`;
    const body = invoice(6000, { customer: { name: 'לקוח דואר', tax_id: '777777723', email } });
    const asleep = [await freeze(stack, 'allocation'), await freeze(stack, 'delivery')];
    const pending = [
      await commit(stack, issuer, body),
      await commit(stack, issuer, body),
      await commit(stack, issuer, body),
    ];
    const before = await stack.pidOf('nats');
    await freeze(stack, 'nats');
    const store = join(stack.home, 'data', 'nats');
    for (const entry of await readdir(store)) await rm(join(store, entry), { recursive: true, force: true });
    await stack.kill('nats');
    await stack.restarted('nats', before);
    for (const thaw of asleep) thaw();
    for (const one of pending) {
      seen.push(await replayed(stack, issuer, one));
      await eventually(
        'the number has come',
        async () => {
          const read = await stack.call<{ allocation_number: string | null }>(
            issuer.key,
            'GET',
            `/documents/${one.id}`,
          );
          return read.body.allocation_number;
        },
        120_000,
      );
    }
    await eventually(
      'the mails have arrived',
      async () => (await stack.mailsTo(email)).length === pending.length,
      120_000,
    );
    await expectSoundBook(stack, issuer, 'tax_invoice', seen);
    await expectNothingOwed(stack);
    await expectProven(stack);
    expect(await stack.mailsTo(email)).toHaveLength(pending.length);
  }, 300_000);
});
