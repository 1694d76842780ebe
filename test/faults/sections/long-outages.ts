import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued, errorCatalogue } from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { expectConsistentBook, expectVerified, type ObservedDocument } from '../../harness/book.js';
import { expectNothingPending } from '../../harness/pending.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';
import { type CommittedDocument, commitDocument, freeze, replay } from '../kill-at-point.js';

const callersAtOnce = 8;

export function longOutages(system: () => RunningStack): void {
  describe('outages under load', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    const seen: ObservedDocument[] = [];
    const addresses: string[] = [];
    /** How many requests were refused. */
    let refused = 0;
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
    }, 180_000);

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
            refused += 1;
          }
          const { id, number, totals } = await stack.issueUntilAnswered(issuer.key, body, key);
          seen.push({ key, id, number, total: totals.total });
        }
      };
      await Promise.all(Array.from({ length: callersAtOnce }, caller));
    };
    /**
     * Runs the load while something happens, and until some more documents were issued after it. It happens again, at most five times,
     * until a request was refused because of it: a server may be back before the next request needs it.
     */
    const loadDuring = async (happening: () => Promise<void>): Promise<void> => {
      let over = Number.POSITIVE_INFINITY;
      const begun = seen.length;
      const running = load(() => seen.length >= over);
      let refusedBefore = 0;
      try {
        await eventually('the load runs', () => seen.length >= begun + callersAtOnce, 60_000);
        refusedBefore = refused;
        for (let times = 0; times < 5 && refused === refusedBefore; times += 1) {
          const issuedBefore = seen.length;
          await happening();
          await eventually(
            'documents are issued again',
            () => seen.length >= issuedBefore + callersAtOnce,
            60_000,
          );
        }
      } finally {
        over = seen.length + callersAtOnce;
      }
      await running;
      expect(refused).toBeGreaterThan(refusedBefore);
    };
    const expectEveryMailOnce = async () => {
      const everyMail = async () => {
        const mails = await stack.receivedMails();
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

    /** Waits until JetStream has the events of documents. */
    const expectSent = async (documents: readonly CommittedDocument[]) => {
      const db = await stack.database<MessagingTables>('issuing');
      for (const { id } of documents) {
        await eventually('the event is sent', () =>
          db
            .selectFrom('outbox')
            .select('id')
            .where('subject', '=', `${documentIssued.subject}.${id}`)
            .where('sent_at', 'is not', null)
            .executeTakeFirst(),
        );
      }
    };
    /** Expects that neither allocation nor delivery has handled the event of a document. */
    const expectUnhandled = async (documents: readonly CommittedDocument[]) => {
      for (const [service, table] of [
        ['allocation', 'allocation'],
        ['delivery', 'plan'],
      ] as const) {
        const db = await stack.database<Record<typeof table, { document_id: string }>>(service);
        const ids = documents.map(({ id }) => id);
        const rows = await db
          .selectFrom(table)
          .select('document_id')
          .where('document_id', 'in', ids)
          .execute();
        expect(rows).toEqual([]);
      }
    };

    it.each(['SIGINT', 'SIGKILL'] as const)(
      'a restart of PostgreSQL by %s answers with documents or retryable errors and loses and repeats nothing',
      async (signal) => {
        await loadDuring(async () => {
          const before = await stack.pidOf('postgres');
          await stack.kill('postgres', signal);
          await stack.awaitRestart('postgres', before);
        });
        await expectConsistentBook(stack, issuer, 'tax_invoice', seen);
        await expectEveryMailOnce();
        await expectNothingPending(stack);
        await expectVerified(stack, issuer);
      },
      300_000,
    );

    it('a wiped JetStream store with pending events loses and repeats nothing', async () => {
      const email = `${randomUUID()}@example.com`;
      const body = invoice(6000, { customer: { name: 'לקוח דואר', tax_id: '777777723', email } });
      const consumers = ['allocation', 'delivery'] as const;
      const parts = ['nats', ...consumers];
      const before = await Promise.all(parts.map((part) => stack.pidOf(part)));
      for (const part of consumers) {
        await freeze(stack, part);
      }
      const pending = [
        await commitDocument(stack, issuer, body),
        await commitDocument(stack, issuer, body),
        await commitDocument(stack, issuer, body),
      ];
      await expectSent(pending);
      await freeze(stack, 'nats');
      // What they were given, and have not read, is lost as well.
      for (const part of consumers) {
        await stack.kill(part);
      }
      await expectUnhandled(pending);
      const store = join(stack.home, 'data', 'nats');
      for (const entry of await readdir(store)) {
        await rm(join(store, entry), { recursive: true, force: true });
      }
      await stack.kill('nats');
      for (const [index, part] of parts.entries()) {
        await stack.awaitRestart(part, before[index] as number);
      }
      for (const one of pending) {
        seen.push(await replay(stack, issuer, one));
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
      await expectConsistentBook(stack, issuer, 'tax_invoice', seen);
      await expectNothingPending(stack);
      await expectVerified(stack, issuer);
      expect(await stack.mailsTo(email)).toHaveLength(pending.length);
    }, 300_000);
  });
}
