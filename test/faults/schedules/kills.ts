import { format } from 'node:util';
import { expect } from '@jest/globals';
import { type ConsumerBinding, consumers, streamOf } from '@pinkas/contracts';
import { connectNats } from '@pinkas/service-kit/client';
import { eventually, streamManagerOf } from '@pinkas/testkit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import type { BookedBusiness, IssuedInvoice, KnownDocument } from '../engine/callers.js';
import { emailsOf } from '../engine/checks.js';
import type { Engine } from '../engine/engine.js';
import type { Fault } from '../engine/faults.js';
import type { KillPointName } from '../engine/kill-points.js';
import type { Schedule } from './schedule.js';

/** How soon the caller of a process that died has an answer. */
const answerWithinMs = 5_000;
export const laterWithinMs = 90_000;
/** Above this net price an invoice needs a number. */
export const small = 100;
export const large = 6_000;

export const businessOf = ({ businesses }: Engine) => businesses[0] as BookedBusiness;
export const killAt = (target: KillPointName): Fault => ({ kind: 'kill at', target });
const hang: Fault = { kind: 'simulator', target: 'tax-authority', value: '{"mode":"hang"}' };
const slowAuthority: Fault = { kind: 'simulator', target: 'tax-authority', value: '{"delay_ms":1500}' };
const slowRenderer = (delayMs: number): Fault => ({
  kind: 'simulator',
  target: 'gotenberg',
  value: `{"delay_ms":${delayMs}}`,
});
const refused = { error: { code: 'engine_error', retryable: true } };

export const renderingsOf = async ({ system }: Engine) =>
  (await system.stack.calls<{ in_flight: number }>('gotenberg')).in_flight;

async function committed({ system }: Engine, keys: readonly string[]): Promise<string[]> {
  const db = await system.stack.database<{ document: { id: string; idempotency_key: string } }>('issuing');
  const rows = await db.selectFrom('document').select('id').where('idempotency_key', 'in', keys).execute();
  return rows.map(({ id }) => id);
}

/** Sends an invoice, and waits until it is in the book, whatever its caller has heard of it. */
export async function commitInvoice(
  engine: Engine,
  unitPrice: number,
): Promise<IssuedInvoice & { id: string }> {
  return untilCommitted(engine, engine.callers.issue(businessOf(engine), unitPrice));
}

/** The same of a donation by two means of payment, of the business that reports donations. */
async function commitDonation(engine: Engine): Promise<IssuedInvoice & { id: string }> {
  const institution = engine.businesses.at(-1) as BookedBusiness;
  const receipt = engine.callers.issue(institution, 180, {
    type: 'donation_receipt',
    prices_include_vat: true,
    payments: [
      { method: 'cash', amount: 100 },
      { method: 'bank_transfer', amount: 80 },
    ],
  });
  return untilCommitted(engine, receipt);
}

async function untilCommitted(
  engine: Engine,
  invoice: IssuedInvoice,
): Promise<IssuedInvoice & { id: string }> {
  const [id] = await eventually('the document is committed', async () => {
    const ids = await committed(engine, [invoice.known.key]);
    return ids.length > 0 && ids;
  });
  return { ...invoice, id: id as string };
}

/** A service dies at an instant of one invoice's way. */
interface Kill {
  name: string;
  fault: Fault;
  /** Of an invoice; a donation has two means of payment. */
  unitPrice: number | 'donation';
  /** Until it runs again. */
  during?: readonly Fault[];
  /** How far the invoice is when the fault is applied; by default it is not sent yet. */
  when?(engine: Engine, id: string): Promise<unknown>;
  check(engine: Engine, invoice: KnownDocument & { id: string }): Promise<unknown>;
}

function killed({ name, fault, unitPrice, during = [], when, check }: Kill): Schedule {
  let invoice: KnownDocument;
  return {
    name,
    async happen(engine) {
      await engine.during(during, async () => {
        let heal = when ? null : await engine.apply(fault);
        const { id, known } =
          unitPrice === 'donation' ? await commitDonation(engine) : await commitInvoice(engine, unitPrice);
        invoice = known;
        await when?.(engine, id);
        heal ??= await engine.apply(fault);
        await heal?.();
      });
      await expireClaims(engine);
    },
    check: (engine) => check(engine, { ...invoice, id: invoice.created?.id ?? '' }),
  };
}

/** Ends the claims of workers that died, as time would. */
export async function expireClaims({ system }: Engine): Promise<void> {
  const administrator = await DatabaseAdministrator.connect(system.stack);
  for (const [service, table] of [
    ['allocation', 'allocation'],
    ['allocation', 'job'],
    ['delivery', 'delivery'],
    ['delivery', 'webhook'],
  ] as const) {
    const expire = sql`update ${sql.table(table)} set claimed_until = now() where claimed_until is not null`;
    await administrator.change(service, expire);
  }
  await administrator.close();
}

