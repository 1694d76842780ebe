import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cancelDocument,
  type DocumentType,
  documentCancelled,
  documentTypeRules,
  documentTypes,
  type EventOf,
  findPublicDocument,
  getDocument,
} from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
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

describe('cancelling', () => {
  let issuing: IssuingUnderTest;
  let announced: EventOf<typeof documentCancelled>[];
  beforeAll(async () => {
    issuing = await startIssuing({ outcomeWaitMs: 0 });
    announced = issuing.network.collect(documentCancelled);
  });
  afterEach(() => {
    issuing.render = async () => {};
  });
  afterAll(() => issuing.stop());

  const cancel = (document_id: string, reason: string | null = null, business_id = issuing.business.id) =>
    issuing.network.ask(cancelDocument, { business_id, document_id, reason });
  const stateOf = async (document_id: string) =>
    (await issuing.network.ask(getDocument, { business_id: issuing.business.id, document_id })).state;
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

  it('is for the five types that are no accounting documents', () => {
    expect(cancellable).toEqual(['quote', 'order', 'delivery_note', 'return_note', 'proforma']);
  });

  it.each(cancellable)('marks a %s, keeps its number, and tells so everywhere', async (type) => {
    const { document } = await issueA(type);
    const at = issuing.clock.now.toISOString();
    const reply = await cancel(document.id, 'נשלח בטעות');
    const state = { status: 'cancelled', paid: 0, allocation_number: null, cancelled_at: expect.any(String) };
    expect(reply.state).toEqual(state);
    expect(reply.state.cancelled_at?.slice(0, 10)).toBe(at.slice(0, 10));
    expect(document).toMatchObject(reply.document);
    expect(await stateOf(document.id)).toEqual(reply.state);
    const found = await issuing.network.ask(findPublicDocument, { public_id: document.public_id });
    expect(found).toEqual({ document, state: reply.state, business: issuing.business });
    const event = await eventually('it is announced', () =>
      announced.find((one) => one.document.id === document.id),
    );
    expect(event).toEqual({ document, business: issuing.business, cancelled_at: reply.state.cancelled_at });
    expect((await issueA(type)).document.number).toBe(document.number + 1);
  });

  it.each(accounting)('refuses a %s: a credit note reverses it', async (type) => {
    const { document, state } = await issueA(type);
    await expect(cancel(document.id)).rejects.toMatchObject({ code: 'use_credit_note' });
    expect((await stateOf(document.id)).status).toBe(state.status);
  });

  it('refuses what is cancelled already, and changes nothing', async () => {
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

  it('takes effect once when many ask at once', async () => {
    const { document } = await issueA('order');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => cancel(document.id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('already_cancelled');
    }
    const announcements = await issuing.database.db
      .selectFrom('outbox')
      .select('id')
      .where('subject', '=', `${documentCancelled.subject}.${document.id}`)
      .execute();
    expect(announcements).toHaveLength(1);
  });

  it('does not find a document that is not there, or that is another business’s', async () => {
    const { document } = await issueA('quote');
    await expect(cancel(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(cancel(document.id, null, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    expect((await stateOf(document.id)).status).toBe('open');
  });

  it.each(['tax_invoice', 'tax_invoice_receipt'] as const)(
    'refuses a delivery note on which a %s is based',
    async (type) => {
      const { document } = await issueA('delivery_note');
      await issueA(type, document.id);
      await expect(cancel(document.id)).rejects.toMatchObject({ code: 'linked_document_closed' });
      expect((await stateOf(document.id)).status).toBe('closed');
    },
  );

  it('refuses a return note on which a tax invoice is based', async () => {
    const { document } = await issueA('return_note');
    await issueA('tax_invoice', document.id);
    await expect(cancel(document.id)).rejects.toMatchObject({ code: 'linked_document_closed' });
  });

  it('does not refuse a delivery note on which only a return note or a proforma is based', async () => {
    const { document } = await issueA('delivery_note');
    await issueA('return_note', document.id);
    await issueA('proforma', document.id);
    expect((await cancel(document.id)).state.status).toBe('cancelled');
  });

  it.each([
    ['quote', 'tax_invoice'],
    ['order', 'tax_invoice_receipt'],
    ['proforma', 'receipt'],
  ] as const)('may also follow when a %s was closed by a %s, which stays as it is', async (type, closer) => {
    const { document } = await issueA(type);
    const closing = await issueA(closer, document.id);
    expect((await stateOf(document.id)).status).toBe('closed');
    expect((await cancel(document.id)).state.status).toBe('cancelled');
    expect((await stateOf(closing.document.id)).status).toBe(closing.state.status);
  });

  it('cannot be taken back, nor its instant or reason changed', async () => {
    const { document } = await issueA('quote');
    await cancel(document.id, 'reason');
    const change = (set: object) =>
      issuing.database.db.updateTable('document').set(set).where('id', '=', document.id).execute();
    await expect(change({ status: 'open', cancelled_at: null })).rejects.toThrow('not taken back');
    await expect(change({ cancelled_at: new Date() })).rejects.toThrow('not taken back');
    await expect(change({ cancel_reason: 'another' })).rejects.toThrow('not taken back');
    const open = await issueA('quote');
    await expect(
      issuing.database.db
        .updateTable('document')
        .set({ cancel_reason: 'of an open document' })
        .where('id', '=', open.document.id)
        .execute(),
    ).rejects.toThrow('document_cancel_reason_check');
  });

  it('waits for an invoice that is being based on the delivery note, and then refuses', async () => {
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

  it('waits for an order that is being based on the quote, and then cancels the quote', async () => {
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

  it('refuses, when it was first, a document that was about to be based on it', async () => {
    const { document } = await issueA('delivery_note');
    const { open, opened } = gate();
    issuing.resolve = () => opened;
    const before = issuing.resolved.length;
    const invoice = issueA('tax_invoice', document.id).catch((error: unknown) => error);
    await eventually('the source was looked at', () => issuing.resolved.length > before);
    await cancel(document.id);
    issuing.resolve = async () => {};
    open();
    expect(await invoice).toMatchObject({ code: 'based_on_cancelled' });
    expect((await stateOf(document.id)).status).toBe('cancelled');
  });

  it('tells the caller to come again when the document stays locked', async () => {
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

  /** Ends the statement that waits for a lock, as the server does when its limit is reached. */
  async function endWaitingStatement(): Promise<void> {
    await sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`.execute(
      issuing.database.db,
    );
  }
});
