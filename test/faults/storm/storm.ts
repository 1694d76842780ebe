import { setTimeout as pass } from 'node:timers/promises';
import type { BusinessChange } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { sendsMail } from '../../running-stack.js';
import { Operator } from '../../properties/operator.js';
import { Callers, type StormBusiness } from './callers.js';
import { Baseline, checkBook, checkOutside, checkSent, checkVerified } from './checks.js';
import { applyFault, type Heal } from './faults.js';
import { drawSchedule, type Fault, type Step, wordsOf } from './schedule.js';
import type { StormSystem } from './storm-system.js';

/** How a storm runs. */
export interface StormOptions {
  seed: number;
  forMs: number;
  /** How long a fault lasts at most. */
  longestFaultMs: number;
  /** After how many steps the stored data are verified; the books are new after that. */
  stepsPerBook: number;
  progress: (text: string) => void;
  /** Ends the storm after the current step. */
  signal?: AbortSignal;
}

/** What a storm found. */
export interface StormReport {
  seed: number;
  minutes: number;
  faults: number;
  /** By name. */
  applied: Record<string, number>;
  /** Faults that this machine does not allow. */
  notApplied: number;
  answers: number;
  refusals: number;
  /** From the end of a PostgreSQL that was cut off until every request is served; the longest. */
  cutPostgresHealS: number;
  slowestHeal: { s: number; step: string };
  /** Of the step that broke an invariant first; none where all held. */
  broken: { step: string; findings: string[] } | null;
  schedule: string[];
}

/** Served in a row, requests show that the system has healed. */
const servedInARow = 16;
const healWithinMs = 60_000;
const calmMs = 1_000;

const dealer: readonly DocumentType[] = [
  'quote',
  'order',
  'delivery_note',
  'return_note',
  'proforma',
  'tax_invoice',
  'tax_invoice',
  'tax_invoice_receipt',
  'receipt',
  'credit_note',
];
const both: BusinessChange['auto_send'] = { enabled: true, channel: 'both', quiet_hours: null };
/** Five businesses: with and without allocation numbers and messages, and one that issues donation receipts. */
const settings: readonly { change: BusinessChange; types: readonly DocumentType[] }[] = [
  { change: { ...sendsMail, tax_authority_connected: true }, types: dealer },
  { change: { auto_send: both, tax_authority_connected: true }, types: dealer },
  { change: { ...sendsMail, accountant_copy: { enabled: true, email: 'accountant@example.com' } }, types: dealer },
  { change: {}, types: ['tax_invoice'] },
  { change: { legal_type: 'amuta', ...sendsMail }, types: ['donation_receipt', 'receipt', 'quote'] },
];

/** Runs the schedule of a seed against a system until its time is over or an invariant is broken. */
export async function runStorm(system: StormSystem, options: StormOptions): Promise<StormReport> {
  const { seed, forMs, progress, signal } = options;
  const startedMs = performance.now();
  const report: StormReport = {
    seed,
    minutes: 0,
    faults: 0,
    applied: {},
    notApplied: 0,
    answers: 0,
    refusals: 0,
    cutPostgresHealS: 0,
    slowestHeal: { s: 0, step: '' },
    broken: null,
    schedule: [],
  };
  const callers = new Callers(system.stack, (await system.stack.file()).base_url, seed);
  const baseline = new Baseline();
  let businesses: StormBusiness[] = [];
  const isOver = () => signal?.aborted || performance.now() - startedMs > forMs;
  try {
    for (const step of drawSchedule(seed, options.longestFaultMs)) {
      if (businesses.length === 0) {
        businesses = await newBusinesses(system);
      }
      const words = `${step.number}. ${step.faults.map(wordsOf).join(' + ')}`;
      report.schedule.push(words);
      const findings = await runStep(system, step, { callers, businesses, report, words });
      const known = businesses.map(({ issuer }) => callers.known.get(issuer.business.id) ?? []);
      for (const [index, business] of businesses.entries()) {
        findings.push(...(await checkBook(system, business, known[index] ?? [])));
      }
      findings.push(...(await checkSent(system)));
      findings.push(...(await checkOutside(system, known.flat())));
      findings.push(...(await baseline.check(system)));
      const isLast = isOver();
      if (isLast || step.number % options.stepsPerBook === 0) {
        findings.push(...(await checkVerified(system, businesses)));
        progress(`   ${known.flat().length} documents verified`);
        businesses = [];
        callers.known.clear();
      }
      findings.push(...callers.findings.splice(0));
      if (findings.length > 0) {
        report.broken = { step: words, findings };
        break;
      }
      if (isLast) {
        break;
      }
    }
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report.broken = { step: report.schedule.at(-1) ?? 'start', findings: [`not healed: ${text}`] };
  } finally {
    await callers.end();
  }
  report.minutes = (performance.now() - startedMs) / 60_000;
  report.answers = callers.answers;
  report.refusals = callers.refusals;
  return report;

  async function runStep(
    _system: StormSystem,
    step: Step,
    context: { callers: Callers; businesses: StormBusiness[]; report: StormReport; words: string },
  ): Promise<string[]> {
    const { words } = context;
    callers.allowanceMs = step.faults.some(isFrozenGateway)
      ? Math.max(...step.faults.map((one) => one.forMs)) + 5_000
      : 0;
    callers.resume(businesses);
    await pass(calmMs);
    const before = { answers: callers.answers, refusals: callers.refusals };
    const heals = await Promise.all(step.faults.map((fault) => runFault(fault)));
    const healedMs = performance.now();
    const findings = heals.flat();
    const end = healedMs + healWithinMs;
    while (callers.served.inARow < servedInARow || callers.served.sinceMs < healedMs) {
      if (performance.now() > end) {
        findings.push(`I10: requests are not served ${healWithinMs / 1_000} s after the end of the faults`);
        break;
      }
      await pass(50);
    }
    const healS = Math.max(0, (callers.served.sinceMs - healedMs) / 1_000);
    if (healS > report.slowestHeal.s) {
      report.slowestHeal = { s: healS, step: words };
    }
    if (step.faults.some(({ kind, target }) => kind === 'swallow' && target === 'postgres')) {
      report.cutPostgresHealS = Math.max(report.cutPostgresHealS, healS);
    }
    await callers.settle();
    const answers = callers.answers - before.answers;
    const refusals = callers.refusals - before.refusals;
    progress(`${words}: healed in ${healS.toFixed(1)} s, ${answers} answers, ${refusals} refused`);
    return findings;
  }

  /** Applies a fault, waits and ends it. */
  async function runFault(fault: Fault): Promise<string[]> {
    const heal: Heal | null = await applyFault(system, fault);
    if (heal === null) {
      report.notApplied += 1;
      return [];
    }
    report.faults += 1;
    report.applied[fault.kind] = (report.applied[fault.kind] ?? 0) + 1;
    await pass(fault.forMs);
    await heal();
    return [];
  }

  function isFrozenGateway({ kind, target }: Fault): boolean {
    return kind === 'stop' && target.startsWith('gateway');
  }
}

async function newBusinesses(system: StormSystem): Promise<StormBusiness[]> {
  const operator = await Operator.at(system.stack);
  try {
    const businesses: StormBusiness[] = [];
    for (const { change, types } of settings) {
      businesses.push({ issuer: await operator.newIssuer(change), types });
    }
    return businesses;
  } finally {
    await operator.close();
  }
}
