import { createHash, randomBytes } from 'node:crypto';
import { type Clock, inSpan, SpanKind } from '@pinkas/service-kit';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from '../circuit-breaker.js';
import { fetchBytes } from './fetch-bytes.js';
import { encodeTimestampRequest, readTimestampReply } from './timestamp-token.js';

/** A token with a long chain has a tenth of it. */
const replyBytesMax = 64 * 1024;
/** Each failure may take its whole deadline while a document number is held: two in a row are enough. */
const circuitRules: CircuitRules = { failuresMax: 2, pauseMs: 15_000, pauseMaxMs: 300_000 };

/** The client of a time-stamp authority over HTTP (RFC 3161, 3.4), with a circuit breaker. */
export class TimestampAuthority {
  #circuit: CircuitState = closedCircuit;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {}

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
      const imprint = createHash('sha256').update(signatureValue).digest();
      const attributes = { 'http.request.method': 'POST', 'server.address': new URL(this.url).hostname };
      const token = await inSpan('time-stamp', { kind: SpanKind.CLIENT, attributes }, () =>
        this.#post(imprint, timeoutMs),
      );
      this.#circuit = closedCircuit;
      return token;
    } catch (error) {
      this.#circuit = afterFailure(this.#circuit, circuitRules, nowMs);
      throw error;
    }
  }

  async #post(imprint: Buffer, timeoutMs: number): Promise<Buffer> {
    const nonce = randomBytes(8);
    // Neither zero nor negative: some authorities read it as a signed number.
    nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
    const request = { imprint, nonce };
    const reply = await fetchBytes(
      'the time-stamp authority',
      this.url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
        body: new Uint8Array(encodeTimestampRequest(request)),
      },
      { bytesMax: replyBytesMax, signal: AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs))) },
    );
    return readTimestampReply(reply, request, this.clock.now());
  }
}
