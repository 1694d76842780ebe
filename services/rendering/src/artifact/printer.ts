import { randomUUID } from 'node:crypto';
import { type Logger, Slots } from '@pinkas/service-kit';
import type { PrintedDocument } from '../document/printed-document.js';
import type { ChromiumFile } from '../pdf/chromium-file.js';
import type { ChromiumPdf } from './chromium-pdf.js';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from './circuit-breaker.js';

const circuitRules: CircuitRules = { failuresMax: 5, pauseMs: 1_000, pauseMaxMs: 10_000 };
const probeTimeoutMs = 5_000;
/** Gotenberg refuses the page, as it would again: that is no fault of the printer. */
const pageRefused = /^400 /;

/**
 * The printer, as the press uses it: so many pages at once, and none while it is known to be broken. After several failures in
 * a row it is left alone, so that a number in the book is not held for what will fail, and tried with a page of our own until
 * that comes out.
 */
export class Printer {
  readonly #slots: Slots;
  #circuit: CircuitState = closedCircuit;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    private readonly chromium: ChromiumPdf,
    private readonly options: {
      concurrency: number;
      queueMax: number;
      /** Within how many milliseconds a sound printer certainly prints. */
      soundWithinMs: number;
    },
    private readonly logger: Logger,
  ) {
    this.#slots = new Slots(options.concurrency, options.queueMax);
  }

  /**
   * Prints a page when there is room; see `ChromiumPdf.print`.
   * @throws Error at once, when the printer is known to be broken or too many wait already.
   */
  async print(page: PrintedDocument, nonce: string, deadlineMs: number): Promise<ChromiumFile> {
    this.#refuseWhileOpen();
    const inTime = AbortSignal.timeout(Math.max(1, Math.ceil(deadlineMs - Date.now())));
    return this.#slots.run(inTime, () => {
      // It may have broken while this page waited.
      this.#refuseWhileOpen();
      return this.#try(page, nonce, deadlineMs);
    });
  }

  /** Whether it is known to be broken. */
  get isLeftAlone(): boolean {
    return this.#circuit.kind === 'open';
  }

  /** Why it does not print, or null. */
  async fault(): Promise<string | null> {
    if (this.isLeftAlone) {
      return 'printing has failed several times in a row: the printer is left alone, and tried every few seconds';
    }
    return (await this.chromium.answers()) ? null : 'Gotenberg does not answer';
  }

  /** Tries nothing any more by itself. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #refuseWhileOpen(): void {
    if (this.#circuit.kind === 'open') {
      throw new Error(
        'the printer has failed several times in a row, and is left alone until it prints again',
      );
    }
  }

  async #try(page: PrintedDocument, nonce: string, deadlineMs: number): Promise<ChromiumFile> {
    const givenMs = deadlineMs - Date.now();
    try {
      const file = await this.chromium.print(page, nonce, deadlineMs);
      this.#works();
      return file;
    } catch (error) {
      if (pageRefused.test((error as Error).message)) throw error;
      // A page that has waited elsewhere until its time was nearly over tells nothing of the printer.
      if (givenMs < this.options.soundWithinMs && Date.now() >= deadlineMs) throw error;
      const before = this.#circuit;
      this.#circuit = afterFailure(before, circuitRules, Date.now());
      if (this.#circuit.kind === 'open' && before.kind === 'closed') {
        this.logger.error({ err: error }, 'the printer is left alone for a while');
        this.#probeIn(this.#circuit.pauseMs);
      }
      throw error;
    }
  }

  #works(): void {
    if (this.isLeftAlone) this.logger.info('the printer prints again');
    this.#circuit = closedCircuit;
    clearTimeout(this.#timer);
  }

  #probeIn(pauseMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#probe(), pauseMs);
    // A process that ends must not wait for it.
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    const nonce = randomUUID();
    const html = `<!doctype html><html lang="en"><title>${nonce}</title><p>self-test</p></html>`;
    try {
      await this.chromium.print({ html, fonts: [] }, nonce, Date.now() + probeTimeoutMs);
      this.#works();
    } catch {
      this.#circuit = afterFailedProbe(this.#circuit, circuitRules, Date.now());
      if (this.#circuit.kind === 'open') this.#probeIn(this.#circuit.pauseMs);
    }
  }
}
