import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { getUsage, inboxPrefixOf, natsAuthorization } from '@pinkas/contracts';
import { type RunningServer, reservePort, startNats } from '@pinkas/local-stack/servers';
import { connectNats } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import { parse } from 'yaml';
import { repositoryRoot } from '../harness/sources.js';

const run = promisify(execFile);
const password = 'p0123456789';
const users = natsAuthorization(() => JSON.stringify(password));

interface RouteTls {
  enabled: boolean;
  secretName: string;
  merge: Record<string, string>;
}

/** Where the chart of NATS mounts the secret of the routes. */
const mounted = '/etc/nats-certs/cluster';

describe('the routes between NATS servers', () => {
  let folder: string;
  let tls: RouteTls;
  const servers: RunningServer[] = [];

  /** Writes the secret that make-secrets.mjs creates, and returns the part of nats.conf that the chart renders for it. */
  async function routeTls(name: string): Promise<string> {
    const { stdout } = await run(
      process.execPath,
      [join(repositoryRoot, 'deploy/make-secrets.mjs'), 'kubernetes', '--nats-route-names', 'localhost'],
      {
        env: {
          PATH: process.env.PATH,
          SIGNING_P12_PASSWORD: 'a',
          TAX_AUTHORITY_CLIENT_SECRET: 'b',
          SMTP_URL: 'c',
        },
      },
    );
    const { items } = JSON.parse(stdout) as {
      items: { metadata: { name: string }; stringData: Record<string, string> }[];
    };
    const secret = items.find((item) => item.metadata.name === tls.secretName);
    for (const [key, value] of Object.entries(secret?.stringData ?? {})) {
      await writeFile(join(folder, `${name}-${key}`), value);
    }
    const fields = { cert_file: `${mounted}/tls.crt`, key_file: `${mounted}/tls.key`, ...tls.merge };
    const text = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
    return `tls { ${text.join(', ')} }`.replaceAll(`${mounted}/`, join(folder, `${name}-`));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-routes-'));
    const values = parse(await readFile(join(repositoryRoot, 'deploy/helm/pinkas/values.yaml'), 'utf8'), {
      merge: true,
    });
    ({ tls } = values.nats.config.cluster as { tls: RouteTls });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const logOf = (name: string) => join(folder, `${name}.log`);

  async function freePort(): Promise<number> {
    const reserved = await reservePort();
    await reserved.release();
    return reserved.port;
  }

  /** Starts a server of the cluster `pinkas-nats` with a route to `route`, by default to the one that it opens itself. */
  async function start(name: string, options: { route?: string; tls?: string; users?: string }) {
    const port = await freePort();
    const route = options.route ?? `${options.tls ? 'tls' : 'nats'}://localhost:${port}`;
    const cluster = [
      `name: pinkas-nats, listen: "127.0.0.1:${port}", no_advertise: true`,
      `routes: [${JSON.stringify(route)}]`,
      options.tls ?? '',
    ];
    const server = await startNats({
      dataDir: join(folder, `${name}-${port}`),
      logFile: logOf(name),
      authorization: `cluster { ${cluster.join(', ')} }\n${options.users ?? ''}`,
    });
    servers.push(server);
    return { url: server.url, routePort: port };
  }

  const urlAs = (server: { url: string }, user: string) =>
    server.url.replace('nats://', `nats://${user}:${password}@`);

  /** Who answers `getUsage` at a server of the cluster, as the service does. */
  async function serve(server: { url: string }) {
    const connection = await connectNats(urlAs(server, 'issuing'), 'issuing', {
      inboxPrefix: inboxPrefixOf('issuing'),
    });
    connection.subscribe(getUsage.subject, {
      queue: 'issuing',
      callback: (_error, message) => void message.respond('"served"'),
    });
    await connection.flush();
    return connection;
  }

  const gatewayAt = (server: { url: string }) =>
    connectNats(urlAs(server, 'gateway'), 'gateway', { inboxPrefix: inboxPrefixOf('gateway') });

  it('a server that joins without TLS on routes sees every message and calls a service without a user', async () => {
    const first = await start('open', { users });
    const service = await serve(first);
    const joined = await start('joined', { route: `nats://localhost:${first.routePort}` });
    const nobody = await connectNats(joined.url, 'nobody');
    const seen: string[] = [];
    nobody.subscribe('>', { callback: (_error, message) => void seen.push(message.subject) });
    const gateway = await gatewayAt(first);
    await eventually('the joined server sees a call', async () => {
      await gateway.request(getUsage.subject, '{}', { timeout: 60_000 });
      return seen.includes(getUsage.subject);
    });
    await gateway.close();
    const caller = await connectNats(joined.url, 'nobody');
    await eventually('the joined server reaches the service', async () =>
      caller.request(getUsage.subject, '{}', { timeout: 1_000 }).then(
        (answer) => answer.json() === 'served',
        () => false,
      ),
    );
    await Promise.all([service.close(), nobody.close(), caller.close()]);
  });

  it.each([
    ['without a certificate', 'nats', async () => ''],
    ['with a certificate of its own', 'tls', () => routeTls('other')],
  ])(
    'a server %s cannot join by a route: it sees no message and makes no call',
    async (_how, protocol, certificate) => {
      const member = await routeTls('member');
      const first = await start('first', { tls: member, users });
      const service = await serve(first);
      const refused = (await readFile(logOf('first'), 'utf8')).length;
      const outside = await start('outside', {
        route: `${protocol}://localhost:${first.routePort}`,
        tls: await certificate(),
      });
      const nobody = await connectNats(outside.url, 'nobody');
      await eventually('the first server has refused the route', async () =>
        /TLS (route )?handshake error|certificate/i.test(
          (await readFile(logOf('first'), 'utf8')).slice(refused),
        ),
      );
      await expect(nobody.request(getUsage.subject, '{}', { timeout: 60_000 })).rejects.toThrow(
        /no responders/i,
      );
      const seen: string[] = [];
      nobody.subscribe('>', { callback: (_error, message) => void seen.push(message.subject) });
      await nobody.flush();
      const gateway = await gatewayAt(first);
      expect((await gateway.request(getUsage.subject, '{}', { timeout: 60_000 })).json()).toBe('served');
      await nobody.flush();
      expect(seen).toEqual([]);
      await Promise.all([service.close(), gateway.close(), nobody.close()]);
    },
  );

  it('a server with the certificate of the routes joins, and its users keep their permissions', async () => {
    const member = await routeTls('member');
    const first = await start('first', { tls: member, users });
    const service = await serve(first);
    const second = await start('second', { route: `tls://localhost:${first.routePort}`, tls: member, users });
    await expect(connectNats(second.url, 'nobody')).rejects.toThrow(/authorization/i);
    const gateway = await gatewayAt(second);
    await eventually('the second server reaches the service', async () =>
      gateway.request(getUsage.subject, '{}', { timeout: 1_000 }).then(
        (answer) => answer.json() === 'served',
        () => false,
      ),
    );
    await Promise.all([service.close(), gateway.close()]);
  });
});
