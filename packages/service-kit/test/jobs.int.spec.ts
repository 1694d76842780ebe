import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, eventually, type TestDatabase } from '@pinkas/testkit';
import type { Selectable } from 'kysely';
import { jobChecks } from '../src/diagnosis/job-checks.js';
import {
  acrossTenants,
  addJob,
  again,
  createLogger,
  type Database,
  done,
  forTenant,
  type JobEnd,
  JobKind,
  type JobRun,
  Jobs,
  type JobTables,
  Metrics,
  openDatabase,
  Tracing,
  type Transaction,
} from '../src/index.js';
import { createJobTable, enableTenantIsolation, sqlMigration } from '../src/schema.js';

interface Tables extends JobTables {
  effect: { business_id: string; word: string };
}

const migrations = {
  '0001-jobs': sqlMigration(`
    create table effect (business_id uuid not null, word text not null);
    ${enableTenantIsolation('effect')}
    ${createJobTable}
  `),
};

/** A kind whose attempts a test decides. */
class Probe extends JobKind<Tables> {
  override readonly kind = 'probe';
  override readonly isInterruptible = true;
  readonly attempts: number[] = [];
  attempt: (job: JobRun) => Promise<JobEnd<Transaction<Tables>>> = async () => done();

  override run(job: JobRun): Promise<JobEnd<Transaction<Tables>>> {
    this.attempts.push(job.attempts);
    return this.attempt(job);
  }
}

/** A kind that stores its failures. */
class Storing extends Probe {
  override readonly kind = 'storing' as 'probe';

  override retryAt({ attempts }: JobRun, _error: unknown, now: Date): Date | null {
    return attempts < 2 ? now : null;
  }

  override async failed(
    trx: Transaction<Tables>,
    job: JobRun,
    error: unknown,
    dueAt: Date | null,
  ): Promise<void> {
    const word = `${(error as Error).name} ${dueAt === null ? 'at last' : 'first'}`;
    await trx.insertInto('effect').values({ business_id: job.business_id, word }).execute();
  }
}

