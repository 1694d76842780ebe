import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  type BusinessChange,
  type CreateDocument,
  type CreatedDocument,
  eventSubject,
} from '@pinkas/contracts';
import type { MessagingTables } from '@pinkas/service-kit';
import { demoCustomer, eventually } from '@pinkas/testkit';
import { timeInIsrael } from '../../conformance/israel-time.js';
import { freeze } from '../../harness/processes.js';
import { invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';

/** A document with the outcomes that its caller expects. */
interface Case {
  settings: BusinessChange;
  body: CreateDocument;
  allocation: CreatedDocument['allocation']['status'];
  delivery: [CreatedDocument['delivery']['status'], CreatedDocument['delivery']['channel']];
}

interface MessageRow {
  document_id: string;
  channel: string;
  not_before: Date | null;
}

const connected = { tax_authority_connected: true };
const byBoth = { auto_send: { enabled: true, channel: 'both', quiet_hours: null } } as const;
const { name, email } = demoCustomer;

/** What needs neither a number nor more of delivery than that nothing is against sending. */
const decidedCases = (): Case[] => [
  { settings: {}, body: invoice(6_000), allocation: 'not_required', delivery: ['disabled', null] },
  {
    settings: { ...sendsMail, ...connected },
    body: invoice(100, { send: false }),
    allocation: 'not_required',
    delivery: ['suppressed', null],
  },
  {
    settings: { ...sendsMail, ...connected },
    body: invoice(6_000, { customer: { name } }),
    allocation: 'skipped_customer_tax_id_missing',
    delivery: ['no_recipient', null],
  },
  {
    settings: { ...sendsMail, ...connected, tax_id: null },
    body: invoice(6_000),
    allocation: 'skipped_business_tax_id_missing',
    delivery: ['queued', 'email'],
  },
  {
    settings: byBoth,
    body: invoice(100, { type: 'quote', customer: { name, email, phone: '050-1234567' } }),
    allocation: 'not_required',
    delivery: ['queued', 'both'],
  },
  {
    settings: {
      auto_send: {
        enabled: true,
        channel: 'email',
        quiet_hours: `${timeInIsrael(-60)}-${timeInIsrael(120)}`,
      },
    },
    body: invoice(100),
    allocation: 'not_required',
    delivery: ['deferred_quiet_hours', 'email'],
  },
];

export function outcomes(system: () => RunningStack): void {
  describe('the outcomes in the answer', () => {
    let stack: RunningStack;
    beforeAll(() => {
      stack = system();
    });

    /** Issues the documents of the cases, and compares their outcomes. */
    const issueAll = (cases: readonly Case[], keys: readonly string[]) =>
      Promise.all(
        cases.map(async ({ body, allocation, delivery }, index) => {
          const answer = await stack.issue(keys[index] ?? '', body);
          expect([answer.status, answer.body.error]).toEqual([201, undefined]);
          const { status, channel } = answer.body.delivery;
          expect([answer.body.allocation.status, status, channel]).toEqual([allocation, ...delivery]);
          return answer.body;
        }),
      );
    const keysOf = (cases: readonly Case[]) =>
      Promise.all(cases.map(async ({ settings }) => (await stack.newIssuer(settings)).key));

    /** Allocation and delivery come to the outcomes of the answer, and know nothing of a document that is no work for them. */
    const expectOutcomes = (documents: readonly CreatedDocument[]) =>
      Promise.all(
        documents.map(async ({ id, allocation, delivery }) => {
          const settled = await (await stack.database<MessagingTables>('allocation'))
            .selectFrom('outbox')
            .select('body')
            .where('subject', '=', eventSubject(allocationSettled, id))
            .executeTakeFirst();
          const requires = allocation.status === 'issued' || allocation.status === 'failed';
          expect((settled?.body as { allocation?: unknown } | undefined)?.allocation).toEqual(
            requires ? allocation : undefined,
          );
          const channels = { both: ['email', 'whatsapp'], none: [] as string[] };
          const { channel } = delivery;
          const expected = channel === 'both' || channel === null ? channels[channel ?? 'none'] : [channel];
          await eventually(`delivery has the messages of ${id}`, async () => {
            const messages = await (await stack.database<{ delivery: MessageRow }>('delivery'))
              .selectFrom('delivery')
              .select(['channel', 'not_before'])
              .where('document_id', '=', id)
              .orderBy('channel')
              .execute();
            const at = delivery.scheduled_for;
            return isDeepStrictEqual(
              messages.map(({ channel: by, not_before }) => [by, not_before?.toISOString() ?? null]),
              expected.map((by) => [by, at]),
            );
          });
        }),
      );

    it('a number and a suppressed address are answered as allocation and delivery decide them', async () => {
      const issuer = await stack.newIssuer({ ...sendsMail, ...connected });
      const dead = `${randomUUID()}@example.com`;
      await stack.pinkas('delivery', 'suppress', dead, '--business', issuer.business.id);
      const cases: Case[] = [
        { settings: {}, body: invoice(6_000), allocation: 'issued', delivery: ['queued', 'email'] },
        {
          settings: {},
          body: invoice(100, { customer: { name: 'לקוח שעזב', email: dead } }),
          allocation: 'not_required',
          delivery: ['suppressed', null],
        },
      ];
      await expectOutcomes(await issueAll(cases, [issuer.key, issuer.key]));
      await stack.pinkas('delivery', 'unsuppress', dead, '--business', issuer.business.id);
      const [, second] = cases as [Case, Case];
      await issueAll([{ ...second, delivery: ['queued', 'email'] }], [issuer.key]);
    });

    it('a document that needs no number has the same outcomes while allocation and delivery are frozen, and both come to them later', async () => {
      const cases = decidedCases();
      const keys = await keysOf(cases);
      const thaw = await freeze(stack, ['allocation', 'delivery']);
      await expectOutcomes(await issueAll(cases, keys).finally(thaw));
      await expectOutcomes(await issueAll(cases, keys));
    });
  });
}
