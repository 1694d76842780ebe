import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { documentIssued, streamOf } from '@pinkas/contracts';
import {
  findPostgresFolder,
  type RunningPostgres,
  reservePort,
  startPostgres,
} from '@pinkas/local-stack/servers';
import { eventually, TcpProxy } from '@pinkas/testkit';
import { sql } from 'kysely';
import { type IssuingUnderTest, startIssuing } from './issuing.js';

const run = promisify(execFile);

/** A PostgreSQL that replicates asynchronously to a standby; services reach the one that leads. */
class Cluster {
  #standby: ChildProcess | undefined;
  #standbyUrl = '';
  #leader = '';

  private constructor(
    private readonly folder: string,
    private readonly primary: RunningPostgres,
    private readonly replication: TcpProxy,
    /** What services connect to. */
    readonly proxy: TcpProxy,
    leader: string,
  ) {
    this.#leader = leader;
  }

  static async start(): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'pinkas-cluster-'));
    const primary = await startPostgres({
      dataDir: join(folder, 'primary'),
      logFile: join(folder, 'primary.log'),
      durable: false,
      settings: { wal_level: 'replica', max_wal_senders: '4' },
    });
    const replication = await TcpProxy.start(primary.url);
    const proxy = await TcpProxy.start(() => cluster.#leader);
    const cluster = new Cluster(folder, primary, replication, proxy, primary.url);
    return cluster;
  }

  get url(): string {
    return at(this.primary.url, this.proxy.address);
  }

  /** Copies the primary, and lets the copy follow it. */
  async startStandby(): Promise<void> {
    const dataDir = join(this.folder, 'standby');
    const { uid, gid } = await stat(join(this.folder, 'primary'));
    const owner = process.getuid?.() === 0 ? { uid, gid } : {};
    await chown(this.folder, uid, gid);
    const bin = findPostgresFolder()?.path ?? '';
    const source = at(this.primary.url, this.replication.address);
    const copy = ['--pgdata', dataDir, '--write-recovery-conf', '--no-sync', '--checkpoint', 'fast'];
    await run(join(bin, 'pg_basebackup'), [...copy, '--dbname', source], { ...owner, cwd: '/' });
    const reserved = await reservePort();
    this.#standbyUrl = at(this.primary.url, `127.0.0.1:${reserved.port}`);
    await reserved.release();
    this.#standby = spawn(
      join(bin, 'postgres'),
      ['-D', dataDir, '-p', String(reserved.port), '-c', 'listen_addresses=127.0.0.1'].concat([
        ...['-c', 'unix_socket_directories=', '-c', 'fsync=off', '-c', 'max_connections=200'],
      ]),
      { ...owner, cwd: '/', stdio: 'ignore' },
    );
  }

  /** Waits until a query of a database finds something on the standby. */
  async replicated(databaseUrl: string, query: string): Promise<void> {
    const url = new URL(this.#standbyUrl);
    url.pathname = new URL(databaseUrl).pathname;
    await eventually('the standby has everything', async () => {
      const { stdout } = await run('psql', [url.href, '-Atc', query], { cwd: '/' });
      return stdout.trim() !== '';
    });
  }

  /** Lets nothing reach the standby any more. */
  stopReplication(): void {
    this.replication.cut();
  }

  /** The primary dies, and the standby leads with what it has. */
  async failOver(): Promise<void> {
    process.kill(this.primary.pid, 'SIGQUIT');
    await run('psql', [this.#standbyUrl, '-c', 'select pg_promote(true, 60)'], { cwd: '/' });
    this.#leader = this.#standbyUrl;
    this.proxy.reset();
  }

  async stop(): Promise<void> {
    await this.proxy.stop();
    await this.replication.stop();
    const ended = new Promise((resolve) => this.#standby?.once('exit', resolve) ?? resolve(null));
    this.#standby?.kill('SIGQUIT');
    await ended;
    await this.primary.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function at(url: string, address: string): string {
  const changed = new URL(url);
  changed.host = address;
  return changed.href;
}

describe('a failover of PostgreSQL', () => {
  let cluster: Cluster;
  let issuing: IssuingUnderTest;
  const runsOwn = process.env.PINKAS_TEST_POSTGRES_URL;
  beforeAll(async () => {
    cluster = await Cluster.start();
    process.env.PINKAS_TEST_POSTGRES_URL = cluster.url;
    issuing = await startIssuing({ now: new Date() });
    await cluster.startStandby();
  });
  afterAll(async () => {
    await issuing?.stop();
    await cluster?.stop();
    process.env.PINKAS_TEST_POSTGRES_URL = runsOwn;
  });

  const ready = async () => (await fetch(`http://127.0.0.1:${issuing.service.healthPort}/readyz`)).json();
  const manager = () => jetstreamManager(issuing.network.connection);
  const stream = streamOf('issuing').name;
  const published = async () => {
    const { state } = await (await manager()).streams.info(stream, {
      subjects_filter: `${documentIssued.subject}.*`,
    });
    return Object.keys(state.subjects ?? {}).length;
  };
  it('a standby that lacks the last documents issues nothing until the operator accepts the loss', async () => {
    const { document: first } = await issuing.issue();
    await cluster.replicated(issuing.database.url, 'select 1 from document');
    cluster.stopReplication();
    const { document: lost } = await issuing.issue();
    await eventually('both are published', async () => (await published()) === 2);
    await cluster.failOver();
    // Connections that the failover has broken are replaced.
    await eventually('the reason is reported', async () =>
      JSON.stringify(await ready()).includes('the database lacks events that were published until'),
    );
    const { rows } = await sql<{ number: number }>`select number from document`.execute(issuing.database.db);
    expect(rows.map(({ number }) => number)).toEqual([first.number]);
    await expect(issuing.issue()).rejects.toMatchObject({ code: 'engine_error' });
    expect(lost.number).toBe(first.number + 1);
    await (await manager()).streams.purge(stream);
    const { document: next } = await eventually('documents are issued', () =>
      issuing.issue().catch(() => undefined),
    );
    expect(next.number).toBe(lost.number);
  });
});
