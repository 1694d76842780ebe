import { setTimeout as pass } from 'node:timers/promises';
import type { BusinessChange } from '@pinkas/contracts';
import type { DocumentType } from '@pinkas/domain';
import { Operator } from '../../harness/operator.js';
import { sendsMail } from '../../harness/running-stack.js';
import { type BookedBusiness, Callers } from './callers.js';
import {
  Baseline,
  checkBook,
  checkHandled,
  checkLogs,
  checkNumbers,
  checkOutside,
  checkSent,
  checkVerified,
} from './checks.js';
import { ConsoleOwner } from './console-owner.js';
import { EventReceiver } from './event-receiver.js';
import { applyFault, type Fault, type Heal } from './faults.js';
import type { FaultSystem } from './system.js';

/** Served in a row, requests show that the system has healed. */
const servedInARow = 16;
/** An upper bound for a machine that is busy; `npm run storm` measures how soon it is. */
const healWithinMs = 120_000;
/** An answer of a process that was stopped comes so long after it goes on at most. */
const frozenAllowanceMs = 5_000;
const calmMs = 1_000;
const probeMs = 50;

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
/** Five businesses: with and without allocation numbers, messages and webhooks, and one that reports its donations. */
const settings: readonly { change: BusinessChange; types: readonly DocumentType[]; hasEndpoint?: true }[] = [
  { change: { ...sendsMail, tax_authority_connected: true }, types: dealer, hasEndpoint: true },
  { change: { auto_send: both, tax_authority_connected: true }, types: dealer },
  {
    change: { ...sendsMail, accountant_copy: { enabled: true, email: 'accountant@example.com' } },
    types: dealer,
  },
  { change: {}, types: ['tax_invoice'] },
  {
    change: {
      legal_type: 'amuta',
      ...sendsMail,
      tax_authority_connected: true,
      donation_approval: { number: '46-123', valid_until: null },
    },
    types: ['donation_receipt', 'receipt', 'quote'],
    hasEndpoint: true,
  },
];

/** How callers load a system while something happens to it. */
export interface Load {
  /** How long each of the eight callers pauses between two requests, on average. */
  pauseMs: number;
  /** How soon the first request is served afterwards. */
  servedWithinMs?: number;
}

/** Lets callers use a system, applies faults to it, and holds it against what the callers were answered. */
export class Engine {
  businesses: readonly BookedBusiness[] = [];
  readonly #baseline = new Baseline();

  private constructor(
    readonly system: FaultSystem,
    readonly callers: Callers,
    readonly owner: ConsoleOwner,
    readonly receiver: EventReceiver,
    /** Ends everything after what is under way. */
    private readonly signal: AbortSignal | undefined,
  ) {}

  static async on(
    system: FaultSystem,
    { seed = 1, signal }: { seed?: number; signal?: AbortSignal } = {},
  ): Promise<Engine> {
    const { base_url, console_url } = await system.stack.file();
    const callers = new Callers(system, base_url, seed);
    const owner = new ConsoleOwner(system, console_url, seed);
    const engine = new Engine(system, callers, owner, await EventReceiver.start(), signal);
    signal?.addEventListener('abort', () => void engine.end(), { once: true });
    return engine;
  }

  async end(): Promise<void> {
    await Promise.all([this.callers.end(), this.owner.end(), this.receiver.stop()]);
  }

  get isInterrupted(): boolean {
    return this.signal?.aborted ?? false;
  }

  /** Opens the books of five new businesses, unless they are open. */
  async open(): Promise<void> {
    if (this.businesses.length > 0) {
      return;
    }
    const operator = await Operator.at(this.system.stack);
    try {
      const businesses: BookedBusiness[] = [];
      for (const { change, types, hasEndpoint } of settings) {
        const business = { issuer: await operator.newIssuer(change), types, hasEndpoint };
        if (hasEndpoint) {
          await this.receiver.subscribe(operator, business);
        }
        businesses.push(business);
      }
      this.businesses = businesses;
    } finally {
      await operator.close();
    }
    const [first] = this.businesses as [BookedBusiness];
    await this.owner.own(first, () => this.callers.knownOf(first));
  }

