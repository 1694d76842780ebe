import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { announcementsPageMax, documentCancelled, documentIssued, messaging } from '@pinkas/contracts';
import { eventually, startTestNats, type TestNats, TestNetwork } from '@pinkas/testkit';
import { sql } from 'kysely';
import { announce } from '../src/index.js';
import { AnnouncingService } from './announcing-service.js';
import { newEvent } from './probe-service.js';

const contracts = messaging.issuing;

describe('the announcements of a service', () => {
  let nats: TestNats;
  let network: TestNetwork;
  let owner: AnnouncingService;
  beforeAll(async () => {
    nats = await startTestNats();
    network = await TestNetwork.open(nats.url);
    owner = await AnnouncingService.start(nats.url);
  });
  afterAll(async () => {
    await owner.stop();
    await network.close();
    await nats.stop();
  });

  const list = (after = 0, limit = announcementsPageMax) =>
    network.ask(contracts.listAnnouncements, { subject: documentIssued.subject, after, limit });
  const clear = () => owner.database.db.deleteFrom('outbox').execute();

  it('are listed in their order, a page at a time, each subject by itself', async () => {
    await clear();
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) {
      await owner.announceIntoTheVoid(newEvent(), id);
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
      found.push(...page.announcements.map((one) => one.id));
      if (!page.more) {
        // Past the last of the other subject as well, so that it is not read again and again.
        expect(page.through).toBeGreaterThan(page.announcements[0]?.position ?? 0);
        expect(await list(page.through)).toEqual({
          announcements: [],
          through: page.through,
          more: false,
        });
        break;
      }
      after = page.through;
    }
    expect(found).toEqual(ids);
  });

  it('are not listed beyond a transaction that may still bring an earlier one', async () => {
    await clear();
    const before = newEvent();
    await owner.announceIntoTheVoid(before);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let written = false;
    const slow = newEvent();
    const open = owner.database.db.transaction().execute(async (trx) => {
      await announce(trx, documentIssued, slow.document.id, slow);
      written = true;
      await released;
    });
    await eventually('the earlier position is drawn', () => written);
    const later = randomUUID();
    await owner.announceIntoTheVoid(newEvent(), later);
    const page = await list().finally(release);
    expect(page.announcements).toHaveLength(1);
    await open;
    const rest = await list(page.through);
    expect(rest.announcements).toHaveLength(2);
    expect(rest.announcements[1]?.id).toBe(later);
  });

  it('are not listed beyond one that is too young, whatever stands behind it', async () => {
    await clear();
    const ids = Array.from({ length: 3 }, () => randomUUID());
    for (const id of ids) await owner.announceIntoTheVoid(newEvent(), id);
    // Two rows of one instant may bear their instants in the other order than their positions.
    await owner.database.db
      .updateTable('outbox')
      .set({ created_at: sql`now() + interval '1 hour'` })
      .where('id', '=', ids[1] ?? '')
      .execute();
    const page = await list();
    expect(page.announcements.map((one) => one.id)).toEqual([ids[0]]);
    const all = await owner.database.db.selectFrom('outbox').select('position').orderBy('position').execute();
    expect(page.through).toBe((all[1]?.position ?? 0) - 1);
  });

  it('are left to their stream until they are old enough', async () => {
    const patient = await AnnouncingService.start(nats.url, { sweepAgeMs: 60_000 });
    await owner.goAway();
    const [old, young] = [randomUUID(), randomUUID()];
    await patient.announceIntoTheVoid(newEvent(), old);
    await patient.database.db
      .updateTable('outbox')
      .set({ created_at: sql`now() - interval '61 seconds'` })
      .execute();
    await patient.announceIntoTheVoid(newEvent(), young);
    expect((await list()).announcements.map((one) => one.id)).toEqual([old]);
    await patient.stop();
    await owner.comeBack();
  });

  it('bear the instant of their row, not that of the beginning of their transaction', async () => {
    await clear();
    await owner.database.db.transaction().execute(async (trx) => {
      await sql`select pg_sleep(0.05)`.execute(trx);
      const event = newEvent();
      await announce(trx, documentIssued, event.document.id, event);
      const { rows } = await sql<{ later: boolean }>`select created_at > now() as later from outbox`.execute(
        trx,
      );
      expect(rows).toEqual([{ later: true }]);
    });
  });

  it('are given out whole, by their id', async () => {
    const event = newEvent();
    const id = randomUUID();
    await owner.announceIntoTheVoid(event, id);
    expect(await network.ask(contracts.getAnnouncement, { id })).toEqual({
      subject: `${documentIssued.subject}.${event.document.id}`,
      body: event,
      request_id: null,
    });
    await expect(network.ask(contracts.getAnnouncement, { id: randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
