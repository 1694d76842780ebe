import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelDocument,
  documentCancelled,
  type EventOf,
  findPublicDocument,
  getDocument,
} from '@pinkas/contracts';
import { type DocumentType, documentTypeRules, documentTypes } from '@pinkas/domain';
import { auditTrail, eventually } from '@pinkas/testkit';
import { sql } from 'kysely';
import {
  cash,
  gate,
  holdRendering,
  type IssuingUnderTest,
  startIssuing,
  untilOneWaits,
  whileHeld,
} from './issuing.js';

describe('CancelDocument', () => {
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
  const issueA = async (type: DocumentType, based_on?: string) => {
    const rules = documentTypeRules[type];
    const source = rules.sourceRequired ? (based_on ?? (await issuing.issue()).document.id) : based_on;
    return issuing.issue({
      type,
      ...(rules.payments === 'required' ? { payments: cash(118) } : {}),
      ...(source ? { based_on: source } : {}),
    });
  };
  const cancellable = documentTypes.filter((type) => documentTypeRules[type].cancellable);
  const accounting = documentTypes.filter((type) => !documentTypeRules[type].cancellable);

  it('exactly the five types that are no accounting documents are cancellable', () => {
    expect(cancellable).toEqual(['quote', 'order', 'delivery_note', 'return_note', 'proforma']);
  });

  it.each(cancellable)('CancelDocument cancels a %s, keeps its number and publishes it', async (type) => {
    const { document } = await issueA(type);
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
    expect(found).toEqual({ document, state: shown, business: issuing.business });
    const event = await eventually('it is published', () =>
      published.find((event) => event.document.id === document.id),
    );
    expect(event).toEqual({
      document,
      business: issuing.business,
      cancelled_at: reply.state.cancelled_at,
      reason: 'נשלח בטעות',
    });
    expect((await issueA(type)).document.number).toBe(document.number + 1);
  });

  it('the trail names who cancels: a person of the console, or an API key', async () => {
    const person_id = randomUUID();
    const key_id = randomUUID();
    const actorsOf = async (change: { person_id?: string; key_id?: string }) => {
      const { document } = await issueA('quote');
      const { id: document_id, business_id } = document;
      await issuing.network.call(cancelDocument, { business_id, document_id, reason: null, ...change });
      const trail = await auditTrail(issuing.database, business_id);
      return trail
        .filter(({ subject }) => subject === document_id)
        .map(({ action, actor }) => [action, actor]);
    };
    expect(await actorsOf({ person_id })).toEqual([['document.state', `person:${person_id}`]]);
    expect(await actorsOf({ key_id })).toEqual([['document.state', `key:${key_id}`]]);
  });

  it.each(accounting)('CancelDocument rejects a %s with use_credit_note', async (type) => {
    const { document, state } = await issueA(type);
    await expect(cancel(document.id)).rejects.toMatchObject({ code: 'use_credit_note' });
    expect((await stateOf(document.id)).status).toBe(state.status);
  });

  it('CancelDocument rejects a cancelled document and does not change it', async () => {
    const { document } = await issueA('quote');
    const first = await cancel(document.id, 'first');
    await expect(cancel(document.id, 'second')).rejects.toMatchObject({ code: 'already_cancelled' });
    expect(await stateOf(document.id)).toEqual(first.state);
    const row = await issuing.database.db
      .selectFrom('document')
      .select('cancel_reason')
      .where('id', '=', document.id)
      .executeTakeFirst();
    expect(row?.cancel_reason).toBe('first');
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

  it('CancelDocument returns not_found for an unknown document and for one of another business', async () => {
    const { document } = await issueA('quote');
    await expect(cancel(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(cancel(document.id, null, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    expect((await stateOf(document.id)).status).toBe('open');
  });

  it.each(['tax_invoice', 'tax_invoice_receipt'] as const)(
    'CancelDocument rejects a delivery note on which a %s is based',
    async (type) => {
      const { document } = await issueA('delivery_note');
      await issueA(type, document.id);
      await expect(cancel(document.id)).rejects.toMatchObject({ code: 'linked_document_closed' });
      expect((await stateOf(document.id)).status).toBe('closed');
    },
  );

  it('CancelDocument rejects a return note on which a tax invoice is based', async () => {
    const { document } = await issueA('return_note');
    await issueA('tax_invoice', document.id);
    await expect(cancel(document.id)).rejects.toMatchObject({ code: 'linked_document_closed' });
  });

  it('CancelDocument cancels a delivery note on which only a return note and a proforma are based', async () => {
    const { document } = await issueA('delivery_note');
    await issueA('return_note', document.id);
    await issueA('proforma', document.id);
    expect((await cancel(document.id)).state.status).toBe('cancelled');
  });

  it.each([
    ['quote', 'tax_invoice'],
    ['order', 'tax_invoice_receipt'],
    ['proforma', 'receipt'],
  ] as const)(
    'CancelDocument cancels a %s that a %s has closed, and does not change the latter',
    async (type, closer) => {
      const { document } = await issueA(type);
      const closing = await issueA(closer, document.id);
      expect((await stateOf(document.id)).status).toBe('closed');
      expect((await cancel(document.id)).state.status).toBe('cancelled');
      expect((await stateOf(closing.document.id)).status).toBe(closing.state.status);
    },
  );

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
