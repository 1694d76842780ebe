import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@pinkas/testkit';
import { startFaultProxy } from '../src/fault-proxy/fault-proxy.js';
import type { RunningSimulator } from '../src/http.js';

describe('the fault proxy', () => {
  let upstream: Server;
  let proxy: RunningSimulator;
  beforeAll(async () => {
    // It answers with what it received.
    upstream = createServer((request, response) => {
      const body: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void body.push(chunk));
      request.on('end', () => {
        response.setHeader('gotenberg-trace', String(request.headers['gotenberg-trace']));
        response.end(`${request.method} ${request.url} ${Buffer.concat(body)}`);
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    proxy = await startFaultProxy({ host: '127.0.0.1', port: 0, upstreamUrl });
  });
  afterEach(() => setMode({}));
  afterAll(async () => {
    await proxy.close();
    upstream.close();
    upstream.closeAllConnections();
  });

  const setMode = (mode: object) =>
    fetch(`${proxy.url}/_mode`, { method: 'POST', body: JSON.stringify(mode) });
  const convert = (signal?: AbortSignal) =>
    fetch(`${proxy.url}/forms/chromium/convert/html`, {
      method: 'POST',
      body: 'page',
      headers: { 'Gotenberg-Trace': 't1' },
      ...(signal && { signal }),
    });
  const calls = async () =>
    (await (await fetch(`${proxy.url}/_calls`)).json()) as {
      converted: number;
      failed: number;
      in_flight: number;
    };

  it('a conversion and its answer are forwarded as they are', async () => {
    const answer = await convert();
    expect(answer.headers.get('gotenberg-trace')).toBe('t1');
    expect(await answer.text()).toBe('POST /forms/chromium/convert/html page');
    expect(await (await fetch(`${proxy.url}/health`)).text()).toBe('GET /health ');
  });

  it('every n-th conversion fails on request, and the calls are counted', async () => {
    const before = await calls();
    await setMode({ fail_every: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const response = await convert();
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 500, 200, 200, 500]);
    const after = await calls();
    expect([after.converted - before.converted, after.failed - before.failed, after.in_flight]).toEqual([
      4, 2, 0,
    ]);
  });

  it('a hanging conversion gets no answer, other requests do, and its caller may leave', async () => {
    await setMode({ hang: true });
    const leaving = new AbortController();
    const hanging = convert(leaving.signal);
    await eventually('it is in flight', async () => (await calls()).in_flight === 1);
    expect((await fetch(`${proxy.url}/health`)).status).toBe(200);
    leaving.abort();
    await expect(hanging).rejects.toThrow();
    await eventually('it has left', async () => (await calls()).in_flight === 0);
  });

  it('an upstream that ends during a delay ends the connections of its callers', async () => {
    await setMode({ delay_ms: 60_000 });
    const waiting = convert();
    await eventually('it is in flight', async () => (await calls()).in_flight === 1);
    upstream.closeAllConnections();
    await expect(waiting).rejects.toThrow();
  });

  it('an invalid mode is rejected with its errors, and changes nothing', async () => {
    const refused = await setMode({ hang: 'yes', slow: 1 });
    expect(refused.status).toBe(400);
    const text = await refused.text();
    expect(text).toContain('hang must be true or false');
    expect(text).toContain('slow is unknown');
    expect((await convert()).status).toBe(200);
  });
});
