import { requestTimestamp } from '@pinkas/pdf';
import { type Clock, inSpan, SpanKind } from '@pinkas/service-kit';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from '../circuit-breaker.js';

/** Each failure may take its whole deadline while a document number is held: two in a row are enough. */
const circuitRules: CircuitRules = { failuresMax: 2, pauseMs: 15_000, pauseMaxMs: 300_000 };

/** The time-stamp authority behind a circuit breaker. */
export class TimestampAuthority {
  #circuit: CircuitState = closedCircuit;
  #givenAt: Date | null = null;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {}

  /** When it gave a time-stamp last. */
  get givenAt(): Date | null {
    return this.#givenAt;
  }

  /** Why no request is sent at present, or null. */
  get failure(): string | null {
    return this.#circuit.kind === 'open' ? 'the time-stamp authority has failed several times' : null;
  }

  /**
   * A time-stamp of a signature.
   * @returns the token of id-aa-signatureTimeStampToken.
   * @throws Error without a valid token in time; at once while the circuit is open.
   */
  async requestToken(signatureValue: Buffer, timeoutMs: number): Promise<Buffer> {
    const nowMs = this.clock.now().getTime();
    if (this.#circuit.kind === 'open') {
      if (nowMs < this.#circuit.probeAtMs) {
        throw new Error('the circuit of the time-stamp authority is open');
      }
      // One probe at a time: until its reply, the circuit stays open for others.
      this.#circuit = afterFailedProbe(this.#circuit, circuitRules, nowMs);
    }
    try {
      const attributes = { 'http.request.method': 'POST', 'server.address': new URL(this.url).hostname };
      const token = await inSpan('time-stamp', { kind: SpanKind.CLIENT, attributes }, () =>
        requestTimestamp(this.url, signatureValue, { timeoutMs, now: () => this.clock.now() }),
      );
      this.#circuit = closedCircuit;
      this.#givenAt = this.clock.now();
      return token;
    } catch (error) {
      this.#circuit = afterFailure(this.#circuit, circuitRules, nowMs);
      throw error;
    }
  }
}
