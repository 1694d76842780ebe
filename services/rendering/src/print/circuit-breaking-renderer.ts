import { randomUUID } from 'node:crypto';
import type { ChromiumFile } from '@pinkas/pdf';
import { type Logger } from '@pinkas/service-kit';
import { Semaphore, withTimeout } from '@pinkas/service-kit/concurrency';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from '../circuit-breaker.js';
import type { PrintablePage } from '../document/printable-page.js';
import { type GotenbergClient, PdfTooLargeError } from './gotenberg-client.js';

const circuitRules: CircuitRules = { failuresMax: 5, pauseMs: 1_000, pauseMaxMs: 10_000 };
const probeTimeoutMs = 5_000;
const circuitOpenReason = 'rendering failed several times in a row: the circuit of the renderer is open';
/** Gotenberg rejects the page, and would again: the renderer is healthy. */
const pageRejected = /^40[09] /;

/**
 * Bounds how many pages are rendered at once, and renders none while Gotenberg is known to be broken, so that no number waits for
 * what will fail. A failure counts where a small page of the renderer's own fails as well, so that no business's page stops the
 * others; an open circuit is probed with that page until it is rendered (ADR 0016).
 */
export class CircuitBreakingRenderer {
  readonly #semaphore: Semaphore;
  #circuit: CircuitState = closedCircuit;
  #timer: NodeJS.Timeout | undefined;
  #selfTest: Promise<boolean> | undefined;
  #stopped = false;

  constructor(
    private readonly gotenberg: GotenbergClient,
    private readonly options: {
      concurrency: number;
      queueMax: number;
      /** A healthy renderer needs less than so many milliseconds for a page. */
      healthyRenderMs: number;
    },
    private readonly logger: Logger,
  ) {
    this.#semaphore = new Semaphore(options.concurrency, options.queueMax);
  }

  /**
   * Renders a page when it is the turn of its business and there is room; see `GotenbergClient.render`.
   * @throws Error at once, when the circuit is open or the queue is full.
   */
  async render(
    page: PrintablePage,
    nonce: string,
    deadlineMs: number,
    businessId: string,
  ): Promise<ChromiumFile> {
    this.#throwIfOpen();
    const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(deadlineMs - performance.now())));
    const attempt = () => {
      // The circuit may have opened while this page was queued.
      this.#throwIfOpen();
      return this.#attempt(page, nonce, deadlineMs);
    };
    return this.#semaphore.run(deadline, attempt, businessId);
  }

  /** Whether Gotenberg is known to be broken. */
  get isOpen(): boolean {
    return this.#circuit.kind === 'open';
  }

  /** Why it does not render, or null. */
  async unavailableReason(): Promise<string | null> {
    if (this.isOpen) {
      return circuitOpenReason;
    }
    return (await this.gotenberg.isHealthy()) ? null : 'Gotenberg does not answer';
  }

  /** Ends the probes; pages are still rendered. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #throwIfOpen(): void {
    if (this.isOpen) {
      throw new Error(circuitOpenReason);
    }
  }

  async #attempt(page: PrintablePage, nonce: string, deadlineMs: number): Promise<ChromiumFile> {
    const availableMs = deadlineMs - performance.now();
    try {
      const file = await this.gotenberg.render(page, nonce, deadlineMs);
      this.#close();
      return file;
    } catch (error) {
      // Timers count whole milliseconds, and may fire early by one.
      const timedOut = performance.now() > deadlineMs - 3;
      // A page that had little time left when it came here proves nothing by its time-out.
      const isProof = !(timedOut && availableMs < this.options.healthyRenderMs);
      if (isProof && !(error instanceof PdfTooLargeError) && !pageRejected.test((error as Error).message)) {
        // The room of this page stays taken: what may be broken gets no further page.
        await withTimeout(this.#countUnlessHealthy(error), deadlineMs - performance.now(), () => {});
      }
      throw error;
    }
  }

  /** Counts a failed page, unless the renderer's own page is rendered: then the page failed for what it holds. */
  async #countUnlessHealthy(error: unknown): Promise<void> {
    if (this.isOpen) {
      return;
    }
    // One for all pages that fail at the same time.
    this.#selfTest ??= this.#renderSelfTest().finally(() => {
      this.#selfTest = undefined;
    });
    if (await this.#selfTest) {
      this.#close();
    } else {
      this.#recordFailure(error);
    }
  }

  /** Whether a small page is rendered in time. */
  async #renderSelfTest(): Promise<boolean> {
    const nonce = randomUUID();
    const html = `<!doctype html><html lang="en"><title>${nonce}</title><p>self-test</p></html>`;
    return this.gotenberg.render({ html, fonts: [] }, nonce, performance.now() + probeTimeoutMs).then(
      () => true,
      () => false,
    );
  }

  #recordFailure(error: unknown): void {
    const before = this.#circuit;
    this.#circuit = afterFailure(before, circuitRules, Date.now());
    if (this.#circuit.kind === 'open' && before.kind === 'closed') {
      this.logger.error({ err: error }, 'renderer circuit opened');
      this.#scheduleProbe(this.#circuit.pauseMs);
    }
  }

  #close(): void {
    if (this.isOpen) {
      this.logger.info('renderer circuit closed');
    }
    this.#circuit = closedCircuit;
    clearTimeout(this.#timer);
  }

  #scheduleProbe(pauseMs: number): void {
    if (this.#stopped) {
      return;
    }
    this.#timer = setTimeout(() => void this.#probe(), pauseMs);
    // The timer must not keep a process alive.
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    if (await this.#renderSelfTest()) {
      return this.#close();
    }
    this.#circuit = afterFailedProbe(this.#circuit, circuitRules, Date.now());
    if (this.#circuit.kind === 'open') {
      this.#scheduleProbe(this.#circuit.pauseMs);
    }
  }
}