/** What the restarted service shows of a consumer: it is given the event again, and acknowledges it. */
async function awaitRedelivered({ system: { stack } }: Engine, consumer: ConsumerBinding): Promise<void> {
  const { service, event, durable } = consumer;
  const handled = new RegExp(
    `^pinkas_event_duration_seconds_count{[^}]*consumer="${durable}"[^}]*} [1-9]\\d*$`,
    'm',
  );
  const again = async () => handled.test(await stack.metricsOf(service));
  await eventually(`${durable} is given the event again`, again, laterWithinMs);
  const connection = await connectNats((await stack.file()).nats_url, 'test');
  try {
    const manager = await streamManagerOf(connection);
    const acknowledged = async () => {
      const info = await manager.consumers.info(streamOf(event.owner).name, durable);
      return info.num_pending === 0 && info.num_ack_pending === 0;
    };
    await eventually(`${durable} has acknowledged everything`, acknowledged, laterWithinMs);
  } finally {
    await connection.close();
  }
}

async function expectRevisions({ system }: Engine, { id }: { id: string }): Promise<void> {
  const db = await system.stack.database<{ artifact: { document_id: string; revision: number } }>(
    'rendering',
  );
  const revisions = async () => {
    const rows = await db.selectFrom('artifact').select('revision').where('document_id', '=', id).execute();
    return rows.map(({ revision }) => revision).sort();
  };
  await eventually('the second PDF is stored', async () => (await revisions()).length > 1, laterWithinMs);
  expect(await revisions()).toEqual([1, 2]);
}

async function allocationNumber({ businesses, system }: Engine, id: string): Promise<string | null> {
  const [{ issuer }] = businesses as [BookedBusiness];
  const { body } = await system.stack.call<{ allocation_number: string | null }>(
    issuer.key,
    'GET',
    `/documents/${id}`,
  );
  return body.allocation_number;
}

interface AuthorityCalls {
  calls: { path: string; body: { invoice_id?: string } | null }[];
  granted: { invoice_id: string; confirmation_number: string }[];
}

/** How often a number was requested for a document, and those that were granted. */
async function authorityCalls(
  { system }: Engine,
  id: string,
): Promise<{ approvals: number; granted: string[] }> {
  const { calls, granted } = await system.stack.calls<AuthorityCalls>('tax_authority');
  return {
    approvals: calls.filter(({ body, path }) => path.endsWith('/Approval') && body?.invoice_id === id).length,
    granted: granted
      .filter(({ invoice_id }) => invoice_id === id)
      .map((grant) => grant.confirmation_number.slice(-9)),
  };
}

/** The document has the one number that the authority gave it. @returns how often it was requested, and the number. */
export async function expectOneNumber(
  engine: Engine,
  { id }: { id: string },
): Promise<{ approvals: number; number: string }> {
  const number = await eventually('the number has come', () => allocationNumber(engine, id), laterWithinMs);
  const { approvals, granted } = await authorityCalls(engine, id);
  expect(granted).toEqual([number]);
  return { approvals, number };
}

interface DonationCalls {
  calls: { path: string; body: { Donation_ID?: string } | null }[];
  donations: { invoice_id: string; confirmation_number: string }[];
}

/** Both reports of a donation are made once, and the receipt has their numbers. @returns how often a report was sent. */
async function expectReportedOnce({ system }: Engine, { id }: { id: string }): Promise<number> {
  const db = await system.stack.database<{ document: { id: string; donation: { number: string } | null } }>(
    'issuing',
  );
  const printed = await eventually(
    'the donation is reported',
    async () => {
      const row = await db.selectFrom('document').select('donation').where('id', '=', id).executeTakeFirst();
      return row?.donation?.number;
    },
    laterWithinMs,
  );
  const { calls, donations } = await system.stack.calls<DonationCalls>('tax_authority');
  const given = donations.filter(({ invoice_id }) => invoice_id.startsWith(id));
  expect(given.map(({ invoice_id }) => invoice_id)).toEqual([`${id}-1`, `${id}-2`]);
  expect(given.map(({ confirmation_number }) => confirmation_number).join(', ')).toBe(printed);
  return calls.filter(({ path, body }) => path.endsWith('/Report') && body?.Donation_ID?.startsWith(id))
    .length;
}

