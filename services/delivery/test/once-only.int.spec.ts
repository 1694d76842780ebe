import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  artifactRendered,
  auditDeliveries,
  documentCancelled,
  type IssuedDocument,
  messageDue,
} from '@pinkas/contracts';
import { eventually, exampleDocument, exampleDue } from '@pinkas/testkit';
import { type DeliveryUnderTest, startDelivery } from './delivery.js';
import type { WhatsAppSimulator } from './whatsapp-simulator.js';

const second = 1_000;
/** A place in every order of a run; the same on every run. */
const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value, index) => ({ value, place: (index * 7_919 + 104_729) % 1_009 }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);

describe('two instances of delivery', () => {
  let delivery: DeliveryUnderTest;
  let whatsapp: WhatsAppSimulator;
  beforeAll(async () => {
    delivery = await startDelivery({ whatsapp: true, patience: 30 * second });
    whatsapp = delivery.whatsapp as WhatsAppSimulator;
    await delivery.startAnother();
  });
  afterAll(() => delivery.stop());
  afterEach(() => Promise.all([delivery.mailbox.mode('ok'), whatsapp.mode({ mode: 'ok' })]));

  const both = { auto_send: { enabled: true, channel: 'both', quiet_hours: null } } as const;
  const newDocument = (change: Partial<IssuedDocument> = {}) => {
    const document = exampleDocument({ business_id: delivery.business.id, ...change });
    document.customer.email = delivery.newRecipient();
    document.customer.phone = delivery.newPhone();
    return document;
  };
  /** Each event three times, as three messages that no inbox takes for one, in an order of their own. */
  const publishThrice = async (
    documents: readonly IssuedDocument[],
    cancelled: readonly IssuedDocument[],
  ) => {
    const business = { ...delivery.business, ...both };
    const steps = documents.flatMap((document) => [
      () => delivery.network.publish(messageDue, document.id, exampleDue(document, business)),
      () =>
        delivery.network.publish(artifactRendered, document.id, {
          document_id: document.id,
          business_id: document.business_id,
          revision: 1,
          sha256: '',
          allocation_number: null,
          allocation_pending: false,
        }),
      ...(cancelled.includes(document)
        ? [
            () =>
              delivery.network.publish(documentCancelled, document.id, {
                document,
                business,
                cancelled_at: delivery.clock.now.toISOString(),
              }),
          ]
        : []),
    ]);
    await Promise.all(shuffled([...steps, ...steps, ...steps]).map((step) => step()));
  };
  const rowsOf = (documents: readonly IssuedDocument[]) =>
    delivery.database.db
      .selectFrom('delivery')
      .selectAll()
      .where(
        'document_id',
        'in',
        documents.map(({ id }) => id),
      )
      .execute();
  /** So many looks that find the same claims: their workers have given up, and the next ones wait for the claims to expire. */
  const looksMin = 20;
  const ended = (documents: readonly IssuedDocument[]) => {
    let [looks, before] = [0, ''];
    return eventually('every message has its end', async () => {
      const rows = await rowsOf(documents);
      const open = rows
        .filter(({ state }) => !['sent', 'failed', 'withdrawn'].includes(state))
        .map(({ id, state, claimed_until: claimedUntil }) => ({ id, state, claimedUntil }));
      const seen = JSON.stringify(open);
      [looks, before] = [seen === before ? looks + 1 : 0, seen];
      // What a busy machine did not get through is tried again; no worker has it while the time passes.
      const isIdle = looks >= looksMin || open.every(({ claimedUntil }) => claimedUntil === null);
      if (open.length > 0 && isIdle && open.every(({ state }) => state === 'ready')) {
        delivery.advanceClock(5 * second);
      }
      expect({ planned: rows.length, open }).toEqual({ planned: documents.length * 2, open: [] });
      return rows;
    });
  };

  it('two instances send each message once in any order of events and redeliveries', async () => {
    const documents = Array.from({ length: 25 }, () => newDocument());
    await publishThrice(documents, []);
    const rows = await ended(documents);
    expect(rows.every(({ state }) => state === 'sent')).toBe(true);
    for (const { customer } of documents) {
      expect(await delivery.mailbox.mailTo(customer.email ?? '')).toHaveLength(1);
      expect(await whatsapp.acceptedTo(customer.phone ?? '')).toHaveLength(1);
    }
    await eventually('each is published', () =>
      documents.every((document) => delivery.sentOf(document).length === 2),
    );
    for (const document of documents) {
      expect(delivery.plannedOf(document)).toHaveLength(1);
    }
    const { documents: audited } = await delivery.network.call(auditDeliveries, {
      business_id: delivery.business.id,
      document_ids: documents.map(({ id }) => id),
    });
    expect(audited.flatMap(({ messages }) => messages)).toHaveLength(50);
    for (const { accepted, unknown } of audited.flatMap(({ messages }) => messages)) {
      expect({ accepted, unknown }).toEqual({ accepted: 1, unknown: 0 });
    }
    // No event became a step that was given up.
    const dead = await delivery.database.db.selectFrom('dead_letter').selectAll().execute();
    expect(dead).toEqual([]);
  });

  it("two instances send a cancelled document's message at most once and record which", async () => {
    const documents = Array.from({ length: 20 }, () => newDocument({ type: 'quote' }));
    await publishThrice(documents, documents);
    const rows = await ended(documents);
    for (const document of documents) {
      const own = rows.filter(({ document_id: id }) => id === document.id);
      const sent = (channel: string) =>
        own.filter((row) => row.channel === channel && row.state === 'sent').length;
      expect(await delivery.mailbox.mailTo(document.customer.email ?? '')).toHaveLength(sent('email'));
      expect(await whatsapp.acceptedTo(document.customer.phone ?? '')).toHaveLength(sent('whatsapp'));
    }
  });

  it('two instances repeat a temporary failure without sending twice', async () => {
    await Promise.all([
      delivery.mailbox.mode('greylist'),
      whatsapp.mode({ mode: 'refuse', code: 130429, times: 10 }),
    ]);
    const documents = Array.from({ length: 10 }, () => newDocument());
    await publishThrice(documents, []);
    await eventually('each was tried', async () => {
      const rows = await rowsOf(documents);
      return rows.length === 20 && rows.every(({ attempts }) => attempts > 0);
    });
    delivery.advanceClock(5 * second);
    await ended(documents);
    for (const { customer } of documents) {
      expect(await delivery.mailbox.mailTo(customer.email ?? '')).toHaveLength(1);
      expect(await whatsapp.acceptedTo(customer.phone ?? '')).toHaveLength(1);
    }
  });
});

