import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { chown, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DocumentPage, streamOf } from '@pinkas/contracts';
import { findPostgresFolder } from '@pinkas/local-stack/servers';
import { connectNats } from '@pinkas/service-kit/client';
import { eventually, streamManagerOf } from '@pinkas/testkit';
import { sql } from 'kysely';
import { expectVerified } from '../../harness/book.js';
import { DatabaseAdministrator } from '../../harness/database-administrator.js';
import { expectNothingPending } from '../../harness/pending.js';
import { type Issuer, invoice, type RunningStack, sendsMail } from '../../harness/running-stack.js';

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

/** An answer 201, with when its request was sent and answered, on the clock of `performance`. */
interface TimedDocument {
  id: string;
  number: number;
  email: string;
  sentMs: number;
  answeredMs: number;
}

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
        // Nobody reads it before it leads.
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

/** The steps of docs/operating/backup-and-restore.md on the local system. The system is another one afterwards. */
export function restoredBackup(system: () => RunningStack): void {
  describe('a restore to an instant', () => {
    let stack: RunningStack;
    let issuer: Issuer;
    let archive: Archive;
    const issued: TimedDocument[] = [];
    beforeAll(async () => {
      stack = system();
      issuer = await stack.newIssuer({ ...sendsMail, tax_authority_connected: true });
      archive = await Archive.start(stack);
    }, 60_000);
    afterAll(() => archive?.stop());

    const issueOne = async (lane: number) => {
      const email = `restored-${lane}-${issued.length}@example.com`;
      const customer = { name: 'לקוח שחזור', tax_id: '777777723', email };
      const sentMs = performance.now();
      const { status, body } = await stack.issue(issuer.key, invoice(lane === 0 ? 6000 : 100, { customer }));
      expect(status).toBe(201);
      issued.push({ id: body.id, number: body.number, email, sentMs, answeredMs: performance.now() });
    };
    /** Waits for documents that were sent from now on. */
    const moreIssued = async () => {
      const nowMs = performance.now();
      const sentSince = () => issued.filter(({ sentMs }) => sentMs > nowMs);
      await eventually('more documents are issued', () => sentSince().length >= documentsOfEach, 60_000);
    };
    /** A base backup, then an instant, while documents are issued. @returns the documents before and after the instant. */
    const backUpUnderLoad = async () => {
      let isOver = false;
      const lanes = Promise.all(
        Array.from({ length: callerCount }, async (_, lane) => {
          while (!isOver) {
            await issueOne(lane);
            await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
        }),
      );
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
    };
    const listed = async () => {
      const { body } = await stack.call<DocumentPage>(issuer.key, 'GET', '/documents?limit=100');
      return body.data;
    };
    const purgeStreams = async () => {
      const { nats_url } = await stack.file();
      const connection = await connectNats(nats_url, 'test');
      try {
        const { streams } = await streamManagerOf(connection);
        await Promise.all(purged.map((name) => streams.purge(name)));
      } finally {
        await connection.close();
      }
    };

    it('a restore to an instant under load has every document until then, and issues none until the loss of the rest is accepted', async () => {
      const { instant, fromMs, untilMs } = await backUpUnderLoad();
      const kept = issued.filter(({ answeredMs }) => answeredMs < fromMs);
      const lost = issued.filter(({ sentMs }) => sentMs > untilMs);
      await eventually(
        'every customer has an email',
        async () => {
          const reached = new Set((await stack.receivedMails()).flatMap(({ to }) => to));
          return issued.every(({ email }) => reached.has(email));
        },
        60_000,
      );
      await expectNothingPending(stack);
      await stack.pinkas('api', 'disable');
      const ports = JSON.parse(readFileSync(join(stack.home, 'ports.json'), 'utf8'));
      await stack.command('down');

      await archive.restore(instant);
      stack.useVariables(soon);
      const started = stack.command('up');
      const reason = 'the database lacks events that were published until';
      await eventually(
        'issuing says what is missing',
        async () => {
          const answer = await fetch(`http://127.0.0.1:${ports.issuing}/readyz`).catch(() => null);
          return answer?.status === 503 && (await answer.text()).includes(reason);
        },
        45_000,
      );
      await purgeStreams();
      await started;

      const book = await listed();
      const numberOf = new Map(book.map(({ id, number }) => [id, number]));
      expect(kept.map(({ id }) => numberOf.get(id))).toEqual(kept.map(({ number }) => number));
      expect(lost.filter(({ id }) => numberOf.has(id))).toEqual([]);
      await expectNothingPending(stack);
      await expectVerified(stack, issuer);
      const mails = (await stack.receivedMails()).flatMap(({ to }) => to);
      for (const { email, answeredMs } of kept) {
        // One that was in flight at the instant is sent once more.
        const most = answeredMs < fromMs - inFlightMs ? 1 : 2;
        const count = mails.filter((to) => to === email).length;
        expect([email, count >= 1 && count <= most]).toEqual([email, true]);
      }
      // The switch of the API is in a database as well.
      const next = await stack.issueUntilAnswered(
        issuer.key,
        invoice(100, { customer: { name: 'לקוח אחר' } }),
      );
      expect(next.number).toBe(Math.max(...book.map(({ number }) => number)) + 1);
      const missing = issued.filter(({ id }) => !numberOf.has(id));
      expect(missing.map(({ number }) => number)).toContain(next.number);
    }, 240_000);
  });
}