/** The Message-IDs of its emails, when delivery knows that it was sent. */
async function sentEmails(
  { system }: Engine,
  { id, key }: KnownDocument & { id: string },
): Promise<string[]> {
  const db = await system.stack.database<{ delivery: { document_id: string; state: string } }>('delivery');
  const sent = () =>
    db
      .selectFrom('delivery')
      .select('state')
      .where('document_id', '=', id)
      .where('state', '=', 'sent')
      .executeTakeFirst();
  await eventually('the message is sent', sent, laterWithinMs);
  return (await emailsOf(system)).get(`${key}@example.com`) ?? [];
}

const inFlight: Schedule = {
  name: 'issuing killed with requests in flight: each caller is answered before the deadline, and may retry',
  async happen(engine) {
    await engine.during([slowRenderer(4_000)], async () => {
      const invoices = Array.from({ length: 8 }, () => engine.callers.issue(businessOf(engine), small));
      const answered = invoices.map(async ({ answer }) => ({
        answer: await answer,
        atMs: performance.now(),
      }));
      await eventually('a rendering has begun', async () => (await renderingsOf(engine)) > 0);
      const heal = await engine.apply({ kind: 'kill', target: 'issuing' });
      const killedMs = performance.now();
      for (const { answer, atMs } of await Promise.all(answered)) {
        expect(answer?.body).toMatchObject(refused);
        expect(atMs - killedMs).toBeLessThan(answerWithinMs * engine.system.patience);
      }
      await heal?.();
    });
  },
};

/** Issuing dies with documents in the queue of their series; all of them are in the book then, or none. */
const inQueue = (where: string, fault: Fault, isInBook: boolean): Schedule => ({
  name: format(
    'issuing killed with documents in the queue of their series, %s, issues each of them once',
    where,
  ),
  async happen(engine) {
    const business = businessOf(engine);
    let line: IssuedInvoice[] = [];
    // While the authority hangs, each of their requests waits for it. Two renderings in turn take less than one may.
    await engine.during([hang, slowRenderer(1_500)], async () => {
      const front = engine.callers.issue(business, large);
      await eventually(
        'the document before them is rendered',
        async () => (await renderingsOf(engine)) === 1,
      );
      line = Array.from({ length: 5 }, () => engine.callers.issue(business, large));
      await eventually('several are rendered at once', async () => (await renderingsOf(engine)) > 1);
      const heal = await engine.apply(fault);
      for (const { answer } of line) {
        expect((await answer)?.body).toMatchObject(refused);
      }
      await front.answer;
      await heal?.();
    });
    const keys = line.map(({ known }) => known.key);
    if (isInBook) {
      await eventually(
        'they are committed',
        async () => (await committed(engine, keys)).length === keys.length,
      );
    } else {
      expect(await committed(engine, keys)).toEqual([]);
    }
    for (const { known } of line) {
      const { status, headers } = await engine.system.stack.issue(business.issuer.key, known.body, known.key);
      expect([status, headers['idempotent-replayed']]).toEqual([201, isInBook ? 'true' : undefined]);
    }
  },
});

export const issuingKilled: readonly Schedule[] = [
  inFlight,
  inQueue('while their PDFs are rendered', { kind: 'kill', target: 'issuing' }, false),
  inQueue('at their insert', killAt('F3 issuing, before the commit'), false),
  inQueue('at their commit', killAt('F3 issuing, when the commit is sent'), true),
  inQueue('right after their commit', killAt('F3 issuing, after the commit'), true),
];

export const renderingKilled = [
  killed({
    name: 'rendering killed before the renderer answers makes each revision once after the restart',
    fault: killAt('F4 rendering, when a page is sent to the renderer'),
    unitPrice: large,
    during: [slowAuthority],
    when: async () => {},
    check: expectRevisions,
  }),
  killed({
    name: 'rendering killed between the answer of the renderer and the commit makes each revision once after the restart',
    fault: killAt('F4 rendering, when a PDF is stored'),
    unitPrice: large,
    during: [slowAuthority],
    when: async () => {},
    check: expectRevisions,
  }),
  killed({
    name: 'rendering killed between the commit and the acknowledgement makes no second revision',
    fault: killAt('F4 rendering, before it acknowledges'),
    unitPrice: large,
    async check(engine, invoice) {
      await awaitRedelivered(engine, consumers.settleArtifact);
      await expectRevisions(engine, invoice);
    },
  }),
];

