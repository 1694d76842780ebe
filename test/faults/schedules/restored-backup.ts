import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { chown, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { type DocumentPage, streamOf } from '@pinkas/contracts';
import { findPostgresFolder } from '@pinkas/local-stack/servers';
import { connectNats } from '@pinkas/service-kit/client';
import { eventually, streamManagerOf } from '@pinkas/testkit';
import { sql } from 'kysely';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { expectNothingPending } from '../../harness/pending.js';
import type { RunningStack } from '../../harness/running-stack.js';
import type { KnownDocument } from '../engine/callers.js';
import { emailsOf } from '../engine/checks.js';
import type { Engine } from '../engine/engine.js';
import { businessOf, large, small } from './kills.js';
import { expectEveryMail, type Schedule } from './schedule.js';

const run = promisify(execFile);
const callerCount = 3;
const pauseMs = 150;
/** How many documents are issued before the instant, during the base backup, and after the instant, at least. */
const documentsOfEach = 5;
/** An email of a document is sent so long after its 201 at most, on a machine that is busy. */
const inFlightMs = 5_000;
/** Step 3 of the runbook. */
const purged = (['issuing', 'customer', 'rendering', 'allocation', 'delivery'] as const).map(
  (service) => streamOf(service).name,
);

/** Reconcilers look soon for the events of the purged streams, and at young ones. */
const soon = { RECONCILE_EVERY_MS: '1000', RECONCILE_AGE_MS: '1000' };

/** A base backup and the write-ahead log of the system's PostgreSQL, as an object store has them. */
class Archive {
  #receiver: ChildProcess | undefined;

  private constructor(
    private readonly stack: RunningStack,
    private readonly url: string,
    private readonly bin: string,
  ) {}

  /** Receives the write-ahead log from now on. */
  static async start(stack: RunningStack): Promise<Archive> {
    const { postgresPassword } = JSON.parse(readFileSync(join(stack.home, 'secrets.json'), 'utf8'));
    const url = new URL((await stack.file()).postgres.issuing);
    url.username = 'postgres';
    url.password = postgresPassword;
    url.pathname = '/postgres';
    const archive = new Archive(stack, url.href, findPostgresFolder()?.path ?? '');
    await mkdir(archive.#log);
    archive.#receiver = spawn(
      join(archive.bin, 'pg_receivewal'),
      ['--directory', archive.#log, '--dbname', archive.url, '--no-loop', '--no-sync'],
      { stdio: 'ignore' },
    );
    await eventually('the write-ahead log is received', async () => (await readdir(archive.#log)).length > 0);
    return archive;
  }

  /** Copies the cluster as it is while it is used. */
  async backUp(): Promise<void> {
    const options = ['--checkpoint', 'fast', '--wal-method', 'none', '--no-sync', '--no-manifest'];
    await run(join(this.bin, 'pg_basebackup'), ['--pgdata', this.#copy, '--dbname', this.url, ...options]);
  }

  /** Puts a new cluster in the place of the one that was stopped; it recovers to an instant when it starts. */
  async restore(instant: string): Promise<void> {
    if (this.#receiver?.exitCode === null) {
      await once(this.#receiver, 'exit');
    }
    const data = join(this.stack.home, 'data', 'postgres');
    const { uid, gid } = statSync(data);
    await rename(data, join(this.stack.home, 'lost-postgres'));
    await rename(this.#copy, data);
    await rename(this.#log, join(data, 'archive'));
    appendFileSync(
      join(data, 'postgresql.auto.conf'),
      [
        // The last segment is one that the server had not filled.
        `restore_command = 'cp archive/%f %p || cp archive/%f.partial %p'`,
        `recovery_target_time = '${instant}'`,
        `recovery_target_action = 'promote'`,
        // No one reads it before it leads.
        'hot_standby = off',
        '',
      ].join('\n'),
    );
    appendFileSync(join(data, 'recovery.signal'), '');
    if (process.getuid?.() === 0) {
      await run('chown', ['-R', `${uid}:${gid}`, data]);
    } else {
      await chown(data, uid, gid);
    }
  }

  stop(): void {
    this.#receiver?.kill('SIGKILL');
  }

  get #log(): string {
    return join(this.stack.home, 'archive');
  }

  get #copy(): string {
    return join(this.stack.home, 'base-backup');
  }
}

/** A base backup, then an instant, while invoices are issued. @returns the instant, and what lies around it here. */
async function backUpUnderLoad(engine: Engine, archive: Archive, issued: KnownDocument[]) {
  const { stack } = engine.system;
  let isOver = false;
  const lanes = Promise.all(
    Array.from({ length: callerCount }, async (_, lane) => {
      while (!isOver) {
        const { answer, known } = engine.callers.issue(businessOf(engine), lane === 0 ? large : small);
        expect((await answer)?.status).toBe(201);
        issued.push(known);
        await pass(pauseMs);
      }
    }),
  );
  /** Waits for documents that were sent from now on. */
  const moreIssued = async () => {
    const nowMs = performance.now();
    const sentSince = () => issued.filter(({ sentMs }) => sentMs > nowMs);
    await eventually('more documents are issued', () => sentSince().length >= documentsOfEach);
  };
  try {
    await moreIssued();
    await archive.backUp();
    await moreIssued();
    const fromMs = performance.now();
    const administrator = await DatabaseAdministrator.connect(stack);
    const [row] = await administrator.read<{ instant: string }>(
      'issuing',
      sql`select clock_timestamp()::text as instant`,
    );
    await administrator.close();
    const untilMs = performance.now();
    await moreIssued();
    return { instant: row?.instant ?? '', fromMs, untilMs };
  } finally {
    isOver = true;
    await lanes;
  }
}

async function purgeStreams({ system }: Engine): Promise<void> {
  const { nats_url } = await system.stack.file();
  const connection = await connectNats(nats_url, 'test');
  try {
    const { streams } = await streamManagerOf(connection);
    await Promise.all(purged.map((name) => streams.purge(name)));
  } finally {
    await connection.close();
  }
}

/** The steps of docs/operating/backup-and-restore.md on the local system. The system is another one afterwards. */
export const restoredBackup: Schedule = {
  name: 'a restore to an instant under load has every document until then, and issues none until the loss of the rest is accepted',
  async happen(engine) {
    const archive = await Archive.start(engine.system.stack);
    await backUpAndRestore(engine, archive).finally(() => archive.stop());
  },
};

async function backUpAndRestore(engine: Engine, archive: Archive): Promise<void> {
  const { callers, system } = engine;
  const { stack } = system;
  const business = businessOf(engine);
  const issued: KnownDocument[] = [];
  const { instant, fromMs, untilMs } = await backUpUnderLoad(engine, archive, issued);
  const kept = issued.filter(({ createdMs }) => createdMs < fromMs);
  const lost = issued.filter(({ sentMs }) => sentMs > untilMs);
  await expectEveryMail(engine);
  await expectNothingPending(stack);
  await stack.pinkas('api', 'disable');
  const ports = JSON.parse(readFileSync(join(stack.home, 'ports.json'), 'utf8'));
  await stack.command('down');

  await archive.restore(instant);
  stack.useVariables(soon);
  const started = stack.command('up');
  const reason = 'the database lacks events that were published until';
  // A start that ends before does so with the reason.
  await Promise.race([
    started.then(() => Promise.reject(new Error('the system has started in spite of what is missing'))),
    eventually('issuing says what is missing', async () => {
      const answer = await fetch(`http://127.0.0.1:${ports.issuing}/readyz`).catch(() => null);
      return answer?.status === 503 && (await answer.text()).includes(reason);
    }),
  ]);
  await purgeStreams(engine);
  await started;

  const { body } = await stack.call<DocumentPage>(business.issuer.key, 'GET', '/documents?limit=100');
  const numberOf = new Map(body.data.map(({ id, number }) => [id, number]));
  const idOf = ({ created }: KnownDocument) => created?.id ?? '';
  expect(kept.map((item) => numberOf.get(idOf(item)))).toEqual(kept.map(({ created }) => created?.number));
  expect(lost.filter((item) => numberOf.has(idOf(item)))).toEqual([]);
  await expectNothingPending(stack);
  const emails = await emailsOf(system);
  for (const item of issued) {
    // It is sent once more.
    item.wasInFlight = item.createdMs >= fromMs - inFlightMs;
  }
  for (const { key, wasInFlight } of kept) {
    const count = emails.get(`${key}@example.com`)?.length ?? 0;
    expect([key, count >= 1 && count <= (wasInFlight ? 2 : 1)]).toEqual([key, true]);
  }
  // What is not in the book is no document any more; one that was in flight at the instant may be answered otherwise now.
  const missing = issued.filter((item) => !numberOf.has(idOf(item)));
  const missingNumbers = missing.map(({ created }) => created?.number);
  const known = callers.knownOf(business);
  known.splice(0, known.length, ...known.filter((item) => !missing.includes(item)));
  for (const item of issued.filter((item) => !kept.includes(item))) {
    item.created = null;
  }
  // The switch of the API is in a database as well.
  const next = callers.issue(business, small);
  await next.answer;
  await callers.settle();
  expect(next.known.created?.number).toBe(Math.max(...numberOf.values()) + 1);
  expect(missingNumbers).toContain(next.known.created?.number);
}