describe('an instance that stops', () => {
  it('an instance that stops leaves a deferred message to the next one, which sends it once', async () => {
    const delivery = await startDelivery();
    try {
      delivery.clock.now = new Date('2026-06-15T20:00:00Z');
      const recipient = delivery.newRecipient();
      const invoice = await delivery.issue(recipient, {
        business: { auto_send: { enabled: true, channel: 'email', quiet_hours: '22:00-07:00' } },
      });
      await delivery.render(invoice);
      await delivery.inState(invoice, 'ready');
      await delivery.service.stop();
      delivery.clock.now = new Date('2026-06-16T04:00:00Z');
      await delivery.startAnother();
      await delivery.startAnother();
      await delivery.inState(invoice, 'sent');
      expect(await delivery.mailbox.mailTo(recipient)).toHaveLength(1);
      expect(await delivery.attempts(invoice)).toMatchObject([{ n: 1, outcome: 'accepted' }]);
    } finally {
      await delivery.stop();
    }
  });

  it('an instance whose machine has a clock two minutes ahead does not take over an attempt in flight', async () => {
    const delivery = await startDelivery();
    try {
      const [inFlight, dead] = await Promise.all(
        [1, 2].map(async () => {
          const invoice = await delivery.issue(delivery.newRecipient());
          await delivery.render(invoice);
          return delivery.inState(invoice, 'sent');
        }),
      );
      const expiry = (ms: number) => new Date(delivery.clock.now.getTime() + ms);
      const claims = [
        { id: inFlight?.id, until: expiry(60 * second) },
        { id: dead?.id, until: expiry(-60 * second) },
      ];
      const machineNow = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => machineNow() + 120 * second);
      delivery.clock.now = expiry(120 * second);
      await delivery.database.db.transaction().execute(async (trx) => {
        for (const { id = '', until } of claims) {
          await trx
            .updateTable('delivery')
            .set({ state: 'sending', sent_at: null, claimed_until: until })
            .where('id', '=', id)
            .execute();
          await trx
            .updateTable('attempt')
            .set({ outcome: null, ended_at: null })
            .where('delivery_id', '=', id)
            .execute();
        }
      });
      const rowOf = (id = '') =>
        delivery.database.db
          .selectFrom('delivery')
          .selectAll()
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
      await eventually('the attempt of the dead instance has an outcome', async () => {
        return (await rowOf(dead?.id)).unknown_outcomes === 1;
      });
      expect(await rowOf(inFlight?.id)).toMatchObject({ state: 'sending', unknown_outcomes: 0 });
    } finally {
      jest.restoreAllMocks();
      await delivery.stop();
    }
  });

  it('a second attempt cannot begin while one is open', async () => {
    const delivery = await startDelivery();
    try {
      const invoice = await delivery.issue(delivery.newRecipient());
      await delivery.render(invoice);
      const row = await delivery.inState(invoice, 'sent');
      const open = (n: number) =>
        delivery.database.db
          .insertInto('attempt')
          .values({
            business_id: row.business_id,
            delivery_id: row.id,
            n,
            started_at: delivery.clock.now,
            ended_at: null,
            outcome: null,
            provider_response: null,
            provider_id: null,
          })
          .execute();
      await open(2);
      await expect(open(3)).rejects.toMatchObject({ constraint: 'attempt_open_key' });
    } finally {
      await delivery.stop();
    }
  });
});
