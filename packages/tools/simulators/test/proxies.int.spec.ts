import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { reservePort, waitUntil } from '@pinkas/local-stack/servers';
import { eventually } from '@pinkas/testkit';
import { startFaultProxy } from '../src/fault-proxy/fault-proxy.js';
import type { RunningSimulator } from '../src/http.js';
import { startLoadBalancer } from '../src/load-balancer/load-balancer.js';

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

/** A server that returns its name and whether it is ready. */
interface Named {
  server: Server;
  port: number;
  ready: boolean;
}

async function startNamed(name: string): Promise<Named> {
  const named: Named = { server: createServer(), port: 0, ready: true };
  named.server.on('request', (request, response) => {
    response.writeHead(request.url === '/readyz' && !named.ready ? 503 : 200).end(name);
  });
  await new Promise<void>((resolve) => named.server.listen(0, '127.0.0.1', resolve));
  named.port = (named.server.address() as AddressInfo).port;
  return named;
}

describe('LoadBalancer', () => {
  let one: Named;
  let two: Named;
  let balancer: RunningSimulator;
  let front: number;
  const agents: Agent[] = [];
  beforeEach(async () => {
    [one, two] = [await startNamed('one'), await startNamed('two')];
    const reserved = await reservePort();
    front = reserved.port;
    await reserved.release();
    balancer = await startLoadBalancer({
      front: { host: '127.0.0.1', port: front },
      health: { host: '127.0.0.1', port: 0 },
      replicas: [one, two].map(({ port }) => ({
        host: '127.0.0.1',
        port,
        readyUrl: `http://127.0.0.1:${port}/readyz`,
      })),
    });
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) {
      agent.destroy();
    }
    await balancer.close();
    for (const { server } of [one, two]) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** Asks over the connection of an agent, or over one of its own. */
  const ask = (agent: Agent | false = false) =>
    new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port: front, agent }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve(text));
      }).on('error', reject);
    });
  const keptOpen = () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    return agent;
  };
  const readyOnes = async (count: number) =>
    waitUntil(
      async () => {
        const { ready } = (await (await fetch(`${balancer.url}/health`)).json()) as { ready: string[] };
        return ready.length === count;
      },
      { what: `${count} are ready`, timeoutMs: 60_000 },
    );

  it('LoadBalancer spreads new connections, and never moves an open one', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect([...new Set(answers)].sort()).toEqual(['one', 'two']);
    const agent = keptOpen();
    const again = [await ask(agent), await ask(agent), await ask(agent)];
    expect(new Set(again).size).toBe(1);
  });

  it('LoadBalancer sends no new connection to a replica that is not ready, and closes none of its open ones', async () => {
    const agents = [keptOpen(), keptOpen()];
    const before = [];
    for (const agent of agents) {
      before.push(await ask(agent));
    }
    expect([...before].sort()).toEqual(['one', 'two']);
    one.ready = false;
    await readyOnes(1);
    for (let index = 0; index < 5; index += 1) {
      expect(await ask()).toBe('two');
    }
    const after = [];
    for (const agent of agents) {
      after.push(await ask(agent));
    }
    expect(after).toEqual(before);
    one.ready = true;
    await readyOnes(2);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect([...new Set(answers)].sort()).toEqual(['one', 'two']);
  });

  it('LoadBalancer rejects connections when no replica is ready, and reports it', async () => {
    one.ready = false;
    two.ready = false;
    await readyOnes(0);
    await expect(ask()).rejects.toThrow();
    expect((await fetch(`${balancer.url}/health`)).status).toBe(503);
  });
});
