import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Business,
  checkRecipient,
  clearTestDeliveries,
  type IssuedDocument,
  listDeliveryFailures,
  listSuppressions,
  listTestMessages,
  messageEventDue,
  resendDelivery,
  suppressAddress,
  unsuppressAddress,
} from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { clearTestBook, type Database, kitTokens } from '@pinkas/service-kit';
import { eventually, readTrail } from '@pinkas/testkit';
import { sql } from 'kysely';
import type { DeliveryTables } from '../src/db/delivery.tables.js';
import { testBook } from '../src/test-mode/test-book-operations.js';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

let delivery: DeliveryUnderTest;
beforeAll(async () => {
  delivery = await startDelivery();
});
afterAll(() => delivery?.stop());
beforeEach(() => delivery.reset());

describe('suppressed addresses', () => {
  const suppress = (address: string, detail: string | null = null) =>
    delivery.network.call(suppressAddress, { business_id: delivery.business.id, address, detail });
  const unsuppress = (address: string) =>
    delivery.network.call(unsuppressAddress, { business_id: delivery.business.id, address });
  const suppressions = async () =>
    (await delivery.network.call(listSuppressions, { business_id: delivery.business.id })).suppressions;
  const suppressedOf = async (address: string, business_id = delivery.business.id) =>
    (
      await delivery.network.call(checkRecipient, {
        business_id,
        addresses: [
          { channel: 'email', address },
          { channel: 'whatsapp', address: delivery.newPhone() },
        ],
      })
    ).suppressed;
  const resend = (invoice: IssuedDocument) =>
    delivery.network.call(resendDelivery, { document_id: invoice.id });
  const issueReady = async (
    recipient: string,
    change?: { document?: Partial<IssuedDocument>; business?: Partial<Business> },
  ) => {
    const invoice = await delivery.issue(recipient, change);
    await delivery.planned(invoice);
    await delivery.render(invoice);
    return invoice;
  };

  it('a suppressed address gets no message in any letter case until it is unsuppressed', async () => {
    const recipient = delivery.newRecipient();
    const suppressed = await suppress(recipient.toUpperCase(), 'Requested by the customer.');
    expect(suppressed).toEqual({
      business_id: delivery.business.id,
      channel: 'email',
      address: recipient,
      reason: 'blocked',
      detail: 'Requested by the customer.',
      since: delivery.clock.now.toISOString(),
    });
    expect(await suppressions()).toContainEqual(suppressed);
    // Saying it again changes nothing.
    expect(await suppress(recipient)).toEqual(suppressed);
    expect(await suppressedOf(`Customer${recipient.slice(8)}`)).toEqual(['email']);
    expect(await suppressedOf(recipient, randomUUID())).toEqual([]);
    const invoice = await issueReady(`Customer${recipient.slice(8)}`);
    expect(await delivery.planned(invoice)).toEqual({
      status: 'suppressed',
      channel: null,
      scheduled_for: null,
    });
    expect(await delivery.rows(invoice)).toEqual([]);

    expect(await unsuppress(recipient)).toEqual(suppressed);
    const of = { actor: 'operator', subject: `email:${recipient}` };
    const reason = { reason: 'blocked', detail: 'Requested by the customer.' };
    expect(await readTrail(delivery.database, delivery.business.id)).toEqual([
      { ...of, action: 'suppression.add', before: null, after: reason },
      { ...of, action: 'suppression.remove', before: reason, after: null },
    ]);
    expect(await suppressions()).not.toContainEqual(suppressed);
    expect(await suppressedOf(recipient)).toEqual([]);
    await delivery.inState(await issueReady(recipient), 'sent');
  });

  it('a suppression of one business does not affect another', async () => {
    const recipient = delivery.newRecipient();
    await suppress(recipient);
    const other = await issueReady(recipient, { document: { business_id: randomUUID() } });
    await delivery.inState(other, 'sent');
    expect(await suppressions()).toHaveLength(
      (await suppressions()).filter(({ business_id: id }) => id === delivery.business.id).length,
    );
    const everywhere = await delivery.network.call(listSuppressions, {});
    expect(everywhere.suppressions.map(({ address }) => address)).toContain(recipient);
  });

  it('a message to an address that is suppressed after planning fails before the artifact is released', async () => {
    const recipient = delivery.newRecipient();
    const invoice = await delivery.issue(recipient);
    await delivery.planned(invoice);
    await suppress(recipient);
    await delivery.render(invoice);
    expect(await delivery.inState(invoice, 'failed')).toMatchObject({
      last_error: 'The address is suppressed.',
    });
    expect(delivery.releasedArtifacts).not.toContain(invoice.id);
    expect(await delivery.attempts(invoice)).toEqual([]);
    await eventually('the event is published', () => delivery.failedOf(invoice)[0]);

    // Sending it again does not help as long as it is suppressed.
    expect(await resend(invoice)).toMatchObject({
      resent: 0,
      messages: [{ state: 'failed', reason: 'The address is suppressed.' }],
    });
    await unsuppress(recipient);
    expect(await resend(invoice)).toMatchObject({ resent: 1 });
    await delivery.inState(invoice, 'sent');
    expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
  });

  it('a message to an address that is suppressed while it waits for the lock of its document is not sent', async () => {
    const recipient = delivery.newRecipient();
    const database = delivery.database.db;
    let open = () => {};
    delivery.pdfReady = new Promise((resolve) => {
      open = resolve;
    });
    const invoice = await delivery.issueReady(recipient);
    await eventually('the message is claimed', async () => (await delivery.rows(invoice))[0]?.claimed_until);
    await database.transaction().execute(async (trx) => {
      await trx
        .selectFrom('document')
        .select('document_id')
        .where('document_id', '=', invoice.id)
        .forUpdate()
        .execute();
      open();
      await eventually('the sender waits for the lock', async () => {
        const { rows } = await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`.execute(
          database,
        );
        return rows.length > 0;
      });
      await suppress(recipient);
    });
    const [row] = await eventually('the message has ended', async () => {
      const rows = await delivery.rows(invoice);
      return ['failed', 'sent'].includes(rows[0]?.state ?? '') && rows;
    });
    expect(row).toMatchObject({ state: 'failed', last_error: 'The address is suppressed.' });
    expect(await delivery.mailbox.mailTo(recipient)).toEqual([]);
  });

  it("the accountant's copy to a suppressed address fails visibly", async () => {
    const accountant = delivery.newRecipient();
    await suppress(accountant);
    const invoice = await issueReady(delivery.newRecipient(), {
      document: { send: false },
      business: { accountant_copy: { enabled: true, email: accountant } },
    });
    expect(await delivery.inState(invoice, 'failed')).toMatchObject({
      purpose: 'accountant',
      last_error: 'The address is suppressed.',
    });
    expect(await delivery.mailbox.mailTo(accountant)).toEqual([]);
  });

  it('an address is suppressed when its server reports an unknown mailbox twice and takes another between', async () => {
    await delivery.mailbox.mode('refuse', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect(await suppressions()).toEqual([]);
    delivery.clock.now = new Date(delivery.clock.now.getTime() + 1_000);
    await delivery.inState(await issueReady(delivery.newRecipient()), 'sent');
    await delivery.mailbox.mode('refuse', 1);
    delivery.advanceClock(5_000);
    const row = await delivery.inState(invoice, 'failed');
    expect(row.attempts).toBe(2);
    expect(await suppressions()).toContainEqual({
      business_id: delivery.business.id,
      channel: 'email',
      address: recipient,
      reason: 'bounced',
      detail: row.last_error,
      since: delivery.clock.now.toISOString(),
    });
    expect(await delivery.planned(await issueReady(recipient))).toMatchObject({ status: 'suppressed' });
    const { failures } = await delivery.network.call(listDeliveryFailures, {
      business_id: delivery.business.id,
    });
    expect(failures.find((failure) => failure.delivery_id === row.id)).toMatchObject({
      suppressed_address: recipient,
    });
    // What its server answered stays.
    expect(await resend(invoice)).toMatchObject({
      resent: 0,
      suppressed: 1,
      messages: [{ state: 'failed', reason: row.last_error }],
    });
    await unsuppress(recipient);
    await resend(invoice);
    await delivery.inState(invoice, 'sent');
  });

  it('an address is not suppressed after a temporary rejection', async () => {
    await delivery.mailbox.mode('temporary', 1);
    const recipient = delivery.newRecipient();
    const invoice = await issueReady(recipient);
    await delivery.rowWhere(invoice, 'it was tried', ({ attempts }) => attempts === 1);
    expect((await suppressions()).map(({ address }) => address)).not.toContain(recipient);
  });

  it('suppressAddress accepts a phone number and rejects what is neither address nor number', async () => {
    const phone = delivery.newPhone();
    expect(await suppress(`0${phone.slice(4)}`)).toMatchObject({ channel: 'whatsapp', address: phone });
    for (const operation of [suppress, unsuppress]) {
      await expect(operation('nobody')).rejects.toMatchObject({
        code: 'validation_error',
        details: {
          errors: [{ path: '/address', message: 'is no mail address and no phone number' }],
        },
      });
    }
    await expect(unsuppress(delivery.newRecipient())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('listSuppressions lists every suppression on exactly one page', async () => {
    const business = randomUUID();
    await delivery.database.db
      .insertInto('suppression')
      .values(
        Array.from({ length: 250 }, () => ({
          business_id: business,
          channel: 'email' as const,
          address: delivery.newRecipient(),
          reason: 'blocked' as const,
          detail: null,
          since: delivery.clock.now,
        })),
      )
      .execute();
    const first = await delivery.network.call(listSuppressions, { business_id: business });
    const second = await delivery.network.call(listSuppressions, {
      business_id: business,
      ...(first.next_after ? { after: first.next_after } : {}),
    });
    expect(second.next_after).toBeNull();
    const addresses = [...first.suppressions, ...second.suppressions].map(({ address }) => address);
    expect(new Set(addresses).size).toBe(250);
  });

  it('a message of a test book is kept and not sent, also without a WhatsApp account, until the book is cleared', async () => {
    const id = testBookOf(delivery.business.id);
    const whatsapp = { auto_send: { enabled: true, channel: 'whatsapp', quiet_hours: null } } as const;
    const recipient = delivery.newRecipient();
    const mailed = await issueReady(recipient, { document: { business_id: id }, business: { id } });
    const phone = delivery.newPhone();
    const chat = await delivery.issueReady(null, {
      document: { business_id: id, customer: { ...mailed.customer, email: null, phone } },
      business: { id, ...whatsapp },
    });
    await delivery.inState(mailed, 'sent');
    await delivery.inState(chat, 'sent');
    const list = () => delivery.network.call(listTestMessages, { business_id: id });
    const { messages } = await list();
    expect(
      new Map(messages.map(({ document_id, channel, recipient: to }) => [document_id, [channel, to]])),
    ).toEqual(
      new Map([
        [mailed.id, ['email', recipient]],
        [chat.id, ['whatsapp', phone]],
      ]),
    );
    // The mailbox of a local stack gets a copy that says what it is.
    expect((await delivery.mailbox.mailTo(recipient)).map(({ subject }) => subject)).toEqual([
      `[TEST · בדיקה] ${messages.find(({ channel }) => channel === 'email')?.subject}`,
    ]);
    const clear = (business_id: string) => delivery.network.call(clearTestDeliveries, { business_id });
    await expect(clear(delivery.business.id)).rejects.toThrow();
    await sql`
      insert into delivery select (jsonb_populate_record(delivery, jsonb_build_object(
        'id', gen_random_uuid(), 'follows', id))).* from delivery where document_id = ${mailed.id}`.execute(
      delivery.database.db,
    );
    const own = delivery.service.app.get<Database<DeliveryTables>>(kitTokens.database);
    expect(await clearTestBook(own, id, testBook, { rows: 1 })).toMatchObject({ more: false });
    expect([await list(), await clear(id)]).toEqual([
      { messages: [], next_after: null },
      { deleted: 0, more: false },
    ]);
  });

  it('an item of a test document provokes that its message fails for good, with its event, and in a live book it does not', async () => {
    const events = delivery.network.collect(messageEventDue);
    const items = [
      { description: 'שירות', quantity: 1, unit_price: 100, line_total: 100, sku: 'test_delivery_failed' },
    ];
    const id = testBookOf(delivery.business.id);
    const failing = await issueReady(delivery.newRecipient(), {
      document: { business_id: id, items },
      business: { id, events: true },
    });
    const live = await issueReady(delivery.newRecipient(), { document: { items } });
    expect(await delivery.inState(failing, 'failed')).toMatchObject({
      attempts: 1,
      last_error: expect.stringContaining('test document'),
    });
    await delivery.inState(live, 'sent');
    const event = await eventually('its event', () =>
      events.find(({ document_id }) => document_id === failing.id),
    );
    expect(event).toMatchObject({ type: 'delivery.failed', business_id: id });
  });

  it('a message that changes while its test book is cleared is deleted as well', async () => {
    const id = testBookOf(delivery.business.id);
    const mailed = await issueReady(delivery.newRecipient(), {
      document: { business_id: id },
      business: { id },
    });
    await delivery.inState(mailed, 'sent');
    const { db } = delivery.database;
    const { cleared } = await db.transaction().execute(async (trx) => {
      await trx.updateTable('delivery').set({ attempts: 2 }).where('business_id', '=', id).execute();
      await sql`
        insert into attempt (business_id, delivery_id, n, started_at)
        select business_id, id, 2, created_at from delivery where business_id = ${id}`.execute(trx);
      const clearing = delivery.network.call(clearTestDeliveries, { business_id: id });
      await eventually('it waits', async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        return rows.length > 0;
      });
      return { cleared: clearing };
    });
    expect(await cleared).toMatchObject({ more: false });
    expect(await db.selectFrom('delivery').select('id').where('business_id', '=', id).execute()).toEqual([]);
  });

  it('the trail names the person who suppresses an address and who allows it again', async () => {
    const address = delivery.newRecipient();
    const [blocker, allower] = [randomUUID(), randomUUID()];
    const of = { business_id: delivery.business.id, address };
    await delivery.network.call(suppressAddress, { ...of, detail: null, person_id: blocker });
    await delivery.network.call(unsuppressAddress, { ...of, person_id: allower });
    const trail = await readTrail(delivery.database, delivery.business.id);
    const actors = trail.filter(({ subject }) => subject === `email:${address}`);
    expect(actors.map(({ action, actor }) => [action, actor])).toEqual([
      ['suppression.add', `person:${blocker}`],
      ['suppression.remove', `person:${allower}`],
    ]);
  });
});
