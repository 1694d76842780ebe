import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentCancelled, messageDue, messaging, outboxPageMax } from '@pinkas/contracts';
import { eventually, startTestNats, type TestNats, TestNetwork } from '@pinkas/testkit';
import { sql } from 'kysely';
import { publish } from '../src/index.js';
import { newEvent, publishUnsent } from './probe-service.js';
import { PublishingService } from './publishing-service.js';

const contracts = messaging.issuing;

describe('listOutboxEvents and getOutboxEvent', () => {
  let nats: TestNats;
  let network: TestNetwork;
  let owner: PublishingService;
  beforeAll(async () => {
    nats = await startTestNats();
    network = await TestNetwork.open(nats.url);
    owner = await PublishingService.start(nats.url);
  });
  afterAll(async () => {
    await owner.stop();
    await network.close();
    await nats.stop();
  });

  const list = (after = 0, limit = outboxPageMax) =>
    network.call(contracts.listOutboxEvents, { subject: messageDue.subject, after, limit });
  const clear = () => owner.database.db.deleteFrom('outbox').execute();

  it('listOutboxEvents lists one subject in the order of positions, a page at a time', async () => {
    await clear();
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) {
      await owner.storeLostEvent(newEvent(), id);
      await owner.database.db
        .insertInto('outbox')
        .values({
          id: randomUUID(),
          subject: `${documentCancelled.subject}.${randomUUID()}`,
          body: '{}',
          request_id: null,
          sent_at: null,
        })
        .execute();
    }
    const found: string[] = [];
    let after = 0;
    for (;;) {
      const page = await list(after, 2);
      found.push(...page.events.map((event) => event.id));
      if (!page.more) {
        // Past the last of the other subject as well, so that it is not read again and again.
        expect(page.through).toBeGreaterThan(page.events[0]?.position ?? 0);
        expect(await list(page.through)).toEqual({
          events: [],
          through: page.through,
          more: false,
        });
        break;
      }
      after = page.through;
    }
    expect(found).toEqual(ids);
  });

  it('the list ends before rows that are younger than an open transaction', async () => {
    await clear();
    const before = newEvent();
    await owner.storeLostEvent(before);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let written = false;
    const slow = newEvent();
    const open = publishUnsent(owner.database.db, async (trx) => {
      await publish(trx, messageDue, slow.document.id, slow);
      written = true;
      await released;
    });
    await eventually('the earlier position is drawn', () => written);
    const later = randomUUID();
    await owner.storeLostEvent(newEvent(), later);
    const page = await list().finally(release);
    expect(page.events).toHaveLength(1);
    await open;
    const rest = await list(page.through);
    expect(rest.events).toHaveLength(2);
    expect(rest.events[1]?.id).toBe(later);
  });

  it('the list ends before the first row that is too young', async () => {
    await clear();
    const ids = Array.from({ length: 3 }, () => randomUUID());
    for (const id of ids) {
      await owner.storeLostEvent(newEvent(), id);
    }
    // Two rows of one instant may have their instants in the other order than their positions.
    await owner.database.db
      .updateTable('outbox')
      .set({ created_at: sql`now() + interval '1 hour'` })
      .where('id', '=', ids[1] ?? '')
      .execute();
    const page = await list();
    expect(page.events.map((event) => event.id)).toEqual([ids[0]]);
    const all = await owner.database.db.selectFrom('outbox').select('position').orderBy('position').execute();
    expect(page.through).toBe((all[1]?.position ?? 0) - 1);
  });

  it('events younger than RECONCILE_AGE_MS are not listed', async () => {
    const patient = await PublishingService.start(nats.url, { reconcileAgeMs: 60_000 });
    await owner.goAway();
    const [old, young] = [randomUUID(), randomUUID()];
    await patient.storeLostEvent(newEvent(), old);
    await patient.database.db
      .updateTable('outbox')
      .set({ created_at: sql`now() - interval '61 seconds'` })
      .execute();
    await patient.storeLostEvent(newEvent(), young);
    expect((await list()).events.map((event) => event.id)).toEqual([old]);
    await patient.stop();
    await owner.comeBack();
  });

  it('created_at is the instant of the row, not of the start of its transaction', async () => {
    await clear();
    await publishUnsent(owner.database.db, async (trx) => {
      await sql`select pg_sleep(0.05)`.execute(trx);
      const event = newEvent();
      await publish(trx, messageDue, event.document.id, event);
      const { rows } = await sql<{ later: boolean }>`select created_at > now() as later from outbox`.execute(
        trx,
      );
      expect(rows).toEqual([{ later: true }]);
    });
  });

  it('getOutboxEvent returns the whole event', async () => {
    const event = newEvent();
    const id = randomUUID();
    await owner.storeLostEvent(event, id);
    expect(await network.call(contracts.getOutboxEvent, { id })).toEqual({
      subject: `${messageDue.subject}.${event.document.id}`,
      body: event,
      request_id: null,
    });
    await expect(network.call(contracts.getOutboxEvent, { id: randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