export const allocationKilled = [
  killed({
    name: 'allocation killed before it calls the authority requests the number once after the restart',
    fault: killAt('F7 allocation, before the authority is asked'),
    unitPrice: large,
    check: async (engine, invoice) => expect((await expectOneNumber(engine, invoice)).approvals).toBe(1),
  }),
  killed({
    name: 'allocation killed while the authority hangs requests the number again under the same id',
    fault: { kind: 'kill', target: 'allocation' },
    when: (engine, id) =>
      eventually('the authority was asked', async () => (await authorityCalls(engine, id)).approvals > 0),
    unitPrice: large,
    during: [hang],
    check: async (engine, invoice) =>
      expect((await expectOneNumber(engine, invoice)).approvals).toBeGreaterThan(1),
  }),
  killed({
    name: 'allocation killed between the answer and the commit requests the number again under the same id and stores the one that was granted',
    fault: killAt('F7 allocation, when the authority has answered'),
    unitPrice: large,
    check: async (engine, invoice) => expect((await expectOneNumber(engine, invoice)).approvals).toBe(2),
  }),
  killed({
    name: 'allocation killed between the commit and the acknowledgement ignores the redelivered event',
    fault: killAt('F7 allocation, before it acknowledges'),
    unitPrice: large,
    async check(engine, invoice) {
      await awaitRedelivered(engine, consumers.recordRequiredNumber);
      await expectOneNumber(engine, invoice);
    },
  }),
];

export const donationKilled = [
  killed({
    name: 'allocation killed before a donation is reported makes each of its reports once after the restart',
    fault: killAt('F7 allocation, before a donation is reported'),
    unitPrice: 'donation',
    check: async (engine, receipt) => expect(await expectReportedOnce(engine, receipt)).toBe(2),
  }),
  killed({
    name: 'allocation killed between the answer to a report and the commit sends it again under the same id, and reports the rest of the donation',
    fault: killAt('F7 allocation, when a donation is reported'),
    unitPrice: 'donation',
    check: async (engine, receipt) => expect(await expectReportedOnce(engine, receipt)).toBe(3),
  }),
  killed({
    name: 'allocation killed between the commit of a donation and the acknowledgement ignores the redelivered event',
    fault: killAt('F7 allocation, before it acknowledges a donation'),
    unitPrice: 'donation',
    async check(engine, receipt) {
      await awaitRedelivered(engine, consumers.recordDueDonation);
      await expectReportedOnce(engine, receipt);
    },
  }),
];

export const deliveryKilled = [
  killed({
    name: 'delivery killed before it sends a message sends it once after the restart',
    fault: killAt('F5 delivery, before an email'),
    unitPrice: small,
    check: async (engine, invoice) => expect(await sentEmails(engine, invoice)).toHaveLength(1),
  }),
  killed({
    name: 'delivery killed between the acceptance of an email and the commit sends it at most once more under the same Message-ID',
    fault: killAt('F5 delivery, when an email is accepted'),
    unitPrice: small,
    async check(engine, invoice) {
      const ids = await sentEmails(engine, invoice);
      expect(ids).toEqual([ids[0], ids[0]]);
    },
  }),
  killed({
    name: 'delivery killed between the commit of a plan and the acknowledgement ignores the redelivered event',
    fault: killAt('F5 delivery, before it acknowledges'),
    unitPrice: small,
    async check(engine, invoice) {
      await awaitRedelivered(engine, consumers.planDelivery);
      expect(await sentEmails(engine, invoice)).toHaveLength(1);
    },
  }),
];

/** How often the event about an issued document was received, under one id. */
async function timesReceived({ receiver }: Engine, id: string): Promise<number> {
  const [times, ...others] = await eventually(
    'the event is received',
    () => {
      const found = receiver.timesOf('document.issued', id);
      return found.length > 0 && found;
    },
    laterWithinMs,
  );
  expect(others).toEqual([]);
  return times ?? 0;
}

export const webhooksKilled = [
  killed({
    name: 'delivery killed before it sends a webhook sends it once after the restart',
    fault: killAt('F48 delivery, before a webhook'),
    unitPrice: small,
    check: async (engine, { id }) => expect(await timesReceived(engine, id)).toBe(1),
  }),
  killed({
    name: 'delivery killed between the answer to a webhook and the commit sends it again under the same id',
    fault: killAt('F48 delivery, when a webhook is received'),
    unitPrice: small,
    check: (engine, { id }) =>
      eventually('it is received again', async () => (await timesReceived(engine, id)) === 2, laterWithinMs),
  }),
  killed({
    name: 'delivery killed between the commit of an event and the acknowledgement stores it once',
    fault: killAt('F48 delivery, before it acknowledges an event'),
    unitPrice: small,
    async check(engine, { id }) {
      await awaitRedelivered(engine, consumers.storeDocumentEvent);
      expect(await timesReceived(engine, id)).toBeGreaterThan(0);
    },
  }),
];
