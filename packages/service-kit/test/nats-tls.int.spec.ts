import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { natsAuthorization } from '@pinkas/contracts';
import { startTestNats, type TestServer } from '@pinkas/testkit';
import { connectNats } from '../src/index.js';

const run = promisify(execFile);

describe('a NATS that speaks in private', () => {
  let certificate: string;
  let server: TestServer;
  let plain: TestServer;
  beforeAll(async () => {
    const folder = await mkdtemp(join(process.env.PINKAS_TEST_HOME ?? '/tmp', 'nats-tls-'));
    certificate = join(folder, 'ca.crt');
    const key = join(folder, 'tls.key');
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    const users = natsAuthorization(() => '"p0123456789"');
    server = await startTestNats(`tls { cert_file: "${certificate}", key_file: "${key}" }\n${users}`);
    plain = await startTestNats(users);
  });
  afterAll(() => Promise.all([server.stop(), plain.stop()]));

  const addressOf = (of: TestServer) =>
    of.url.replace('nats://127.0.0.1', 'tls://issuing:p0123456789@localhost');

  it('is reached by whoever trusts the authority of its certificate', async () => {
    const connection = await connectNats(addressOf(server), 'issuing', { caFile: certificate });
    expect(connection.info?.tls_required).toBe(true);
    await connection.close();
  });

  it('is not believed with a certificate of nobody known', async () => {
    await expect(connectNats(addressOf(server), 'issuing')).rejects.toThrow(/certificate|TLS/i);
  });

  it('is not told a password where it would be said in the open', async () => {
    await expect(connectNats(addressOf(plain), 'issuing', { caFile: certificate })).rejects.toMatchObject({
      code: 'SERVER_OPT_NA',
    });
    await expect(connectNats(addressOf(plain), 'issuing')).rejects.toMatchObject({
      code: 'SERVER_OPT_NA',
    });
  });
});
