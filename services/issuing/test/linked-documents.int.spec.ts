import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreateDocument,
  cancelDocument,
  documentCancelled,
  type EventOf,
  findPublicDocument,
  getDocument,
} from '@pinkas/contracts';
import { type DocumentType, documentTypeRules } from '@pinkas/domain';
import { eventually, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  cash,
  gate,
  holdRendering,
  type IssuingUnderTest,
  net,
  startIssuing,
  untilOneWaits,
  whileHeld,
} from './issuing.js';

describe('linked documents and cancellation', () => {
  let issuing: IssuingUnderTest;
  let published: EventOf<typeof documentCancelled>[];
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    published = issuing.network.collect(documentCancelled);
  });
  afterEach(() => {
    issuing.render = async () => {};
  });
  afterAll(() => issuing.stop());

  const cancel = (document_id: string, reason: string | null = null, business_id = issuing.business.id) =>
    issuing.network.call(cancelDocument, { business_id, document_id, reason });
  const stateOf = async (document_id: string) =>
    (await issuing.network.call(getDocument, { business_id: issuing.business.id, document_id })).state;
  const issueA = async (type: DocumentType, based_on?: string, change: Partial<CreateDocument> = {}) => {
    const rules = documentTypeRules[type];
    const source = rules.sourceRequired ? (based_on ?? (await issuing.issue()).document.id) : based_on;
    return issuing.issue({
      type,
      ...(rules.payments === 'required' ? { payments: cash(118) } : {}),
      ...(source ? { based_on: source } : {}),
      ...change,
    });
  };

  it('CancelDocument cancels a quote, keeps its number and publishes it', async () => {
    const { document } = await issueA('quote');
    const at = issuing.clock.now.toISOString();
    const reply = await cancel(document.id, 'נשלח בטעות');
    const state = { status: 'cancelled', paid: 0, allocation_number: null, cancelled_at: expect.any(String) };
    expect(reply.state).toEqual(state);
    expect(reply.state.cancelled_at?.slice(0, 10)).toBe(at.slice(0, 10));
    expect(document).toMatchObject(reply.document);
    const found = await issuing.network.call(findPublicDocument, { public_id: document.public_id });
    // Its pages say why; the HTTP API does not.
    const shown = { ...reply.state, cancel_reason: 'נשלח בטעות' };
    expect(await stateOf(document.id)).toEqual(reply.state);
    expect(found).toMatchObject({ document, state: shown, business: issuing.business });
    const event = await eventually('it is published', () =>
      published.find((event) => event.document.id === document.id),
    );
    expect(event).toEqual({
      document,
      business: issuing.business,
      cancelled_at: reply.state.cancelled_at,
      reason: 'נשלח בטעות',
    });
    expect((await issueA('quote')).document.number).toBe(document.number + 1);
  });

  it('the trail names who cancels: a person of the console, or an API key', async () => {
    const person_id = randomUUID();
    const key_id = randomUUID();
    const actorsOf = async (change: { person_id?: string; key_id?: string }) => {
      const { document } = await issueA('quote');
      const { id: document_id, business_id } = document;
      await issuing.network.call(cancelDocument, { business_id, document_id, reason: null, ...change });
      const trail = await readTrail(issuing.database, business_id);
      return trail
        .filter(({ subject }) => subject === document_id)
        .map(({ action, actor }) => [action, actor]);
    };
    expect(await actorsOf({ person_id })).toEqual([['document.state', `person:${person_id}`]]);
    expect(await actorsOf({ key_id })).toEqual([['document.state', `key:${key_id}`]]);
  });

  it('one of many simultaneous cancellations succeeds', async () => {
    const { document } = await issueA('order');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => cancel(document.id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason.code).toBe('already_cancelled');
      }
    }
    const events = await issuing.database.db
      .selectFrom('outbox')
      .select('id')
      .where('subject', '=', `${documentCancelled.subject}.${document.id}`)
      .execute();
    expect(events).toHaveLength(1);
  });

  it('the database rejects a change of a cancellation, its instant or its reason', async () => {
    const { document } = await issueA('quote');
    await cancel(document.id, 'reason');
    const change = (set: object) =>
      issuing.database.db.updateTable('document').set(set).where('id', '=', document.id).execute();
    await expect(change({ status: 'open', cancelled_at: null })).rejects.toThrow('cannot be changed');
    await expect(change({ cancelled_at: new Date() })).rejects.toThrow('cannot be changed');
    await expect(change({ cancel_reason: 'another' })).rejects.toThrow('cannot be changed');
    const open = await issueA('quote');
    await expect(
      issuing.database.db
        .updateTable('document')
        .set({ cancel_reason: 'of an open document' })
        .where('id', '=', open.document.id)
        .execute(),
    ).rejects.toThrow('document_cancel_reason_check');
  });

  it('a receipt locks its source, so that a simultaneous credit note counts on top of it', async () => {
    const { document } = await issueA('tax_invoice');
    const { begun, open } = holdRendering(issuing, 'receipt');
    const paying = issueA('receipt', document.id, { items: net(50), payments: cash(59) });
    await begun();
    const crediting = issueA('credit_note', document.id, { items: net(50) });
    await untilOneWaits(issuing);
    open();
    await Promise.all([paying, crediting]);
    expect(await stateOf(document.id)).toMatchObject({ status: 'closed', paid: 59 });
  });

  it('documents of several types on the same sources never deadlock', async () => {
    const quotes = await Promise.all([issueA('quote'), issueA('quote')]);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        issueA(
          (['order', 'proforma', 'tax_invoice'] as const)[index % 3] ?? 'order',
          quotes[index % 2]?.document.id,
        ),
      ),
    );
    expect(made).toHaveLength(12);
    for (const { document } of quotes) {
      expect((await stateOf(document.id)).status).toBe('closed');
    }
  });

  it('CancelDocument waits for an invoice that is being based on the delivery note, and then rejects', async () => {
    const { document } = await issueA('delivery_note');
    const { begun, open } = holdRendering(issuing, 'tax_invoice');
    const invoice = issueA('tax_invoice', document.id);
    await begun();
    const cancelling = cancel(document.id).catch((error: unknown) => error);
    await untilOneWaits(issuing);
    open();
    expect(await cancelling).toMatchObject({ code: 'linked_document_closed' });
    expect((await invoice).document.based_on?.id).toBe(document.id);
    expect((await stateOf(document.id)).status).toBe('closed');
  });

  it('CancelDocument waits for an order that is being based on the quote, and then cancels the quote', async () => {
    const { document } = await issueA('quote');
    const { begun, open } = holdRendering(issuing, 'order');
    const order = issueA('order', document.id);
    await begun();
    const cancelling = cancel(document.id);
    await untilOneWaits(issuing);
    open();
    expect((await cancelling).state.status).toBe('cancelled');
    expect((await order).state.status).toBe('open');
  });

  it('IssueDocument rejects a source that was cancelled after it was read', async () => {
    const { document } = await issueA('delivery_note');
    const { open, opened } = gate();
    issuing.resolve = () => opened;
    const before = issuing.resolved.length;
    const invoice = issueA('tax_invoice', document.id).catch((error: unknown) => error);
    await eventually('the source is read', () => issuing.resolved.length > before);
    await cancel(document.id);
    issuing.resolve = async () => {};
    open();
    expect(await invoice).toMatchObject({ code: 'based_on_cancelled' });
    expect((await stateOf(document.id)).status).toBe('cancelled');
  });

  it('CancelDocument fails with engine_error when the document stays locked', async () => {
    const { document } = await issueA('quote');
    await whileHeld(
      issuing,
      (trx) => trx.selectFrom('document').select('id').where('id', '=', document.id).forUpdate().execute(),
      async () => {
        const cancelling = cancel(document.id).catch((error: unknown) => error);
        await untilOneWaits(issuing);
        await endWaitingStatement();
        expect(await cancelling).toMatchObject({ code: 'engine_error' });
      },
    );
    expect((await stateOf(document.id)).status).toBe('open');
  });

  /** Cancels the statement that waits for a lock, as the server does at its lock time-out. */
  async function endWaitingStatement(): Promise<void> {
    await sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`.execute(
      issuing.database.db,
    );
  }
});
