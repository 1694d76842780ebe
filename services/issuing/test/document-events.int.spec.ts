import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  allocationSettled,
  type Business,
  type CreateDocument,
  cancelDocument,
  documentEventDue,
  type EventOf,
  getDocument,
} from '@pinkas/contracts';
import { eventually, exampleBusiness } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

type Due = EventOf<typeof documentEventDue>;

describe('events for callers', () => {
  let issuing: IssuingUnderTest;
  let received: Due[];
  let business: Business;
  beforeAll(async () => {
    issuing = await startIssuing();
    received = issuing.network.collect(documentEventDue);
  });
  afterAll(() => issuing.stop());
  beforeEach(() => {
    business = exampleBusiness({ events: true });
  });

  const eventsOf = (count: number) =>
    eventually(`${count} events were published`, () => {
      const found = received.filter((event) => event.business_id === business.id);
      return found.length >= count && found.sort((one, other) => one.sequence - other.sequence);
    });
  const issue = (body: Parameters<IssuingUnderTest['issue']>[0] = {}) =>
    issuing.issue(body, undefined, { business });

  it('an issued document is an event with what lists show of it', async () => {
    const { document } = await issue({ type: 'quote' });
    const [event] = await eventsOf(1);
    const { listed } = await issuing.network.call(getDocument, {
      business_id: business.id,
      document_id: document.id,
      listed: true,
    });
    expect(event).toMatchObject({
      type: 'document.issued',
      sequence: 1,
      occurred_at: document.issued_at,
      listed,
    });
    const { rows } = await sql<{ body: Due }>`
      select body from outbox where starts_with(subject, ${documentEventDue.subject})
        and body ->> 'business_id' = ${business.id}`.execute(issuing.database.db);
    expect(rows.map(({ body }) => body)).toEqual([event]);
  });

  it('documents that eight callers issue at once are events that are numbered in the order of commits, without gaps', async () => {
    const types = ['quote', 'order', 'tax_invoice'] as const;
    const issued = await Promise.all(
      Array.from({ length: 24 }, (_, index) => issue({ type: types[index % 3] as (typeof types)[number] })),
    );
    const events = await eventsOf(issued.length);
    expect(events.map(({ sequence }) => sequence)).toEqual(issued.map((_, index) => index + 1));
    const rows = await issuing.database.db
      .selectFrom('document')
      .select('id')
      .where('business_id', '=', business.id)
      .orderBy('position')
      .execute();
    expect(events.map(({ listed }) => listed.document.id)).toEqual(rows.map(({ id }) => id));
  });

  it('a document that closes its source is two events, and a second one is one', async () => {
    const { document: source } = await issue({ type: 'proforma' });
    const body: Partial<CreateDocument> = {
      type: 'receipt',
      based_on: source.id,
      payments: [{ method: 'cash', amount: 59 }],
      items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 50 }],
    };
    const { document: first } = await issue(body);
    await issue(body);
    const events = await eventsOf(4);
    expect(events.map(({ type }) => type)).toEqual([
      'document.issued',
      'document.issued',
      'document.closed',
      'document.issued',
    ]);
    expect(events[2]).toMatchObject({
      closed_by: first.id,
      listed: { document: { id: source.id }, state: { status: 'closed', paid: 59 } },
    });
  });

  it('a cancelled document is an event where the settings of now want events', async () => {
    const { document } = await issuing.issue({ type: 'quote' }, undefined, {
      business: { ...business, events: false },
    });
    const other = await issue({ type: 'quote' });
    for (const [id, events] of [
      [document.id, true],
      [other.document.id, false],
    ] as const) {
      await issuing.network.call(cancelDocument, {
        business_id: business.id,
        document_id: id,
        reason: null,
        events,
      });
    }
    const events = await eventsOf(2);
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['document.issued', 1],
      ['document.cancelled', 2],
    ]);
    expect(events[1]?.listed).toMatchObject({
      document: { id: document.id },
      state: { status: 'cancelled' },
    });
  });

  const outcomes = [
    ['allocation.issued', { status: 'issued', number: '123456789', reason: null }],
    ['allocation.refused', { status: 'failed', number: null, reason: '460 refused', refused: true }],
    ['allocation.failed', { status: 'failed', number: null, reason: 'No answer.' }],
  ] as const;
  it.each(
    outcomes.flatMap(([type, outcome]) =>
      (['the handler of its event', 'the reply'] as const).map((first) => [type, first, outcome] as const),
    ),
  )('an outcome of allocation is one event %s where %s records it first', async (type, first, outcome) => {
    issuing.allocation = outcome;
    issuing.config.outcomeWaitMs = first === 'the reply' ? 3_000 : 0;
    const invoice = () =>
      issuing.issue(
        {
          customer: { name: `לקוח ${randomUUID()}`, tax_id: '777777715' },
          items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 20_000 }],
        },
        undefined,
        { business: { ...business, tax_authority_connected: true } },
      );
    const { document } = await (first === 'the reply' ? issuing.beforeHandlers(invoice) : invoice());
    await eventsOf(2);
    const other = await issue({ type: 'quote' });
    const events = await eventsOf(3);
    const { refused: _refused, ...allocation } = { refused: false, ...outcome };
    expect(events.map(({ type: kind, listed }) => [kind, listed.document.id])).toEqual([
      ['document.issued', document.id],
      [type, document.id],
      ['document.issued', other.document.id],
    ]);
    expect(events[1]).toMatchObject({
      listed: { allocation, state: { allocation_number: allocation.number } },
    });
  });

  it('a credit note whose type gets no number has no event about one', async () => {
    const wanting = { ...business, tax_authority_connected: true };
    issuing.allocation = { status: 'issued', number: '123456789', reason: null };
    issuing.config.outcomeWaitMs = 3_000;
    const change = { business: wanting };
    const body = {
      customer: { name: `לקוח ${randomUUID()}`, tax_id: '777777715' },
      items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 20_000 }],
    };
    const { document: invoice } = await issuing.issue(body, undefined, change);
    await eventsOf(2);
    issuing.allocation = { status: 'not_required', number: null, reason: 'Credit notes get none.' };
    const { document: credit } = await issuing.issue(
      { ...body, type: 'credit_note', based_on: invoice.id },
      undefined,
      change,
    );
    const key = { business_id: credit.business_id, document_id: credit.id, detailed: true };
    await eventually(
      'the outcome is recorded',
      async () => (await issuing.network.call(getDocument, key)).allocation?.status === 'not_required',
    );
    await issue({ type: 'quote' });
    expect((await eventsOf(5)).map(({ type }) => type)).toEqual([
      ...['document.issued', 'allocation.issued', 'document.issued', 'document.closed', 'document.issued'],
    ]);
  });

  it('a decision about a refusal is no event', async () => {
    issuing.allocation = { status: 'failed', number: null, reason: '460 refused', refused: true };
    issuing.config.outcomeWaitMs = 0;
    const wanting = { ...business, tax_authority_connected: true };
    const { document } = await issuing.issue(
      {
        customer: { name: `לקוח ${randomUUID()}`, tax_id: '777777715' },
        items: [{ description: 'שירות לדוגמה', quantity: 1, unit_price: 20_000 }],
      },
      undefined,
      { business: wanting },
    );
    await eventsOf(2);
    await issuing.network.publish(allocationSettled, document.id, {
      ...{ document, business: wanting, pending: false, refused: true, refusal: { decision: 'continue' } },
      allocation: { status: 'failed', number: null, reason: '460 refused' },
      artifact_sha256: 'ab'.repeat(32),
    });
    const key = { business_id: document.business_id, document_id: document.id };
    await eventually(
      'the decision is recorded',
      async () => (await issuing.network.call(getDocument, key)).state.refusal?.decision === 'continue',
    );
    await issue({ type: 'quote' });
    expect((await eventsOf(3)).map(({ type }) => type)).toEqual([
      'document.issued',
      'allocation.refused',
      'document.issued',
    ]);
  });

  it('a business that wants no events publishes none and counts none', async () => {
    const { document } = await issuing.issue({ type: 'quote' }, undefined, {
      business: { ...business, events: false },
    });
    await issue({ type: 'order' });
    const [event] = await eventsOf(1);
    expect(event).toMatchObject({ sequence: 1, listed: { document: { type: 'order' } } });
    expect(received.some(({ listed }) => listed.document.id === document.id)).toBe(false);
  });
});