  /** Applies a fault. @returns what ends it; null where this machine does not allow it. */
  async apply(fault: Fault): Promise<Heal | null> {
    const beganMs = performance.now();
    const heal = await applyFault(this.system, fault);
    const { callers, owner } = this;
    const visitors: Record<string, { allowanceMs: number }> = { gateway: callers, console: owner };
    const visitor = visitors[fault.target.replace(/-2$/, '')];
    if (heal === null || visitor === undefined || fault.kind !== 'stop') {
      return heal;
    }
    // The answer of a process that was stopped comes when it goes on.
    return async () => {
      visitor.allowanceMs = Math.max(visitor.allowanceMs, performance.now() - beganMs + frozenAllowanceMs);
      await heal();
    };
  }

  /** Applies faults, and ends them when something is over. */
  async during(faults: readonly Fault[], something: () => Promise<unknown>): Promise<void> {
    const heals: (Heal | null)[] = [];
    try {
      for (const fault of faults) {
        heals.push(await this.apply(fault));
      }
      await something();
    } finally {
      await Promise.all(heals.map((heal) => heal?.()));
    }
  }

  /**
   * Lets callers and the owner go on while something happens, until requests are served again, one after the other, and everything
   * is answered. @returns how many seconds after it the first of them was answered, and what broke an invariant.
   */
  async underLoad(
    { pauseMs, servedWithinMs = healWithinMs }: Load,
    happen: () => Promise<void>,
  ): Promise<{ healedS: number; findings: string[] }> {
    const { callers, owner } = this;
    callers.allowanceMs = 0;
    owner.allowanceMs = 0;
    callers.resume(this.businesses, pauseMs);
    owner.resume(pauseMs);
    try {
      await pass(calmMs);
      await happen();
      const endedMs = performance.now();
      // What was served during a fault that refused nothing shows no healing.
      callers.served = { inARow: 0, sinceMs: endedMs };
      const finding =
        (await this.#awaitServed(1, servedWithinMs)) || (await this.#awaitServed(servedInARow, healWithinMs));
      const healedS = Math.max(0, (callers.served.sinceMs - endedMs) / 1_000);
      if (finding) {
        return { healedS, findings: [finding] };
      }
      await Promise.all([callers.settle(), owner.settle()]);
      return { healedS, findings: [] };
    } finally {
      callers.pause();
      owner.pause();
    }
  }

  /** @returns what is wrong when that many requests are not served in a row in time. */
  async #awaitServed(inARow: number, withinMs: number): Promise<string> {
    const { callers, system } = this;
    const end = performance.now() + withinMs * system.patience;
    while (callers.served.inARow < inARow && !this.isInterrupted) {
      if (performance.now() > end) {
        return `I10: ${inARow} requests in a row are not served ${(withinMs * system.patience) / 1_000} s after the end of the faults: ${JSON.stringify(callers.refusedWith)}`;
      }
      await pass(probeMs);
    }
    return '';
  }

  /** The invariants that hold as soon as everything is answered. */
  async check(): Promise<string[]> {
    const { callers, owner, system } = this;
    const findings: string[] = [];
    for (const [index, business] of this.businesses.entries()) {
      const credited = index === 0 ? owner.credited : new Set<string>();
      findings.push(...(await checkBook(system, business, callers.knownOf(business), credited)));
    }
    findings.push(...(await checkSent(system)));
    findings.push(...(await checkOutside(system, [...callers.known.values()].flat())));
    findings.push(...(await this.#baseline.checkServers(system)));
    return [...findings, ...callers.findings.splice(0), ...owner.findings.splice(0)];
  }

  /** Closes the books: those invariants that the stored data show when nothing is left to do. */
  async close(): Promise<string[]> {
    const { callers, system } = this;
    const findings = [...(await checkVerified(system, this.businesses)), ...(await checkHandled(system))];
    findings.push(...(await checkNumbers(system, this.businesses)));
    findings.push(...(await checkOutside(system, [...callers.known.values()].flat())));
    findings.push(...(await this.receiver.check(system, this.businesses, this.#issuedWithEvents())));
    findings.push(...(await this.#baseline.checkProcesses(system)), ...(await checkLogs(system)));
    this.businesses = [];
    callers.known.clear();
    this.receiver.clear();
    return findings;
  }

  /** The documents that callers were given of businesses with an endpoint. */
  #issuedWithEvents(): string[] {
    return this.businesses
      .filter(({ hasEndpoint }) => hasEndpoint)
      .flatMap((business) => this.callers.knownOf(business).flatMap(({ created }) => created?.id ?? []));
  }
}
