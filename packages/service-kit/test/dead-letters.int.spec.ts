import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { documentIssued, type EventOf, messaging, platformId } from '@pinkas/contracts';
import { auditTrail, eventually, type ServiceUnderTest } from '@pinkas/testkit';
import { newContext, withContext } from '../src/index.js';
import { newEvent, type ProbeTables, probe, startProbe } from './probe-service.js';

const contracts = messaging.delivery;
const consumer = 'probe-effects';

describe('dead letters', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  beforeAll(async () => {
    tested = await startProbe();
  });
  afterAll(() => tested.stop());
  afterEach(async () => {
    probe.handled = async () => {};
    probe.committed = () => {};
    await tested.database.db.deleteFrom('dead_letter').execute();
  });

  /** Dead-letters an event as a consumer does after the last attempt. */
  const park = async (
    event: EventOf<typeof documentIssued>,
    change: { body?: string; consumer?: string } = {},
  ) => {
    const row = await tested.database.db
      .insertInto('dead_letter')
      .values({
        consumer: change.consumer ?? consumer,
        message_id: randomUUID(),
        subject: `${documentIssued.subject}.${event.document.id}`,
        body: change.body ?? JSON.stringify(event),
        request_id: 'b6a2e6b4-6c53-4f2c-8b53-0a70e1a7a001',
        reason: 'the printer was unavailable',
        attempts: 10,
      })
      .returning(['id', 'message_id'])
      .executeTakeFirstOrThrow();
    return row;
  };
  const effects = async (event: EventOf<typeof documentIssued>) =>
    tested.database.db
      .selectFrom('effect')
      .selectAll()
      .where('document_id', '=', event.document.id)
      .execute();
  const deadLettered = (id: string) =>
    tested.database.db.selectFrom('dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
  const redrive = (id: string) => tested.network.call(contracts.redriveDeadLetter, { id });

  const drop = (id: string) => tested.network.call(contracts.dropDeadLetter, { id });

  it('listDeadLetters returns reasons without bodies, a page at a time', async () => {
    const events = [newEvent(), newEvent(), newEvent()];
    const ids = await Promise.all(events.map(async (event) => (await park(event)).id));
    const first = await tested.network.call(contracts.listDeadLetters, { limit: 2 });
    expect(first.next_after).toBe(first.dead_letters[1]?.id);
    const second = await tested.network.call(contracts.listDeadLetters, {
      limit: 2,
      after: first.next_after ?? '',
    });
    expect(second.next_after).toBeNull();
    const all = [...first.dead_letters, ...second.dead_letters];
    expect(all.map((letter) => letter.id).sort()).toEqual(ids.sort());
    for (const letter of all) {
      const event = events.find((event) => event.document.id === letter.document_id);
      expect(letter).toEqual({
        id: letter.id,
        service: 'delivery',
        consumer,
        document_id: event?.document.id,
        subject: `${documentIssued.subject}.${event?.document.id}`,
        reason: 'the printer was unavailable',
        attempts: 10,
        dead_lettered_at: expect.stringMatching(/^\d{4}-.*Z$/),
        redrivable: true,
      });
    }
  });

  it('a redrive handles the event under its request id and removes the dead letter', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    expect(await redrive(id)).toEqual({ outcome: 'handled', reason: null });
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
    expect(await auditTrail(tested.database, event.business.id)).toMatchObject([
      { action: 'dead_letter.redrive', actor: 'operator', subject: id, before: { consumer } },
    ]);
    // The stream, or a reconciler, that delivers it again finds it handled.
    await tested.network.publish(documentIssued, event.document.id, event, message_id);
    const after = newEvent();
    await tested.network.publish(documentIssued, after.document.id, after);
    await eventually('the next one is handled', async () => (await effects(after)).length === 1);
    expect(await effects(event)).toHaveLength(1);
  });

  it('a redrive that fails stores the new reason and count, and has no other effect', async () => {
    const event = newEvent();
    const { id } = await park(event);
    probe.handled = async () => {
      throw new Error('the paper is out');
    };
    expect(await redrive(id)).toEqual({ outcome: 'failed', reason: 'the paper is out' });
    expect(await deadLettered(id)).toMatchObject({ reason: 'the paper is out', attempts: 11 });
    expect(await effects(event)).toHaveLength(0);
    expect(await tested.database.db.selectFrom('inbox').selectAll().execute()).not.toContainEqual(
      expect.objectContaining({ message_id: (await deadLettered(id))?.message_id }),
    );
  });

  it('two concurrent redrives of one dead letter have one effect', async () => {
    const event = newEvent();
    const { id } = await park(event);
    let begun = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Both have read the dead letter before one of them takes effect.
    probe.prepare = async () => {
      begun += 1;
      if (begun === 2) {
        release();
      }
      await released;
    };
    const outcomes = await Promise.all([redrive(id), redrive(id)]);
    probe.prepare = async () => {};
    expect(outcomes.map((outcome) => outcome.outcome).sort()).toEqual(['already_handled', 'handled']);
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive of an event that was handled already only removes the dead letter', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    await tested.database.db.insertInto('inbox').values({ consumer, message_id }).execute();
    expect(await redrive(id)).toEqual({ outcome: 'already_handled', reason: null });
    expect(await effects(event)).toHaveLength(0);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a dead letter is removed when its event is delivered again and handled', async () => {
    const event = newEvent();
    const { id, message_id } = await park(event);
    await tested.network.publish(documentIssued, event.document.id, event, message_id);
    await eventually('it is handled', async () => (await effects(event)).length === 1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive succeeds although the handler fails after its commit', async () => {
    const event = newEvent();
    const { id } = await park(event);
    probe.committed = () => {
      throw new Error('after the commit');
    };
    expect(await redrive(id)).toEqual({ outcome: 'already_handled', reason: null });
    expect(await effects(event)).toHaveLength(1);
    expect(await deadLettered(id)).toBeUndefined();
  });

  it('a redrive that hangs fails before the caller times out', async () => {
    const event = newEvent();
    const { id } = await park(event);
    let release = () => {};
    probe.prepare = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    // A second of the caller's time is kept for storing and telling.
    const reply = await withContext(newContext(1_500), () =>
      tested.network.client.call(contracts.redriveDeadLetter, { id }),
    );
    release();
    probe.prepare = async () => {};
    expect(reply).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('the attempt exceeded'),
    });
  });

  describe.each([
    [
      'a dead letter whose consumer no longer exists',
      { consumer: 'probe-former' },
      'no longer has this consumer',
    ],
    ['a dead letter whose event is malformed', { body: '{"document": 1' }, 'does not match its schema'],
  ])('%s', (_which, change, reason) => {
    it('a redrive of such a dead letter is not_redrivable', async () => {
      const { id } = await park(newEvent(), change);
      expect(await redrive(id)).toMatchObject({
        outcome: 'not_redrivable',
        reason: expect.stringContaining(reason),
      });
      expect(await deadLettered(id)).toMatchObject({ attempts: 11 });
      const { dead_letters } = await tested.network.call(contracts.listDeadLetters, { limit: 1 });
      expect(dead_letters).toMatchObject([{ id, redrivable: false }]);
    });

    it('such a dead letter is dropped once, and its event counts as handled', async () => {
      const event = newEvent();
      const { id, message_id } = await park(event, change);
      expect(await drop(id)).toEqual({ outcome: 'dropped', reason: 'the printer was unavailable' });
      expect(await deadLettered(id)).toBeUndefined();
      await expect(drop(id)).rejects.toMatchObject({ code: 'not_found' });
      const trails = [event.business.id, platformId].map((item) => auditTrail(tested.database, item));
      expect((await Promise.all(trails)).flat()).toContainEqual(
        expect.objectContaining({ action: 'dead_letter.drop', actor: 'operator', subject: id }),
      );
      // Neither its stream nor a reconciler delivers it again.
      const { db } = tested.database;
      const settled = await db
        .selectFrom('inbox')
        .select('consumer')
        .where('message_id', '=', message_id)
        .execute();
      expect(settled).toEqual([{ consumer: { consumer, ...change }.consumer }]);
    });
  });

  it('a redrivable dead letter is not dropped', async () => {
    const event = newEvent();
    const { id } = await park(event);
    expect(await drop(id)).toEqual({ outcome: 'redrivable', reason: 'the printer was unavailable' });
    expect(await redrive(id)).toMatchObject({ outcome: 'handled' });
    expect(await effects(event)).toHaveLength(1);
  });

  it('redrive and drop of an unknown id are not_found', async () => {
    await expect(redrive(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    await expect(drop(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });
});
