import { setTimeout as pass } from 'node:timers/promises';
import type { BusinessChange } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { Operator } from '../../harness/operator.js';
import { sendsMail } from '../../harness/running-stack.js';
import { Callers, type StormBusiness } from './callers.js';
import { Baseline, checkBook, checkLogs, checkOutside, checkSent, checkVerified } from './checks.js';
import { ConsoleOwner } from './console-owner.js';
import { applyFault } from './faults.js';
import { killPointNames } from './kill-points.js';
import { drawSchedule, type Fault, type Step, wordsOf } from './schedule.js';
import type { StormSystem } from './storm-system.js';

/** How a storm runs. */
export interface StormOptions {
  seed: number;
  /** In place of what the seed draws. */
  steps?: readonly Step[];
  /** It ends after the step in which this is over, or after the last of its steps. */
  forMs: number;
  /** How long a fault lasts at most. */
  longestFaultMs: number;
  /** How long each of the eight callers pauses between two requests, on average. */
  pauseMs: number;
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
  /** How often a process died at each kill point. */
  killPoints: Record<string, number>;
  /** Faults that this machine does not allow. */
  notApplied: number;
  answers: number;
  refusals: number;
  /** Answers of the console, and the invoices that were credited there. */
  pages: number;
  credits: number;
  /** From the end of a PostgreSQL that was cut off until every request is served; the longest. */
  cutPostgresHealS: number;
  slowestHeal: { s: number; step: string };
  /** Of the step that broke an invariant first; none where all held. */
  broken: { step: string; findings: string[] } | null;
  schedule: string[];
}

/** The figures of a storm that are compared from release to release. */
export const figuresOf = ({ minutes, faults, broken, cutPostgresHealS }: StormReport) => ({
  storm_minutes: Math.round(minutes * 100) / 100,
  storm_faults: faults,
  storm_broken_invariants: broken?.findings.length ?? 0,
  cut_postgres_heal_s: Math.round(cutPostgresHealS * 100) / 100,
});

/** Served in a row, requests show that the system has healed. */
const servedInARow = 16;
/** An upper bound for a machine that is busy; `npm run bench -- storm` measures how soon it is. */
const healWithinMs = 120_000;
const calmMs = 1_000;
const probeMs = 50;
/** An answer of a process that was stopped comes so long after it goes on at most. */
const frozenAllowanceMs = 5_000;

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
  {
    change: { ...sendsMail, accountant_copy: { enabled: true, email: 'accountant@example.com' } },
    types: dealer,
  },
  { change: {}, types: ['tax_invoice'] },
  { change: { legal_type: 'amuta', ...sendsMail }, types: ['donation_receipt', 'receipt', 'quote'] },
];

/** Runs the schedule of a seed against a system until its time is over or an invariant is broken. */
export async function runStorm(system: StormSystem, options: StormOptions): Promise<StormReport> {
  const { base_url, console_url } = await system.stack.file();
  const callers = new Callers(system, base_url, options.seed, options.pauseMs);
  const owner = new ConsoleOwner(system, console_url, options.seed, options.pauseMs);
  const end = async () => void (await Promise.all([callers.end(), owner.end()]));
  const storm = new Storm(system, options, callers, owner);
  options.signal?.addEventListener('abort', () => void end(), { once: true });
  try {
    return await storm.run();
  } finally {
    await end();
  }
}

class Storm {
  readonly #startedMs = performance.now();
  readonly #baseline = new Baseline();
  readonly #report: StormReport;
  #businesses: readonly StormBusiness[] = [];

