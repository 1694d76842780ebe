import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { documentIssued, getUsage } from '@pinkas/contracts';
import { eventually, type ServiceUnderTest, serviceConfig } from '@pinkas/testkit';
import { type RunningService, startService } from '../src/index.js';
import { newEvent, type ProbeTables, probe, probeService, startProbe } from './probe-service.js';

const concurrency = 2;
const inHand = 8;

describe('the drain of a replica', () => {
  let tested: ServiceUnderTest<ProbeTables>;
  const others: RunningService[] = [];
  beforeEach(async () => {
    tested = await startProbe({ consumerConcurrency: concurrency });
  });
  afterEach(async () => {
    await Promise.all(others.splice(0).map((other) => other.stop()));
    await tested.stop();
    probe.answer = async () => 7;
    probe.prepare = async () => {};
  });
  const startAnother = async () => {
    const { nats, database } = tested;
    const config = serviceConfig({ natsUrl: nats.url, databaseUrl: database.url });
    const other = await startService({ ...probeService, config });
    others.push(other);
    return other;
  };

  it('a draining replica replies to what has arrived, and the other replica gets new requests', async () => {
    const other = await startAnother();
    // Each is answered when as many have come after it: both replicas always have some in flight.
    const held: (() => void)[] = [];
    probe.answer = () =>
      new Promise((resolve) => {
        held.push(() => resolve(7));
        if (held.length > inHand) {
          held.shift()?.();
        }
      });
    let asking = true;
    const answers: number[] = [];
    const lane = async () => {
      while (asking) {
        const request = { business_id: randomUUID(), key_id: randomUUID() };
        answers.push((await tested.network.call(getUsage, request)).used_today);
      }
    };
    const lanes = Promise.all(Array.from({ length: 2 * inHand }, lane));
    await eventually('requests are under way', () => answers.length > 100);
    await other.stop();
    const atStop = answers.length;
    await eventually('requests go on', () => answers.length > atStop + 100);
    asking = false;
    probe.answer = async () => 7;
    for (const answer of held) {
      answer();
    }
    await lanes;
    expect(new Set(answers)).toEqual(new Set([7]));
  });

  it('a draining replica finishes the events in flight and returns the others at once', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const begun: string[] = [];
    probe.prepare = async ({ document }) => {
      begun.push(document.id);
      await waiting;
    };
    const published = Array.from({ length: 8 }, () => newEvent());
    for (const event of published) {
      await tested.network.publish(documentIssued, event.document.id, event);
    }
    const consumer = await jetstream(tested.network.connection).consumers.get('EVT_ISSUING', 'probe-effects');
    await eventually(
      'events are handed out that it has not begun',
      async () => begun.length === concurrency && (await consumer.info()).num_ack_pending > concurrency,
    );

    const stopped = tested.service.stop();
    // Sooner than the server hands out again what it has heard nothing of (15 s).
    const left = published.length - concurrency;
    const taken: string[] = [];
    for await (const message of await consumer.fetch({ max_messages: left, expires: 8_000 })) {
      taken.push(message.subject.slice(message.subject.lastIndexOf('.') + 1));
      message.ack();
    }
    goOn();
    await stopped;

    expect(begun).toHaveLength(concurrency);
    expect([...begun, ...taken].sort()).toEqual(published.map(({ document }) => document.id).sort());
    const effects = await tested.database.db.selectFrom('effect').select('document_id').execute();
    expect(effects.map((effect) => effect.document_id).sort()).toEqual([...begun].sort());
    const { num_ack_pending, num_pending } = await consumer.info();
    expect({ num_ack_pending, num_pending }).toEqual({ num_ack_pending: 0, num_pending: 0 });
  });
});
