import { setTimeout as pass } from 'node:timers/promises';
import { Engine } from '../engine/engine.js';
import { killPointNames } from '../engine/kill-points.js';
import type { FaultSystem } from '../engine/system.js';
import { type DrawnFault, drawSchedule, type Step, wordsOf } from './drawn.js';

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

/** The findings of a storm. */
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

/** Runs the schedule of a seed against a system until its time is over or an invariant is broken. */
export async function runStorm(system: FaultSystem, options: StormOptions): Promise<StormReport> {
  const engine = await Engine.on(system, options);
  try {
    return await new Storm(engine, options).run();
  } finally {
    await engine.end();
  }
}

class Storm {
  readonly #startedMs = performance.now();
  readonly #report: StormReport;

  constructor(
    private readonly engine: Engine,
    private readonly options: StormOptions,
  ) {
    this.#report = {
      seed: options.seed,
      minutes: 0,
      faults: 0,
      applied: {},
      killPoints: Object.fromEntries(killPointNames(engine.system.hasStore).map((name) => [name, 0])),
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
    const { callers, owner } = this.engine;
    for (const step of steps ?? drawSchedule(seed, longestFaultMs, this.engine.system.hasStore)) {
      const words = `${step.number}. ${step.faults.map(wordsOf).join(' + ')}`;
      this.#report.schedule.push(words);
      const findings = await this.#runStep(step, words).catch((error: unknown) => [
        `the step failed: ${error instanceof Error ? error.stack : String(error)}`,
      ]);
      if (findings.length > 0 && !this.engine.isInterrupted) {
        this.#report.broken = { step: words, findings };
      }
      if (this.engine.isInterrupted || findings.length > 0 || this.#isLast(step)) {
        break;
      }
    }
    return {
      ...this.#report,
      minutes: (performance.now() - this.#startedMs) / 60_000,
      answers: callers.answers,
      refusals: callers.refusals,
      pages: owner.answers,
      credits: owner.credits,
    };
  }

  #isLast(step: Step): boolean {
    const { steps, forMs } = this.options;
    return step === steps?.at(-1) || performance.now() - this.#startedMs > forMs;
  }

  /** Applies the faults of a step under load, and checks everything after they have ended. */
  async #runStep(step: Step, words: string): Promise<string[]> {
    const { engine } = this;
    const { pauseMs, progress, stepsPerBook } = this.options;
    const { callers, owner } = engine;
    await engine.open();
    const before = { answers: callers.answers, pages: owner.answers, pagesRefused: owner.refused };
    const { healedS, findings } = await engine.underLoad({ pauseMs }, async () => {
      await Promise.all(step.faults.map((fault) => this.#runFault(fault)));
    });
    if (engine.isInterrupted || findings.length > 0) {
      return findings;
    }
    const report = this.#report;
    if (healedS > report.slowestHeal.s) {
      report.slowestHeal = { s: healedS, step: words };
    }
    if (step.faults.some(({ kind, target }) => kind === 'swallow' && target === 'postgres')) {
      report.cutPostgresHealS = Math.max(report.cutPostgresHealS, healedS);
    }
    progress(`${words}: healed in ${healedS.toFixed(1)} s`);
    progress(
      `   ${callers.answers - before.answers} answers, refused: ${JSON.stringify(callers.refusedWith)}; ${owner.answers - before.pages} pages, refused: ${owner.refused - before.pagesRefused}`,
    );
    findings.push(...(await engine.check()));
    if (this.#isLast(step) || step.number % stepsPerBook === 0) {
      findings.push(...(await engine.close()));
      progress('   the books are verified');
    }
    return findings;
  }

  /** Applies a fault, waits and ends it. */
  async #runFault(fault: DrawnFault): Promise<void> {
    const heal = await this.engine.apply(fault);
    const report = this.#report;
    if (heal === null) {
      report.notApplied += 1;
      return;
    }
    report.faults += 1;
    report.applied[fault.kind] = (report.applied[fault.kind] ?? 0) + 1;
    const { signal } = this.options;
    await pass(fault.forMs, undefined, signal && { signal }).catch(() => undefined);
    await heal();
    if (fault.kind === 'kill at') {
      report.killPoints[fault.target] = (report.killPoints[fault.target] ?? 0) + 1;
    }
  }
}
