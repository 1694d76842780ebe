import { setTimeout as pass } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { type NatsUser, natsAuthorization, serviceNames } from '@pinkas/contracts';
import { eventually, startTestNats, TcpProxy, type TestNats } from '@pinkas/testkit';
import { expectConsistentBook, expectNothingPending, expectVerified } from '../harness/book.js';
import { type Issuer, invoice, RunningStack, sendsMail } from '../harness/running-stack.js';
import { freeze } from './kill-at-point.js';
import { SteadyLoad } from './steady-load.js';

/** As long as a machine that is paused, or a network that fails over; longer than every deadline of a request. */
const brokenMs = 45_000;
/** Between two requests of a caller: the load is there to meet the fault, and each document is checked at the end. */
const callerPauseMs = 8_000;
/** Requests that are served at the first try, one after the other, show that nothing is lost on the way any more. */
const servedInARow = 12;
/** An upper bound for a machine that is busy; `npm run bench` measures how soon it is. */
const healedWithinMs = 60_000;

/** Longer than the pauses after a failed attempt on a message and after one of unknown outcome. */
const nextAttemptMs = 150_000;

const passwordOf = (user: NatsUser) => `password-of-${user}`;

/** A system with the NATS users of production, behind a network that can break silently. */
export class HangingSystem {
  /** What callers were given in all cases. */
  readonly #seen: SteadyLoad['seen'] = { tax_invoice: [], quote: [] };

  private constructor(
    readonly nats: TestNats,
    readonly proxy: TcpProxy,
    readonly stack: RunningStack,
    readonly issuer: Issuer,
  ) {}

  static async start(): Promise<HangingSystem> {
    const nats = await startTestNats(natsAuthorization((user) => JSON.stringify(passwordOf(user))));
    const proxy = await TcpProxy.start(nats.url);
    const urlOf = (user: NatsUser, host = proxy.address) => `nats://${user}:${passwordOf(user)}@${host}`;
    const stack = await RunningStack.start({
      NATS_URL: urlOf('operator', new URL(nats.url).host),
      ...Object.fromEntries(serviceNames.map((name) => [`NATS_URL_${name.toUpperCase()}`, urlOf(name)])),
    });
    const issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
    return new HangingSystem(nats, proxy, stack, issuer);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.proxy.stop();
    await this.nats.stop();
  }

  /** Cuts NATS off. @returns what forwards again. */
  cutNats(): () => void {
    this.proxy.cut();
    return () => this.proxy.forward();
  }

  /** Freezes processes. @returns what lets them go on. */
  async freeze(...parts: string[]): Promise<() => void> {
    const thaws: (() => void)[] = [];
    for (const part of parts) {
      thaws.push(await freeze(this.stack, part));
    }
    return () => {
      for (const thaw of thaws) {
        thaw();
      }
    };
  }

  /**
   * Breaks a part under load for 45 s. Each request is served, or refused so that it may be sent again; when the part is
   * back all are served at the first try, and each service has one connection to NATS.
   * @param options.whileBroken what is expected as soon as it is broken.
   * @param options.servedWithinMs how soon the first request is served afterwards.
   */
  async expectHealed(
    breakIt: () => Promise<() => void> | (() => void),
    {
      whileBroken = async () => {},
      servedWithinMs = healedWithinMs,
    }: { whileBroken?: () => Promise<void>; servedWithinMs?: number } = {},
  ): Promise<void> {
    const { stack, issuer, proxy } = this;
    const load = await SteadyLoad.start(stack, issuer, 1, callerPauseMs);
    try {
      await eventually('the load runs', () => load.answered >= 6);
      const heal = await breakIt();
      await Promise.all([pass(brokenMs), whileBroken()]).finally(heal);
      await eventually(
        'a request is served again',
        async () => (await stack.issue(issuer.key, invoice(100))).status === 201,
        servedWithinMs,
      );
      let served = 0;
      await eventually(
        'requests are served in a row',
        async () => {
          const before = served;
          served = 0;
          const { status } = await stack.issue(issuer.key, invoice(6000));
          served = status === 201 ? before + 1 : 0;
          return served === servedInARow;
        },
        healedWithinMs,
      );
    } finally {
      await load.stop();
    }
    expect(load.failed.filter(({ retryable }) => !retryable)).toEqual([]);
    await Promise.all(
      load.failed.map(async ({ key, body }) => {
        if (key !== null && body !== null) {
          const { id, number, type, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
          load.seen[type as 'tax_invoice' | 'quote'].push({ key, id, number, total: totals.total });
        }
      }),
    );
    this.#seen.tax_invoice.push(...load.seen.tax_invoice);
    this.#seen.quote.push(...load.seen.quote);
    await eventually(
      'each service has one connection',
      async () => proxy.connections === serviceNames.length,
    );
  }

  /** The gateway is ready without a part, and refuses what needs it. */
  async expectReadyAndRefusing(): Promise<void> {
    const { stack, issuer } = this;
    const { status, body } = await stack.issue(issuer.key, invoice(100));
    expect([status, body.error.code, body.error.retryable]).toEqual([502, 'engine_error', true]);
    const { services } = await stack.file();
    const gateway = services.find(({ name }) => name === 'gateway');
    const ready = await fetch(String(gateway?.health_url), { signal: AbortSignal.timeout(5_000) });
    expect(ready.status).toBe(200);
  }

  /** The book has every document that a caller was given, once, nothing is left to do, and each document has one email. */
  async expectComplete(): Promise<void> {
    const { stack, issuer } = this;
    await expectConsistentBook(stack, issuer, 'tax_invoice', this.#seen.tax_invoice);
    await expectConsistentBook(stack, issuer, 'quote', this.#seen.quote);
    await expectNothingPending(stack);
    const db = await stack.database<{ document: { id: string } }>('issuing');
    const documents = await db.selectFrom('document').select('id').execute();
    await eventually(
      'each document has one email',
      async () => {
        const mails = (await stack.receivedMails()).filter(({ to }) => to.includes('customer@example.com'));
        // An attempt whose outcome was lost is repeated under its Message-ID, by which mail servers know it.
        return new Set(mails.map((mail) => mail.message_id)).size === documents.length;
      },
      nextAttemptMs,
    );
    // Last, when nothing is pending any more: it reads every PDF.
    await expectVerified(stack);
  }
}
