import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AllocationUnderTest, startAllocation } from './allocation.js';

/** An HTTP proxy that opens tunnels for clients that know its password, and remembers where to. */
async function startProxy(): Promise<{ server: Server; port: number; tunnels: string[]; cut(): void }> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const expected = `Basic ${Buffer.from('user:secret').toString('base64')}`;
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', (request, socket: Socket) => {
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket);
      socket.pipe(target);
    });
    for (const end of [socket, target]) {
      sockets.add(end);
      end.on('error', () => {});
      end.once('close', () => {
        socket.destroy();
        target.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return { server, port: (server.address() as AddressInfo).port, tunnels, cut };
}

describe('AuthorityHttp through a proxy', () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let allocation: AllocationUnderTest;
  beforeAll(async () => {
    proxy = await startProxy();
    allocation = await startAllocation({
      timeoutMs: 10_000,
      proxyUrl: `http://user:secret@127.0.0.1:${proxy.port}`,
    });
  });
  afterAll(async () => {
    await allocation.stop();
    proxy.cut();
    proxy.server.close();
  });

  it('AuthorityHttp sends the login, the tokens and the request through the proxy', async () => {
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({ status: 'issued' });
    expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(allocation.authority.url).host]));
  });

  it('AuthorityHttp fails an attempt when the proxy is down and does not bypass it', async () => {
    proxy.server.close();
    proxy.cut();
    await once(proxy.server, 'close');
    const invoice = await allocation.issue();
    expect(await allocation.settled(invoice.id)).toMatchObject({
      status: 'failed',
      reason: 'The tax authority could not be reached.',
    });
    expect(await allocation.authority.approvalsOf(invoice.id)).toEqual([]);
  });
});
