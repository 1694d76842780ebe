import { statfs } from 'node:fs/promises';
import { type Check, diagnosing, type ServiceName, serviceNames } from '@pinkas/contracts';
import { softwareVersion } from '@pinkas/domain';
import type { Kind } from '../builder/arguments.js';
import type { CallEach, Command } from '../builder/command.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { localHome } from '../config.js';
import { type AskedService, processesOf } from './asked-service.js';
import { clockChecks } from './clock-checks.js';
import { countsOf, linesOf, reportOf, type SourcedCheck } from './report.js';

const serverRunbook = 'docs/runbooks/server-unreachable.md';
const hourMs = 3_600_000;
/** A base backup is made each night: one that is late, and one that was missed. */
const backupLateHours = 26;
const backupMissedHours = 50;
/** Of the disk of a local system, that is free. */
const freeShareMin = 0.2;
const freeBytesMin = 1024 ** 3;

/** An instant; an empty text: there is none. */
const instantOrNone: Kind<Date | null> = {
  read: (text, name) => {
    if (text.trim() === '') {
      return null;
    }
    const at = new Date(text);
    if (Number.isNaN(at.getTime())) {
      throw new UsageError(`--${name} takes an instant such as 2026-11-27T01:00:00Z, not "${text}"`);
    }
    return at;
  },
};

/** `pinkas doctor` */
export const doctorCommands: readonly Command[] = [
  verb('doctor', {
    summary:
      'checks the system: configuration, clocks, databases, backups, streams, certificates, tax authority, mail, versions',
    options: {
      'backup-at': {
        value: 'INSTANT',
        meaning: 'when the last base backup was completed, which no service can know; empty: there is none',
        kind: instantOrNone,
      },
      problems: { value: null, meaning: 'prints only the lines that are not ok' },
    },
    run: async ({ 'backup-at': backupAt, problems }, _call, progress, callEach) => {
      progress.show('waiting for the checks of all processes');
      const checkedAt = new Date();
      const checks = [
        ...(await servicesChecks(callEach)),
        own(backupCheck(backupAt, checkedAt)),
        own(await diskCheck(localHome())),
      ];
      const all = linesOf(checks);
      const counts = countsOf(all);
      const lines = problems ? all.filter(({ state }) => state !== 'ok') : all;
      const failed = counts.failure;
      return {
        json: {
          ok: failed === 0,
          checked_at: checkedAt.toISOString(),
          version: softwareVersion,
          counts,
          checks: lines,
        },
        text: reportOf(lines, counts),
        ...(failed > 0 && {
          failure: `${failed} ${failed === 1 ? 'check has' : 'checks have'} failed: the report states what to do`,
        }),
      };
    },
  }),
];

const own = (check: Check): SourcedCheck => ({ check });

