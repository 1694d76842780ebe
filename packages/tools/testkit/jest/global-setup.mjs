import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@pinkas/local-stack/servers';
import { offerRenderer } from '../dist/shared-renderer.js';

/**
 * One PostgreSQL for the complete run, without durability, on a free port; every test file makes its own databases in it. One renderer,
 * which starts when a test file needs it.
 */
export default async function setUp() {
  const home = await mkdtemp(join(tmpdir(), 'pinkas-test-'));
  const postgres = await startPostgres({
    dataDir: join(home, 'postgres'),
    logFile: join(home, 'postgres.log'),
    durable: false,
  });
  process.env.PINKAS_TEST_HOME = home;
  process.env.PINKAS_TEST_POSTGRES_URL = postgres.url;
  globalThis.pinkasTestServers = { home, postgres, renderer: await offerRenderer() };
}
