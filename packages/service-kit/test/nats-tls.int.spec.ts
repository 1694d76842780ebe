import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { natsAuthorization } from '@pinkas/contracts';
import { startTestNats, type TestServer } from '@pinkas/testkit';
import { connectNats } from '../src/index.js';

const run = promisify(execFile);

describe('NATS over TLS', () => {
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

  it('a client that trusts the authority of the certificate connects', async () => {
    const connection = await connectNats(addressOf(server), 'issuing', { caFile: certificate });
    expect(connection.info?.tls_required).toBe(true);
    await connection.close();
  });

  it('a certificate of an unknown authority is rejected', async () => {
    await expect(connectNats(addressOf(server), 'issuing')).rejects.toThrow(/certificate|TLS/i);
  });

  it('a password is not sent over an unencrypted connection', async () => {
    await expect(connectNats(addressOf(plain), 'issuing', { caFile: certificate })).rejects.toThrow(
      "server does not support 'tls'",
    );
    await expect(connectNats(addressOf(plain), 'issuing')).rejects.toThrow("server does not support 'tls'");
  });
});
