import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AllocationOutcome,
  allocationSettled,
  artifactRendered,
  type CreateDocument,
  cardChanged,
  deliveryPlanned,
  documentIssued,
  getDocument,
  getDocumentFacts,
  listDocuments,
  messageDue,
  numberRequired,
  type RefusedNumber,
  reviewDocuments,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import { AuthorityThreshold } from '../src/issue/authority-threshold.js';
import { gate, type IssuingUnderTest, net, numberedCustomer, startIssuing } from './issuing.js';

/** Longer than the test runner waits for a test. */
const foreverMs = 60_000;

describe('IssueOutcomes', () => {
  let issuing: IssuingUnderTest;
  beforeAll(async () => {
    issuing = await startIssuing();
  });
  beforeEach(() => {
    issuing.allocation = null;
    issuing.recipient = { suppressed: [], whatsapp_configured: true };
    issuing.customerChanges = true;
    issuing.cardsRecorded = Promise.resolve();
    issuing.config.outcomeWaitMs = 300;
  });
  afterAll(() => issuing.stop());

  const granted = { status: 'issued' as const, number: '123456789', reason: null };
  /** A document that needs an allocation number. */
  const large: Partial<CreateDocument> = { customer: numberedCustomer, items: net(6000) };
  const read = async (id: string) =>
    (await issuing.network.call(getDocument, { business_id: issuing.business.id, document_id: id })).state;
  const handled = (messageId: string) =>
    eventually('the event is handled', () =>
      issuing.database.db
        .selectFrom('inbox')
        .select('message_id')
        .where('message_id', '=', messageId)
        .executeTakeFirst(),
    );

  it('IssueDocument publishes the record of each document, and an event only to a service that has work', async () => {
    const subjectsOf = async (id: string) => {
      const { rows } = await sql<{
        subject: string;
        body: { delivery?: unknown; number_required?: boolean };
      }>`
        select subject, body from outbox where subject like ${`%.${id}`} order by position`.execute(
        issuing.database.db,
      );
      return new Map(rows.map(({ subject, body }) => [subject.replace(`.${id}`, ''), body]));
    };
    const { email: _, ...unaddressed } = numberedCustomer;
    const accountant = { ...issuing.business, accountant_copy: { enabled: true, email: 'a@example.com' } };
    const cases = [
      { body: { customer: unaddressed }, changes: false, events: [] },
      { body: { customer: unaddressed }, changes: true, events: [cardChanged] },
      { body: { ...large, customer: unaddressed }, changes: false, events: [numberRequired] },
      { body: { customer: numberedCustomer }, changes: false, events: [messageDue] },
      { body: { customer: numberedCustomer, send: false }, changes: false, events: [] },
      {
        body: { customer: unaddressed },
        changes: false,
        events: [messageDue],
        change: { business: accountant },
      },
      { body: large, changes: true, events: [numberRequired, messageDue, cardChanged] },
    ];
    for (const { body, changes, events, change } of cases) {
      issuing.customerChanges = changes;
      const { document, delivery } = await issuing.issue(body, randomUUID(), change);
      const published = await subjectsOf(document.id);
      expect([...published.keys()]).toEqual([documentIssued, ...events].map(({ subject }) => subject));
      expect(published.get(documentIssued.subject)).toEqual({
        business_id: document.business_id,
        document_id: document.id,
        type: document.type,
        number: document.number,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        artifact_sha256: 'ab'.repeat(32),
      });
      if (published.has(messageDue.subject)) {
        expect(published.get(messageDue.subject)).toMatchObject({
          document,
          delivery,
          number_required: published.has(numberRequired.subject),
        });
      }
    }
  });

  it('IssueDocument returns an allocation number, and the number can be read at once', async () => {
    issuing.allocation = granted;
    issuing.config.outcomeWaitMs = foreverMs;
    const reply = await issuing.issue(large);
    expect(reply.allocation).toEqual(granted);
    expect(reply.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    expect(reply.state.allocation_number).toBe('123456789');
    expect((await read(reply.document.id)).allocation_number).toBe('123456789');
  });

  it('a lower threshold of the authority decides in previews and documents, which keep it', async () => {
    const threshold = issuing.service.app.get(AuthorityThreshold);
    const between: Partial<CreateDocument> = { customer: numberedCustomer, items: net(4_000) };
    const statuses = async () => {
      issuing.allocation = granted;
      const { document, allocation } = await issuing.issue(between);
      const preview = await issuing.preview(between);
      const { business } = await issuing.database.db
        .selectFrom('document')
        .select('business')
        .where('id', '=', document.id)
        .executeTakeFirstOrThrow();
      return [allocation.status, preview.allocation.status, business.allocation_threshold_net];
    };
    expect(await statuses()).toEqual(['not_required', 'not_required', 5_000]);
    issuing.threshold = { day: '2026-06-15', net: 3_000 };
    await threshold.tickNow();
    expect(await statuses()).toEqual(['issued', 'required', 3_000]);
    // Where the business was not connected, its buyer loses the VAT.
    const unconnected = { ...issuing.business, id: randomUUID(), tax_authority_connected: false };
    await issuing.issue(between, randomUUID(), { business: unconnected });
    const { notes } = await issuing.network.call(reviewDocuments, { business_id: unconnected.id });
    expect(notes).toMatchObject([{ note: 'number_missing', documents: 1 }]);
    issuing.threshold = { day: '2026-06-15', net: 8_000 };
    await threshold.tickNow();
    expect(await statuses()).toEqual(['not_required', 'not_required', 5_000]);
    issuing.threshold = null;
    await threshold.tickNow();
  });

  it.each(['ask', 'skip'] as const)(
    'a credit note needs a number where credit notes are asked for, and none where not: %s',
    async (creditNotes) => {
      const invoice = await issuing.issue(large);
      issuing.config.taxAuthorityCreditNotes = creditNotes;
      const pending: (boolean | undefined)[] = [];
      issuing.render = async ({ number_pending }) => void pending.push(number_pending);
      try {
        const body = { ...large, type: 'credit_note', based_on: invoice.document.id } as const;
        const isRequired = creditNotes === 'ask';
        expect((await issuing.preview(body)).allocation.status).toBe(
          isRequired ? 'required' : 'not_required',
        );
        const { document, allocation } = await issuing.issue(body);
        expect(allocation).toMatchObject(
          isRequired
            ? { status: 'failed' }
            : { status: 'not_required', reason: 'The tax authority gives credit notes no number.' },
        );
        expect(pending).toEqual([isRequired]);
        const { rows } = await sql`
          select from outbox where subject = ${`${numberRequired.subject}.${document.id}`}`.execute(
          issuing.database.db,
        );
        expect(rows).toHaveLength(isRequired ? 1 : 0);
      } finally {
        issuing.config.taxAuthorityCreditNotes = 'ask';
        issuing.render = async () => {};
      }
    },
  );

  it('IssueDocument returns failed when a required number does not arrive in time', async () => {
    const reply = await issuing.issue(large);
    expect(reply.allocation).toMatchObject({ status: 'failed', number: null });
    expect(reply.allocation.reason).not.toBeNull();
    expect((await read(reply.document.id)).status).toBe('open');
  });

  it('outcomes that follow from rules are written with the document, and the same outcomes are not written again', async () => {
    issuing.customerChanges = false;
    issuing.config.outcomeWaitMs = foreverMs;
    const key = randomUUID();
    const business = { ...issuing.business, id: randomUUID() };
    const reply = await issuing.issue({ customer: numberedCustomer }, key, { business });
    const { document, allocation, delivery } = reply;
    expect(allocation).toEqual({
      status: 'not_required',
      number: null,
      reason: 'The net amount is not above the threshold of 5000 ILS.',
    });
    expect(delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    const events = [randomUUID(), randomUUID()] as const;
    await issuing.network.publish(
      allocationSettled,
      document.id,
      { document, business, allocation, pending: false, artifact_sha256: 'ab'.repeat(32) },
      events[0],
    );
    await issuing.network.publish(
      deliveryPlanned,
      document.id,
      { document_id: document.id, business_id: business.id, delivery },
      events[1],
    );
    await Promise.all(events.map(handled));
    expect(await issuing.issue({ customer: numberedCustomer }, key, { business })).toEqual({
      ...reply,
      replayed: true,
    });
    // The series was written last in the transaction that inserted the document.
    const { rows } = await sql`
      select document.xmin = series.xmin as written_once from document
      join series using (business_id, type) where document.id = ${document.id}`.execute(issuing.database.db);
    expect(rows).toEqual([{ written_once: true }]);
  });

  it.each([
    ['suppressed', null, ['email', 'whatsapp'], true],
    ['queued', 'whatsapp', ['email'], true],
    ['send_failed', 'whatsapp', ['email'], false],
  ] as const)(
    'IssueDocument returns %s by %s where delivery suppresses %p and WhatsApp is configured: %p',
    async (status, channel, suppressed, whatsapp_configured) => {
      issuing.recipient = { suppressed: [...suppressed], whatsapp_configured };
      const { delivery } = await issuing.issue(
        { customer: { ...numberedCustomer, phone: '050-1234567' } },
        randomUUID(),
        {
          business: {
            ...issuing.business,
            auto_send: { enabled: true, channel: 'both', quiet_hours: null },
          },
        },
      );
      expect(delivery).toEqual({ status, channel, scheduled_for: null });
    },
  );

  it('IssueDocument returns queued while delivery is away, and the plan of delivery is recorded later', async () => {
    issuing.recipient = null;
    const key = randomUUID();
    const first = await issuing.issue({ customer: numberedCustomer }, key);
    expect(first.delivery).toEqual({ status: 'queued', channel: 'email', scheduled_for: null });
    const delivery = { status: 'suppressed' as const, channel: null, scheduled_for: null };
    const event = randomUUID();
    const { id, business_id } = first.document;
    await issuing.network.publish(deliveryPlanned, id, { document_id: id, business_id, delivery }, event);
    await handled(event);
    const row = await issuing.database.db
      .selectFrom('document')
      .select('delivery')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.delivery).toEqual(delivery);
    expect(await issuing.issue({ customer: numberedCustomer }, key)).toEqual({ ...first, replayed: true });
  });

  it('IssueDocument waits for the card that a document changes, and for no other', async () => {
    issuing.config.outcomeWaitMs = foreverMs;
    const { open, opened } = gate();
    issuing.cardsRecorded = opened;
    let answered = false;
    const resolved = issuing.resolved.length;
    const changing = issuing.issue({ type: 'quote' }).finally(() => {
      answered = true;
    });
    await eventually('its card is resolved', () => issuing.resolved.length > resolved);
    issuing.customerChanges = false;
    await issuing.issue({ type: 'order' });
    await issuing.issue({ type: 'quote' });
    expect(answered).toBe(false);
    open();
    await changing;
  });

  it('a refusal is in the state of its document with what is decided about it, until a number comes', async () => {
    const { document } = await issuing.issue(large);
    const settle = (allocation: AllocationOutcome, refusal?: RefusedNumber) =>
      issuing.network.publish(allocationSettled, document.id, {
        ...{ document, business: issuing.business, allocation, pending: false },
        ...(refusal && { refused: true, refusal }),
        artifact_sha256: 'ab'.repeat(32),
      });
    const refused = { status: 'failed', number: null, reason: 'refused: 460 no' } as const;
    const key = { business_id: issuing.business.id, document_id: document.id };
    const refusal = async () => (await issuing.network.call(getDocument, key)).state.refusal;
    await settle(refused, { decision: null });
    await eventually('the refusal is recorded', async () => (await refusal())?.decision === null);
    await settle(refused, { decision: 'continue' });
    await eventually('the decision is recorded', async () => (await refusal())?.decision === 'continue');
    const { documents } = await issuing.network.call(listDocuments, {
      ...{ business_id: issuing.business.id, include_cancelled: false, limit: 1, before: null },
    });
    expect(documents[0]).toMatchObject({
      document: { id: document.id },
      state: { refusal: { decision: 'continue' } },
      allocation: refused,
    });
    const facts = await issuing.network.call(getDocumentFacts, { document_id: document.id });
    expect(facts).toMatchObject({
      document,
      state: { refusal: { decision: 'continue' } },
      business: { id: issuing.business.id },
      artifact_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const foreign = { document_id: document.id, business_id: randomUUID() };
    await expect(issuing.network.call(getDocumentFacts, foreign)).rejects.toMatchObject({
      code: 'not_found',
    });
    await settle(granted);
    await eventually('the number is recorded', async () => (await read(document.id)).allocation_number);
    expect(await refusal()).toBeUndefined();
  });

  it('a replay returns the outcomes of the first reply, also when a number arrives later', async () => {
    const key = randomUUID();
    const first = await issuing.issue(large, key);
    await issuing.network.publish(allocationSettled, first.document.id, {
      document: first.document,
      business: issuing.business,
      allocation: granted,
      pending: false,
      artifact_sha256: 'ab'.repeat(32),
    });
    await eventually('the number is recorded', async () => (await read(first.document.id)).allocation_number);
    expect(await issuing.issue(large, key)).toEqual({ ...first, replayed: true });
  });

  it('a replay during the wait for a number returns the same outcomes', async () => {
    const key = randomUUID();
    issuing.config.outcomeWaitMs = foreverMs;
    const first = issuing.issue(large, key);
    const row = await eventually('the document is committed', () =>
      issuing.database.db
        .selectFrom('document')
        .selectAll()
        .where('idempotency_key', '=', key)
        .executeTakeFirst(),
    );
    const replay = issuing.issue(large, key);
    const { document } = (await issuing.network.call(getDocument, {
      business_id: row.business_id,
      document_id: row.id,
    })) as { document: Awaited<typeof first>['document'] };
    await issuing.network.publish(allocationSettled, row.id, {
      document,
      business: issuing.business,
      allocation: granted,
      pending: false,
      artifact_sha256: 'ab'.repeat(32),
    });
    await issuing.network.publish(artifactRendered, row.id, {
      document_id: row.id,
      business_id: row.business_id,
      revision: 2,
      sha256: 'ab'.repeat(32),
      allocation_number: granted.number,
      allocation_pending: false,
    });
    const replies = await Promise.all([first, replay]);
    expect(replies[0].allocation).toEqual(granted);
    expect({ ...replies[1], replayed: false }).toEqual(replies[0]);
  });

  it('a late failure does not remove a granted number', async () => {
    issuing.allocation = granted;
    const { document } = await issuing.issue(large);
    const late = randomUUID();
    await issuing.network.publish(
      allocationSettled,
      document.id,
      {
        document,
        business: issuing.business,
        allocation: { status: 'failed', number: null, reason: 'late' },
        pending: false,
        artifact_sha256: 'ab'.repeat(32),
      },
      late,
    );
    await handled(late);
    expect((await read(document.id)).allocation_number).toBe('123456789');
  });
});
