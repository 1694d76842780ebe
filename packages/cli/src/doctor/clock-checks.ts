import type { Check } from '@pinkas/contracts';
import { type AskedService, type DiagnosedProcess, processesOf } from './asked-service.js';

const warningMs = 1_000;
const failureMs = 30_000;
/** Issuing refuses documents from here on (docs/runbooks/clock-wrong.md). */
const refusedMs = 2_000;
const runbook = 'docs/runbooks/clock-wrong.md';

/** Compares the clock of each process with that of this command, and with that of its database. */
export function clockChecks(asked: readonly AskedService[]): Check[] {
  const processes = processesOf(asked);
  const base = { area: 'clocks', subject: 'clocks' };
  if (processes.length === 0) {
    return [{ ...base, state: 'not_checked', finding: 'no process answers', remedy: null }];
  }
  const ahead = processes.map((process) => ({ process, ms: aheadMs(process) }));
  const sameForAll = differenceOfAll(ahead.map(({ ms }) => ms));
  const found = [
    ...(sameForAll === null
      ? ahead.flatMap(({ process: { source }, ms }) =>
          clockCheck(`clock of ${source.process}`, ms, failureMs),
        )
      : [ownClockCheck(sameForAll)]),
    ...processes.flatMap(databaseCheck),
  ];
  const finding = `${processes.length} processes and their databases have the time of this command`;
  return found.length > 0 ? found : [{ ...base, state: 'ok', finding, remedy: null }];
}

/**
 * How far the clock of a process is ahead at least; negative where it is behind: it received after this command had sent, and
 * replied before this command received.
 */
export function aheadMs({ diagnosis, sentAt, receivedAt }: DiagnosedProcess): number {
  const most = Date.parse(diagnosis.received_at) - sentAt.getTime();
  const least = Date.parse(diagnosis.replied_at) - receivedAt.getTime();
  if (most < 0) {
    return most;
  }
  return least > 0 ? least : 0;
}

/** Where all processes differ alike, the clock of this command is wrong. */
function differenceOfAll(differences: readonly number[]): number | null {
  const [least, most] = [Math.min(...differences), Math.max(...differences)];
  const isWrong =
    differences.length > 1 &&
    most - least <= warningMs &&
    Math.min(Math.abs(least), Math.abs(most)) > warningMs;
  return isWrong && Math.sign(least) === Math.sign(most) ? least : null;
}

const ownClockCheck = (ms: number): Check => ({
  area: 'clocks',
  subject: 'clock of this command',
  state: Math.abs(ms) > failureMs ? 'failure' : 'warning',
  finding: `is ${Math.abs(Math.round(ms))} ms ${ms > 0 ? 'behind' : 'ahead of'} those of all processes`,
  remedy: `Correct the clock of this machine, or that of all others: ${runbook}`,
});

function clockCheck(subject: string, ms: number, failsBeyondMs: number): Check[] {
  if (Math.abs(ms) <= warningMs) {
    return [];
  }
  const finding = `is ${Math.abs(Math.round(ms))} ms ${ms > 0 ? 'ahead' : 'behind'}`;
  const state = Math.abs(ms) > failsBeyondMs ? 'failure' : 'warning';
  return [
    {
      area: 'clocks',
      subject,
      state,
      finding,
      remedy: `Correct the time service of its machine: ${runbook}`,
    },
  ];
}

function databaseCheck({ source, diagnosis }: DiagnosedProcess): Check[] {
  const { database_ahead_ms: ms } = diagnosis;
  // That the database does not answer is a line of its own.
  return ms === null
    ? []
    : clockCheck(
        `clock of the database of ${source.process}`,
        ms,
        source.service === 'issuing' ? refusedMs : failureMs,
      );
}