/** What the services report, and what a comparison of their processes shows; one failure where the system cannot be reached. */
async function servicesChecks(callEach: CallEach): Promise<SourcedCheck[]> {
  const ask = async (service: ServiceName): Promise<AskedService> => ({
    service,
    ...(await callEach(diagnosing[service].diagnoseProcess, {})),
  });
  try {
    const asked = await Promise.all(serviceNames.map(ask));
    return [
      ...asked.flatMap((each) => presenceChecks(each).map(own)),
      own(versionCheck(asked)),
      ...clockChecks(asked).map(own),
      ...processesOf(asked).flatMap(({ source, diagnosis }) =>
        diagnosis.checks.map((check) => ({ check, source })),
      ),
    ];
  } catch (error) {
    if (!(error instanceof RefusalError)) {
      throw error;
    }
    const parts = error.message.split(': ');
    const remedy = parts.length > 1 ? parts.at(-1) : undefined;
    return [
      own({
        area: 'processes',
        subject: 'NATS',
        state: 'failure',
        finding: remedy === undefined ? error.message : parts.slice(0, -1).join(': '),
        remedy: remedy === undefined ? serverRunbook : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`,
      }),
      own({
        area: 'processes',
        subject: 'all services',
        state: 'not_checked',
        finding: 'they are reached through NATS',
        remedy: null,
      }),
    ];
  }
}

function presenceChecks({ service, replies, silent }: AskedService): Check[] {
  const remedy = 'docs/runbooks/service-down.md';
  const base = { area: 'processes', subject: service, state: 'failure' as const };
  const those =
    silent === 1 ? '1 process takes requests and does' : `${silent} processes take requests and do`;
  return [
    ...(silent > 0
      ? [
          {
            ...base,
            finding: `${those} not answer in time`,
            remedy: `Look at its log, and restart it: ${remedy}`,
          },
        ]
      : []),
    ...(silent === 0 && replies.length === 0
      ? [
          {
            ...base,
            finding: 'no process answers',
            remedy: `Start it, or complete the upgrade to this version: ${remedy}`,
          },
        ]
      : []),
  ];
}

function versionCheck(asked: readonly AskedService[]): Check {
  const base = { area: 'versions', subject: 'versions' };
  const processes = processesOf(asked);
  const others = processes.filter(({ diagnosis: { version } }) => version !== softwareVersion);
  if (processes.length === 0) {
    return { ...base, state: 'not_checked', finding: 'no process answers', remedy: null };
  }
  if (others.length === 0) {
    const finding = `all ${processes.length} processes and this command have ${softwareVersion}`;
    return { ...base, state: 'ok', finding, remedy: null };
  }
  const named = others.map(({ source, diagnosis: { version } }) => `${version}: ${source.process}`);
  return {
    ...base,
    state: 'warning',
    finding: `this command has ${softwareVersion}, and others have ${named.join(', ')}`,
    remedy: 'Complete the upgrade, and use the command of the same release: docs/operating/upgrade.md',
  };
}

function backupCheck(at: Date | null | undefined, now: Date): Check {
  const page = 'docs/operating/backup-and-restore.md';
  const base = { area: 'backups', subject: 'base backup' };
  if (at === undefined) {
    return {
      ...base,
      state: 'not_checked',
      finding: 'no service knows when the last one was completed',
      remedy: `Name it with --backup-at: ${page}`,
    };
  }
  if (at === null) {
    return { ...base, state: 'failure', finding: 'there is none', remedy: `Make one now: ${page}` };
  }
  const hours = Math.floor((now.getTime() - at.getTime()) / hourMs);
  const finding = `the last was completed at ${at.toISOString()}, ${hours} h ago`;
  if (hours < 0) {
    return {
      ...base,
      state: 'failure',
      finding: `${finding}: that is in the future`,
      remedy: 'Correct --backup-at',
    };
  }
  if (hours < backupLateHours) {
    return { ...base, state: 'ok', finding, remedy: null };
  }
  const state = hours < backupMissedHours ? 'warning' : 'failure';
  return { ...base, state, finding, remedy: `Look why it is late, and make one now: ${page}` };
}

/** @param home the folder of a local system; null: the system is elsewhere. */
async function diskCheck(home: string | null): Promise<Check> {
  const base = { area: 'disks', subject: 'disks' };
  if (home === null) {
    return {
      ...base,
      state: 'not_checked',
      finding: 'a service does not see the disks of PostgreSQL and NATS',
      remedy: 'The alert PinkasDatabaseDiskFull watches them; df in their pods: docs/runbooks/disk-full.md',
    };
  }
  try {
    const { bavail, blocks, bsize } = await statfs(home);
    const share = bavail / blocks;
    const finding = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB (${(share * 100).toFixed(0)} %) are free at ${home}`;
    if (bavail * bsize < freeBytesMin) {
      return { ...base, state: 'failure', finding, remedy: 'Free some room: docs/runbooks/disk-full.md' };
    }
    return share < freeShareMin
      ? { ...base, state: 'warning', finding, remedy: 'Free some room: docs/runbooks/disk-full.md' }
      : { ...base, state: 'ok', finding, remedy: null };
  } catch (error) {
    const finding = `${home} cannot be read: ${(error as Error).message}`;
    return { ...base, state: 'not_checked', finding, remedy: 'Set PINKAS_HOME to the folder of the system' };
  }
}
