import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { listPeople, timeLimitsMs } from '@pinkas/contracts';
import { startTestNats, TestNetwork } from '@pinkas/testkit';
import { openConnection } from '../src/connection.js';

it('a command waits for a service that works on its call beyond what a caller of the API would wait', async () => {
  const nats = await startTestNats();
  const network = await TestNetwork.open(nats.url);
  const connection = await openConnection(
    { url: nats.url, local: true },
    { show: () => {}, print: () => {} },
  );
  try {
    expect(listPeople.timeoutMs).toBe(timeLimitsMs.call);
    network.answer(listPeople, async () => {
      await pass(timeLimitsMs.call + timeLimitsMs.silence);
      return { people: [] };
    });
    const business_id = '00000000-0000-4000-8000-000000000001';
    expect(await connection.call(listPeople, { business_id })).toEqual({ people: [] });
  } finally {
    await connection.close();
    await network.close();
    await nats.stop();
  }
});
