import { describe, expect, it } from '@jest/globals';
import type { Check, ProcessDiagnosis, ServiceName } from '@pinkas/contracts';
import { softwareVersion } from '@pinkas/domain';
import { run } from '../../test/run.js';
import type { CallEach } from '../builder/command.js';
import { RefusalError } from '../builder/usage-error.js';

interface Report {
  ok: boolean;
  counts: Record<Check['state'], number>;
  checks: (Check & { processes: string[] })[];
}

type Asked = { replies: Partial<ProcessDiagnosis>[]; silent?: number };

const ready = (service: ServiceName): Check => ({
  ...{ area: 'processes', subject: service, state: 'ok', finding: 'is ready', remedy: null },
});
const setting = (subject: string, finding: string): Check => ({
  ...{ area: 'configuration', subject, state: 'ok', finding, remedy: null },
});

/** Runs `pinkas doctor` on processes that reply at once; each service has one, or those of `changed`. */
async function doctor(changed: Partial<Record<ServiceName, Asked>> = {}, words = {}) {
  const callEach = (async ({ owner }: { owner: ServiceName }) => {
    const { replies, silent = 0 } = changed[owner] ?? { replies: [{}] };
    const now = new Date();
    const reply = (change: Partial<ProcessDiagnosis>, index: number) => ({
      sentAt: now,
      receivedAt: now,
      reply: {
        host: `pod-${index}`,
        pid: 1,
        version: softwareVersion,
        received_at: now.toISOString(),
        replied_at: now.toISOString(),
        database_ahead_ms: 0,
        checks: [ready(owner)],
        ...change,
      },
    });
    return { replies: replies.map(reply), silent };
  }) as unknown as CallEach;
  const { text, json, failure } = await run('doctor', words, {}, callEach).output;
  const report = json as Report;
  const lineOf = (subject: string) => report.checks.filter((check) => check.subject === subject);
  return { text, report, failure, lineOf };
}

