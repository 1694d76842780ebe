import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, scrape } from '@pinkas/testkit';
import { type GatewayUnderTest, startGateway } from './gateway.js';

describe('the figures of the gateway', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  const requests = (method: string, route: string, status: number) =>
    `pinkas_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
  /** The end of an answer is counted after its caller has it. */
  const untilCounted = (sample: string, value: number) =>
    eventually(`${sample} is ${value}`, async () => (await scrape(gateway.service)).get(sample) === value);

  it('tell of each route how often it was called, what was answered, and how long it took', async () => {
    const { key } = (await gateway.caller()).key;
    const created = await gateway.post(key);
    await gateway.post('pk_live_wrong');
    await gateway.http(`/v1/documents/${created.json.id}`, { key });
    await untilCounted(requests('POST', '/v1/documents', 201), 1);
    await untilCounted(requests('POST', '/v1/documents', 401), 1);
    await untilCounted('pinkas_http_request_duration_seconds_count{method="POST",route="/v1/documents"}', 2);
    const told = [...(await scrape(gateway.service)).keys()];
    expect(told.some((sample) => sample.includes('route="/v1/documents/:id"'))).toBe(true);
    expect(told.filter((sample) => sample.includes(created.json.id))).toEqual([]);
    expect((await scrape(gateway.service)).get('pinkas_http_requests_in_flight')).toBe(0);
  });

  it('keep whatever strangers invent under one label', async () => {
    const paths = Array.from({ length: 5 }, () => `/${randomUUID()}`);
    await Promise.all(paths.map((path) => gateway.http(path)));
    await Promise.all(['BREW', 'QUERY', 'PROPFIND'].map((method) => gateway.http('/nowhere', { method })));
    await untilCounted(requests('GET', 'unknown', 404), 5);
    const told = [...(await scrape(gateway.service)).keys()].filter((sample) =>
      sample.startsWith('pinkas_http'),
    );
    expect(told.filter((sample) => paths.some((path) => sample.includes(path.slice(1))))).toEqual([]);
    expect(told.filter((sample) => /BREW|QUERY|PROPFIND|nowhere/.test(sample))).toEqual([]);
  });
});
