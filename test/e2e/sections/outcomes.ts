import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  type BusinessChange,
  type CreateDocument,
  type CreatedDocument,
  type EventOf,
  eventSubject,
} from '@pinkas/contracts';
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

    /** The row of a document in a table of a service, when it is there. */
    const rowOf = async (
      service: 'allocation' | 'delivery',
      table: 'outbox' | 'plan',
      [column, value]: ['subject' | 'document_id', string],
    ): Promise<Record<string, unknown>> => {
      const db = await stack.database<Record<'outbox' | 'plan', Record<string, unknown>>>(service);
      return eventually(`${table} of ${service} has ${value}`, () =>
        db.selectFrom(table).selectAll().where(column, '=', value).executeTakeFirst(),
      );
    };
    /** Allocation has published what the answer says, and delivery has planned it. */
    const expectOutcomes = (documents: readonly CreatedDocument[]) =>
      Promise.all(
        documents.map(async ({ id, allocation, delivery }) => {
          const { body } = await rowOf('allocation', 'outbox', [
            'subject',
            eventSubject(allocationSettled, id),
          ]);
          const settled = (typeof body === 'string' ? JSON.parse(body) : body) as EventOf<
            typeof allocationSettled
          >;
          expect(settled.allocation).toEqual(allocation);
          const { status, channel, scheduled_for } = await rowOf('delivery', 'plan', ['document_id', id]);
          expect({ status, channel, scheduled_for }).toEqual({
            ...delivery,
            scheduled_for: delivery.scheduled_for === null ? null : new Date(delivery.scheduled_for),
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
    }, 60_000);

    it('a document that needs no number has the same outcomes while allocation and delivery are frozen, and both come to them later', async () => {
      const cases = decidedCases();
      const keys = await keysOf(cases);
      const thaw = await freeze(stack, ['allocation', 'delivery']);
      await expectOutcomes(await issueAll(cases, keys).finally(thaw));
      await expectOutcomes(await issueAll(cases, keys));
    }, 120_000);
  });
}