const ahead = (ms: number): Partial<ProcessDiagnosis> => {
  const at = new Date(Date.now() + ms).toISOString();
  return { received_at: at, replied_at: at };
};
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('pinkas doctor', () => {
  it('a system whose checks are all ok is ok, and each line has its state, subject and finding', async () => {
    const { text, report, failure } = await doctor({}, { 'backup-at': hoursAgo(3) });
    expect(failure).toBeUndefined();
    expect(report).toMatchObject({ ok: true, counts: { warning: 0, failure: 0 } });
    expect(text).toMatch(/^ok {11}gateway {6}is ready$/m);
    expect(text).toMatch(/\n\n\d+ ok, 0 warnings, 0 failures, \d not checked$/);
  });

  it('a service without a process, and a process that does not reply, are failures with what to do', async () => {
    const { text, failure, lineOf } = await doctor({
      delivery: { replies: [] },
      issuing: { replies: [{}], silent: 1 },
    });
    expect(lineOf('delivery')).toMatchObject([{ state: 'failure', finding: 'no process answers' }]);
    expect(lineOf('issuing')).toMatchObject([
      { state: 'failure', finding: '1 process takes requests and does not answer in time' },
      { state: 'ok' },
    ]);
    expect(text).toContain(
      '\n             → Start it, or complete the upgrade to this version: docs/runbooks/',
    );
    expect(failure).toBe('2 checks have failed: the report states what to do');
  });

  it('the same finding of several processes is one line, and one that only some have names them', async () => {
    const disabled: Check = { ...setting('HTTP API', 'is disabled'), state: 'warning', remedy: 'enable it' };
    const enabled = setting('HTTP API', 'is enabled');
    const { lineOf } = await doctor({
      gateway: { replies: [{ checks: [enabled] }, { checks: [enabled] }, { checks: [disabled] }] },
    });
    expect(lineOf('HTTP API')).toMatchObject([
      { state: 'ok', processes: ['gateway on pod-0 (1)', 'gateway on pod-1 (1)'] },
      { state: 'warning', finding: 'is disabled (gateway on pod-2 (1))' },
    ]);
  });

  it('a setting that two services have with two values is a failure, and figures that differ are not', async () => {
    const of = (size: string, url: string): Asked => ({
      replies: [{ checks: [setting('stream EVT_ISSUING', size), setting('VIEW_URL_BASE', url)] }],
    });
    const { lineOf } = await doctor({
      gateway: of('7 events', 'https://a'),
      rendering: of('8 events', 'https://b'),
    });
    expect(lineOf('stream EVT_ISSUING')).toMatchObject([{ state: 'ok', finding: '7 events' }]);
    expect(lineOf('VIEW_URL_BASE')).toMatchObject([
      { state: 'ok', finding: 'https://a (gateway)' },
      { state: 'ok', finding: 'https://b (rendering)' },
      { state: 'failure', finding: 'is not the same everywhere: gateway / rendering' },
    ]);
  });

  it.each([
    ['ahead', 5_000, 'warning'],
    ['behind', -40_000, 'failure'],
  ])('a clock that is %s is a line of its own, by how far it is off', async (word, ms, state) => {
    const { lineOf } = await doctor({ customer: { replies: [ahead(ms)] } });
    const [line] = lineOf('clock of customer on pod-0 (1)');
    expect(line).toMatchObject({ state });
    const [, found, of] = /^is (\d+) ms (\w+)$/.exec(line?.finding ?? '') ?? [];
    expect([of, Math.abs(Number(found) - Math.abs(ms)) < 1_000]).toEqual([word, true]);
    expect(lineOf('clocks')).toEqual([]);
  });

  it('a clock of a database that issuing refuses is a failure, and elsewhere a warning', async () => {
    const late = { replies: [{ database_ahead_ms: -2_500 }] };
    const { lineOf } = await doctor({ issuing: late, customer: late });
    expect(lineOf('clock of the database of issuing on pod-0 (1)')).toMatchObject([{ state: 'failure' }]);
    expect(lineOf('clock of the database of customer on pod-0 (1)')).toMatchObject([
      { state: 'warning', finding: 'is 2500 ms behind' },
    ]);
  });

  it('the clock of this machine is named where all processes differ alike', async () => {
    const all = { replies: [ahead(60_000)] };
    const { report, lineOf } = await doctor({
      ...{ gateway: all, issuing: all, customer: all, rendering: all },
      ...{ allocation: all, delivery: all, console: all },
    });
    expect(lineOf('clock of this command')).toMatchObject([{ state: 'failure' }]);
    expect(report.counts.failure).toBe(1);
  });

  it('a process of another version is a warning that names it', async () => {
    const { lineOf, failure } = await doctor({ console: { replies: [{}, { version: '0.2.9' }] } });
    expect(failure).toBeUndefined();
    expect(lineOf('versions')).toMatchObject([
      { state: 'warning', finding: expect.stringContaining('0.2.9: console on pod-1 (1)') },
    ]);
  });

  it.each([
    [undefined, 'not_checked'],
    ['', 'failure'],
    [hoursAgo(3), 'ok'],
    [hoursAgo(30), 'warning'],
    [hoursAgo(60), 'failure'],
    [hoursAgo(-5), 'failure'],
  ])('a last base backup at %p has a line that is %s', async (at, state) => {
    const { lineOf } = await doctor({}, { 'backup-at': at });
    expect(lineOf('base backup')).toMatchObject([{ state }]);
  });

  it('a backup that is no instant is a wrong command line', async () => {
    await expect(doctor({}, { 'backup-at': 'yesterday' })).rejects.toThrow(
      '--backup-at takes an instant such as 2026-11-27T01:00:00Z, not "yesterday"',
    );
  });

  it('the switch --problems leaves out what is ok, and counts it', async () => {
    const { text, report } = await doctor({ delivery: { replies: [] } }, { problems: true });
    expect(report.checks.some(({ state }) => state === 'ok')).toBe(false);
    expect(text).toMatch(/\d+ ok, 0 warnings, 1 failure, \d not checked$/);
  });

  it('a system that cannot be reached is a failure, and nothing is called ok', async () => {
    const callEach = () =>
      Promise.reject(new RefusalError('NATS does not answer at nats://n:4222: check NATS_URL'));
    const { json, failure } = await run('doctor', {}, {}, callEach).output;
    const { checks, counts } = json as Report;
    expect(checks).toContainEqual(
      expect.objectContaining({
        ...{ subject: 'NATS', state: 'failure', remedy: 'Check NATS_URL' },
        finding: 'NATS does not answer at nats://n:4222',
      }),
    );
    expect([counts.ok, failure]).toEqual([0, '1 check has failed: the report states what to do']);
  });
});