  constructor(
    private readonly system: StormSystem,
    private readonly options: StormOptions,
    private readonly callers: Callers,
    private readonly owner: ConsoleOwner,
  ) {
    this.#report = {
      seed: options.seed,
      minutes: 0,
      faults: 0,
      applied: {},
      killPoints: Object.fromEntries(killPointNames.map((name) => [name, 0])),
      notApplied: 0,
      answers: 0,
      refusals: 0,
      pages: 0,
      credits: 0,
      cutPostgresHealS: 0,
      slowestHeal: { s: 0, step: '' },
      broken: null,
      schedule: [],
    };
  }

  async run(): Promise<StormReport> {
    const { seed, steps, longestFaultMs } = this.options;
    for (const step of steps ?? drawSchedule(seed, longestFaultMs)) {
      const words = `${step.number}. ${step.faults.map(wordsOf).join(' + ')}`;
      this.#report.schedule.push(words);
      const findings = await this.#runStep(step, words).catch((error: unknown) => [
        `the step failed: ${error instanceof Error ? error.stack : String(error)}`,
      ]);
      if (this.#isInterrupted) {
        break;
      }
      if (findings.length > 0) {
        this.#report.broken = { step: words, findings };
        break;
      }
      if (this.#isLast(step)) {
        break;
      }
    }
    const minutes = (performance.now() - this.#startedMs) / 60_000;
    return {
      ...this.#report,
      minutes,
      answers: this.callers.answers,
      refusals: this.callers.refusals,
      pages: this.owner.answers,
      credits: this.owner.credits,
    };
  }

  #isLast(step: Step): boolean {
    const { steps, forMs } = this.options;
    return step === steps?.at(-1) || performance.now() - this.#startedMs > forMs;
  }

  get #isInterrupted(): boolean {
    return this.options.signal?.aborted ?? false;
  }

  /** Applies the faults of a step under load, and checks everything after they have ended. */
  async #runStep(step: Step, words: string): Promise<string[]> {
    const { callers, options, owner, system } = this;
    if (this.#businesses.length === 0) {
      this.#businesses = await newBusinesses(system);
      const [first] = this.#businesses as [StormBusiness];
      await owner.own(first, () => callers.known.get(first.issuer.business.id) ?? []);
    }
    callers.allowanceMs = frozenMsOf(step, 'gateway');
    owner.allowanceMs = frozenMsOf(step, 'console');
    const before = { answers: callers.answers, pages: owner.answers, pagesRefused: owner.refused };
    callers.resume(this.#businesses);
    owner.resume();
    await pass(calmMs);
    await Promise.all(step.faults.map((fault) => this.#runFault(fault)));
    const findings = await this.#awaitHealed(step, words);
    if (this.#isInterrupted || findings.length > 0) {
      return findings;
    }
    await callers.settle();
    await owner.settle();
    if (this.#isInterrupted) {
      return [];
    }
    options.progress(
      `   ${callers.answers - before.answers} answers, refused: ${JSON.stringify(callers.refusedWith)}; ${owner.answers - before.pages} pages, refused: ${owner.refused - before.pagesRefused}`,
    );
    findings.push(...(await this.#check()));
    if (this.#isLast(step) || step.number % options.stepsPerBook === 0) {
      findings.push(...(await checkVerified(system, this.#businesses)));
      findings.push(...(await this.#baseline.checkProcesses(system)), ...(await checkLogs(system)));
      options.progress(`   ${[...callers.known.values()].flat().length} documents verified`);
      this.#businesses = [];
      callers.known.clear();
    }
    return findings;
  }

  /** Applies a fault, waits and ends it. */
  async #runFault(fault: Fault): Promise<void> {
    const heal = await applyFault(this.system, fault);
    if (heal === null) {
      this.#report.notApplied += 1;
      return;
    }
    this.#report.faults += 1;
    this.#report.applied[fault.kind] = (this.#report.applied[fault.kind] ?? 0) + 1;
    const { signal } = this.options;
    await pass(fault.forMs, undefined, signal && { signal }).catch(() => undefined);
    await heal();
    const { killPoints } = this.#report;
    if (fault.kind === 'kill at') {
      killPoints[fault.target] = (killPoints[fault.target] ?? 0) + 1;
    }
  }

  /** Waits until requests are served again, one after the other. */
  async #awaitHealed(step: Step, words: string): Promise<string[]> {
    const endedMs = performance.now();
    const { callers } = this;
    const withinMs = healWithinMs * this.system.patience;
    // What was served during a fault that refused nothing shows no healing.
    callers.served = { inARow: 0, sinceMs: endedMs };
    while (callers.served.inARow < servedInARow) {
      if (this.#isInterrupted) {
        return [];
      }
      if (performance.now() > endedMs + withinMs) {
        return [
          `I10: requests are not served ${withinMs / 1_000} s after the end of the faults: ${JSON.stringify(callers.refusedWith)}`,
        ];
      }
      await pass(probeMs);
    }
    const s = Math.max(0, (callers.served.sinceMs - endedMs) / 1_000);
    const report = this.#report;
    if (s > report.slowestHeal.s) {
      report.slowestHeal = { s, step: words };
    }
    if (step.faults.some(({ kind, target }) => kind === 'swallow' && target === 'postgres')) {
      report.cutPostgresHealS = Math.max(report.cutPostgresHealS, s);
    }
    this.options.progress(`${words}: healed in ${s.toFixed(1)} s`);
    return [];
  }

  async #check(): Promise<string[]> {
    const { callers, owner, system } = this;
    const findings: string[] = [];
    for (const [index, business] of this.#businesses.entries()) {
      const known = callers.known.get(business.issuer.business.id) ?? [];
      findings.push(
        ...(await checkBook(system, business, known, index === 0 ? owner.credited : new Set<string>())),
      );
    }
    findings.push(...(await checkSent(system)));
    findings.push(...(await checkOutside(system, [...callers.known.values()].flat())));
    findings.push(...(await this.#baseline.checkServers(system)));
    return [...findings, ...callers.findings.splice(0), ...owner.findings.splice(0)];
  }
}

/** How much longer an answer may take while a replica of a service is stopped. */
function frozenMsOf(step: Step, service: string): number {
  const frozen = step.faults.filter(({ kind, target }) => kind === 'stop' && target.startsWith(service));
  return Math.max(0, ...frozen.map(({ forMs }) => forMs + frozenAllowanceMs));
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