describe('the jobs of a service', () => {
  const business = randomUUID();
  let database: TestDatabase<Tables>;
  let db: Database<Tables>;
  const clock = { at: new Date(), now: () => clock.at };
  const running: Jobs[] = [];
  let probe: Probe;
  let storing: Storing;
  let metrics: Metrics;
  let jobs: Jobs;
  beforeAll(async () => {
    database = await createTestDatabase<Tables>(migrations);
    db = openDatabase<Tables>({
      url: database.url,
      poolSize: 4,
      applicationName: 'jobs',
      logger: createLogger('test', 'silent'),
    });
  });
  const start = (...kinds: readonly Probe[]): Jobs => {
    metrics = new Metrics();
    const started = new Jobs({
      ...{ db: db as unknown as Database<JobTables>, clock, metrics, tracing: Tracing.off },
      logger: createLogger('test', 'silent'),
      transaction: (scope, work) => scope.transaction().execute(work),
    });
    for (const kind of kinds) {
      started.add(kind as unknown as JobKind<JobTables>);
    }
    running.push(started);
    return started;
  };
  beforeEach(() => {
    [probe, storing] = [new Probe(), new Storing()];
    jobs = start(probe, storing);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((started) => started.stop()));
    await database.db.deleteFrom('job').execute();
    await database.db.deleteFrom('effect').execute();
  });
  afterAll(async () => {
    await db.destroy();
    await database.close();
  });

  const add = async (kind: Probe = probe, id: string = randomUUID()) => {
    await forTenant(db, business)
      .transaction()
      .execute((trx) => addJob(trx, kind.kind, { business_id: business, id }, clock.at));
    return id;
  };
  const rows = (): Promise<Selectable<JobTables['job']>[]> =>
    database.db.selectFrom('job').selectAll().execute();
  const words = async () =>
    (await database.db.selectFrom('effect').select('word').execute()).map(({ word }) => word);
  const store = (word: string) => (trx: Transaction<Tables>) =>
    trx.insertInto('effect').values({ business_id: business, word }).execute();
  const advance = (ms: number) => {
    clock.at = new Date(clock.at.getTime() + ms);
    jobs.trigger('probe');
    jobs.trigger('storing');
  };

  it('a job is done once, with what it stores in one transaction, and another business does not see it', async () => {
    probe.attempt = async () => done(store('done'));
    await add();
    expect(await forTenant(db, randomUUID()).selectFrom('job').selectAll().execute()).toEqual([]);
    expect(await forTenant(db, business).selectFrom('job').selectAll().execute()).toHaveLength(1);
    jobs.start();
    const other = start(probe);
    other.start();
    await eventually('it is done', async () => (await rows()).length === 0);
    expect(await words()).toEqual(['done']);
    expect(probe.attempts).toEqual([1]);
  });

  it('a job of no business is done, and one that is added twice is one', async () => {
    const key = { business_id: null, id: 'same' };
    await addJob(acrossTenants(db), 'probe', key, clock.at);
    await addJob(acrossTenants(db), 'probe', key, clock.at);
    expect(await rows()).toHaveLength(1);
    jobs.start();
    await eventually('it is done', async () => (await rows()).length === 0);
    expect(probe.attempts).toEqual([1]);
  });

  it('an attempt whose result cannot be stored fails and stores nothing', async () => {
    probe.attempt = async () =>
      done(async (trx) => {
        await store('lost')(trx);
        throw new TypeError('no');
      });
    await add();
    jobs.start();
    await eventually('it has failed', async () => (await rows())[0]?.reason === 'TypeError');
    expect(await words()).toEqual([]);
  });

  it('the attempts of a next step are counted from one, and those of a step that failed go on', async () => {
    const ends = [again<Transaction<Tables>>(clock.at, undefined, 'not yet'), again(clock.at), done()];
    probe.attempt = async () => ends.shift() as JobEnd<Transaction<Tables>>;
    await add();
    jobs.start();
    await eventually('it is done', async () => (await rows()).length === 0);
    expect(probe.attempts).toEqual([1, 2, 1]);
  });

  it('a job that fails for a day is dead-lettered with its reason, and is due again when it is added again', async () => {
    probe.attempt = async () => {
      throw new TypeError('no');
    };
    const id = await add();
    jobs.start();
    for (let attempt = 1; attempt <= 28; attempt += 1) {
      await eventually('an attempt has failed', async () => {
        const [row] = await rows();
        return row?.attempts === attempt && row.claim_id === null;
      });
      advance(60 * 60_000);
    }
    expect(await rows()).toMatchObject([{ id, reason: 'TypeError', dead_at: expect.any(Date) }]);
    expect(await jobs.figures()).toMatchObject([
      { kind: 'probe', dead: 1, reason: 'TypeError' },
      { dead: 0 },
    ]);
    expect(await metrics.text()).toContain('pinkas_jobs_dead_lettered{kind="probe"} 1');
    expect(await jobChecks('delivery', jobs)()).toMatchObject([
      { state: 'failure', finding: '1 of the kind probe dead-lettered: TypeError' },
    ]);
    probe.attempt = async () => done();
    await add(probe, id);
    jobs.trigger('probe');
    await eventually('it is done', async () => (await rows()).length === 0);
    expect(await jobChecks('delivery', jobs)()).toMatchObject([{ state: 'ok' }]);
  });

  it('a kind that stores its failures has no dead letters', async () => {
    storing.attempt = async () => {
      throw new TypeError('no');
    };
    await add(storing);
    jobs.start();
    await eventually('it has ended', async () => (await rows()).length === 0);
    expect(await words()).toEqual(['TypeError first', 'TypeError at last']);
  });

  it('a job whose process died is taken over when its claim expires, and its last attempt fails', async () => {
    const [first, last] = [await add(storing), await add(storing)];
    const claimed = { claimed_until: new Date(clock.at.getTime() + 60_000), claim_id: randomUUID() };
    await database.db
      .updateTable('job')
      .set({ ...claimed, attempts: 1 })
      .where('id', '=', first)
      .execute();
    await database.db
      .updateTable('job')
      .set({ ...claimed, attempts: 2 })
      .where('id', '=', last)
      .execute();
    jobs.start();
    jobs.trigger('storing');
    await jobs.runNow('storing', { business_id: business, id: first });
    expect(storing.attempts).toEqual([]);
    advance(60_001);
    await eventually('both have ended', async () => (await rows()).length === 0);
    expect(storing.attempts).toEqual([2]);
    expect(await words()).toEqual(['AbandonedError at last']);
  });

  it('an attempt that has lost its claim stores nothing', async () => {
    let isLost = () => {};
    const lost = new Promise<void>((resolve) => {
      isLost = resolve;
    });
    probe.attempt = async () => {
      await lost;
      return done(store('late'));
    };
    const id = await add();
    const late = jobs.runNow('probe', { business_id: business, id });
    await eventually('it is claimed', async () => (await rows())[0]?.claim_id != null);
    await database.db.updateTable('job').set({ claim_id: randomUUID() }).execute();
    isLost();
    await late;
    expect(await words()).toEqual([]);
    expect(await rows()).toHaveLength(1);
  });

  it('an attempt learns while it runs that its claim is lost', async () => {
    let signal: AbortSignal | undefined;
    probe.attempt = (job) =>
      new Promise((_resolve, reject) => {
        ({ signal } = job);
        job.signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const id = await add();
    const late = jobs.runNow('probe', { business_id: business, id });
    await eventually('it runs', async () => signal !== undefined);
    await database.db.updateTable('job').set({ claim_id: randomUUID() }).execute();
    await late;
    expect(await rows()).toMatchObject([{ reason: null, attempts: 1 }]);
  });

  it('a process that stops ends an attempt, which does not count, and is left to another', async () => {
    probe.attempt = (job) =>
      new Promise((_resolve, reject) => {
        job.signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    await add();
    jobs.start();
    await eventually('it runs', async () => probe.attempts.length === 1);
    await jobs.stop();
    expect(await rows()).toMatchObject([{ attempts: 0, claim_id: null, reason: null }]);
  });
});
