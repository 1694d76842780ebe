import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IssuedDocument, liftSuppressions, listSuppressions } from '@pinkas/contracts';
import { kitTokens, type Logger } from '@pinkas/service-kit';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import { eventually, readTrail, scrape } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';

const dayMs = 24 * 60 * 60_000;

let delivery: DeliveryUnderTest;
const logged: unknown[][] = [];
beforeAll(async () => {
  delivery = await startDelivery();
  const logger = delivery.service.app.get<Logger>(kitTokens.logger);
  const error = logger.error.bind(logger);
  logger.error = (...line: unknown[]) => {
    logged.push(line);
    return Reflect.apply(error, logger, line);
  };
});
afterAll(() => delivery?.stop());
beforeEach(async () => {
  await delivery.reset();
  logged.length = 0;
  // What the server answered to tests before is more than a day ago.
  delivery.clock.now = new Date(delivery.clock.now.getTime() + 2 * dayMs * days);
  days += 1;
});
let days = 1;

const suppressions = async (business_id = delivery.business.id) =>
  (await delivery.network.call(listSuppressions, { business_id })).suppressions;
const at = (domain: string) => `buyer-${randomUUID()}@${domain}`;
const tried = (invoice: IssuedDocument, times: number) =>
  delivery.rowWhere(invoice, `it was tried ${times} times`, ({ attempts }) => attempts === times);
const refusedDomains = async () => (await scrape(delivery.service)).get('pinkas_mail_refused_domains');
const mailLine = async () =>
  (await delivery.service.app.get(Diagnosis).run()).find(({ subject }) => subject === 'recipients of emails');

describe('a mail server that refuses us', () => {
  it('suppresses no one; the operator learns it, and every message leaves when the server is corrected', async () => {
    await delivery.mailbox.mode('refuse');
    const recipients = [at('one.example'), at('two.example'), at('three.example')];
    const invoices: IssuedDocument[] = [];
    for (const recipient of recipients) {
      const invoice = await delivery.issueReady(recipient, { document: { business_id: randomUUID() } });
      await tried(invoice, 1);
      invoices.push(invoice);
    }
    expect(logged.filter(([, text]) => text === 'mail server refuses us')).toHaveLength(2);
    expect(await mailLine()).toMatchObject({
      state: 'failure',
      finding: expect.stringContaining('3 domains'),
    });
    expect(await refusedDomains()).toBe(3);
    delivery.advanceClock(5_000);
    await Promise.all(invoices.map((invoice) => tried(invoice, 2)));
    delivery.advanceClock(30_000);
    await Promise.all(invoices.map((invoice) => tried(invoice, 3)));
    for (const { business_id } of invoices) {
      expect(await suppressions(business_id)).toEqual([]);
    }
    await delivery.mailbox.mode('ok');
    delivery.advanceClock(120_000);
    await Promise.all(invoices.map((invoice) => delivery.inState(invoice, 'sent')));
    expect(await mailLine()).toMatchObject({ state: 'ok' });
    expect(await refusedDomains()).toBe(0);
  });

  it('suppresses no one although it takes messages to its own domain', async () => {
    const refused = [at('one.example'), at('two.example'), at('three.example')];
    const invoices: IssuedDocument[] = [];
    for (const recipient of refused) {
      await delivery.mailbox.mode('refuse', 0, recipient);
      const invoice = await delivery.issueReady(recipient);
      await tried(invoice, 1);
      invoices.push(invoice);
      delivery.clock.now = new Date(delivery.clock.now.getTime() + 1_000);
      await delivery.inState(await delivery.issueReady(at('relay.example')), 'sent');
    }
    await delivery.mailbox.mode('refuse');
    delivery.advanceClock(5_000);
    await Promise.all(invoices.map((invoice) => tried(invoice, 2)));
    expect(await suppressions()).toEqual([]);
    expect(await mailLine()).toMatchObject({ state: 'failure' });
    // Tests after this one count what the server takes.
    await delivery.mailbox.mode('ok');
    delivery.advanceClock(30_000);
    await Promise.all(invoices.map((invoice) => delivery.inState(invoice, 'sent')));
  });

  it('an address is not suppressed for what another server has taken', async () => {
    const recipient = at('one.example');
    await delivery.mailbox.mode('refuse', 0, recipient);
    const invoice = await delivery.issueReady(recipient);
    await tried(invoice, 1);
    delivery.clock.now = new Date(delivery.clock.now.getTime() + 1_000);
    const taken = await delivery.inState(await delivery.issueReady(at('one.example')), 'sent');
    const attempts = delivery.database.db.updateTable('attempt').set({ server: 'other.example:25' });
    await attempts.where('delivery_id', '=', taken.id).execute();
    delivery.advanceClock(5_000);
    await tried(invoice, 2);
    expect(await suppressions()).toEqual([]);
  });

  it('a message to one unknown address fails after a day without being suppressed while the server takes nothing else', async () => {
    const recipient = at('one.example');
    await delivery.mailbox.mode('refuse');
    const invoice = await delivery.issueReady(recipient);
    await tried(invoice, 1);
    delivery.advanceClock(5_000);
    await tried(invoice, 2);
    delivery.advanceClock(dayMs);
    const row = await delivery.inState(invoice, 'failed');
    expect(row.last_error).toContain('no such mailbox here');
    expect(await suppressions()).toEqual([]);
  });
});

describe('liftSuppressions', () => {
  const strikeOut = (since: Date, address: string, detail = '550 no such mailbox here') =>
    delivery.database.db
      .insertInto('suppression')
      .values({
        business_id: delivery.business.id,
        channel: 'email',
        address,
        reason: 'bounced',
        detail,
        since,
      })
      .execute();
  const lift = (list_only: boolean) =>
    delivery.network.call(liftSuppressions, { business_id: delivery.business.id, list_only });

  it('liftSuppressions finds and lifts what a refusing server struck out, and nothing else', async () => {
    const start = delivery.clock.now.getTime();
    const minute = (n: number) => new Date(start + n * 60_000);
    const send = async (n: number) => {
      delivery.clock.now = minute(n);
      await delivery.inState(await delivery.issueReady(delivery.newRecipient()), 'sent');
    };
    const [unknown, first, second, again, words] = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      at(`${name}-struck.example`),
    ) as [string, string, string, string, string];
    await send(1);
    await strikeOut(minute(2), unknown);
    await send(3);
    await strikeOut(minute(4), first);
    await strikeOut(minute(5), second);
    await send(6);
    await strikeOut(minute(7), words, '550 5.1.2 Relay not allowed.');
    await send(8);
    await strikeOut(minute(9), again);
    delivery.clock.now = minute(10);
    const struck = [first, second, words];
    const listed = await lift(true);
    expect(listed.suppressions.map(({ address }) => address)).toEqual(struck);
    expect(listed.more).toBe(false);
    expect(await suppressions()).toHaveLength(5);
    expect(await lift(false)).toEqual(listed);
    expect((await suppressions()).map(({ address }) => address).sort()).toEqual([unknown, again].sort());
    expect(await lift(false)).toEqual({ suppressions: [], more: false });
    const trail = await readTrail(delivery.database, delivery.business.id);
    expect(trail.map(({ action, actor, subject }) => [action, actor, subject])).toEqual(
      struck.map((address) => ['suppression.remove', 'operator', `email:${address}`]),
    );
    const invoice = await delivery.issueReady(first);
    await eventually('it leaves again', async () => (await delivery.rows(invoice))[0]?.state === 'sent');
  });
});
