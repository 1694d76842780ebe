import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listRequests } from '@pinkas/contracts';
import { createLogger, Metrics, openDatabase } from '@pinkas/service-kit';
import type { GatewayTables } from '../src/db/gateway.tables.js';
import { RequestRecorder } from '../src/request-log/request-recorder.js';
import { type Caller, type GatewayUnderTest, startGateway } from './gateway.js';

describe('the recorder of requests', () => {
  let gateway: GatewayUnderTest;
  let caller: Caller;
  beforeAll(async () => {
    gateway = await startGateway();
    caller = await gateway.caller();
  });
  afterAll(() => gateway.stop());

  const listed = () => gateway.network.call(listRequests, { business_id: caller.business.id, limit: 100 });

  it('a record that the database refuses is lost alone, and is counted', async () => {
    const open = openDatabase<GatewayTables>({
      url: gateway.database.url,
      poolSize: 1,
      applicationName: 'test',
      logger: createLogger('test', 'silent'),
    });
    const metrics = new Metrics();
    const clock = { now: () => gateway.clock.now };
    const recorder = new RequestRecorder(open, clock, { warn: () => {} } as never, metrics);
    for (let n = 0; n < 40; n += 1) {
      recorder.note({
        ...{ businessId: caller.business.id, keyId: caller.key.id, requestId: randomUUID() },
        ...{ arrivedAt: gateway.clock.now, method: 'GET', route: '/me' },
        // No smallint.
        status: n === 17 ? 99_999 : 200,
        ...{ idempotencyKey: null, replayed: false, documentId: null, durationMs: 1 },
        ...{ error: undefined, body: undefined },
      });
    }
    for (let ticks = 0; ticks < 40; ticks += 1) {
      await recorder.tick().catch(() => {});
    }
    expect(await metrics.text()).toContain('pinkas_request_log_lost_total{reason="failed"} 1');
    expect((await listed()).today).toBe(39);
    await recorder.stop();
    await open.destroy();
  });
});
