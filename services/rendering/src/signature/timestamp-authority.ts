import { createHash, randomBytes } from 'node:crypto';
import { type Clock, inSpan, SpanKind } from '@pinkas/service-kit';
import {
  afterFailedProbe,
  afterFailure,
  type CircuitRules,
  type CircuitState,
  closedCircuit,
} from '../artifact/circuit-breaker.js';
import { stampRequest, stampToken, WrongTimestamp } from './timestamp-token.js';

/** The largest answer that is taken, in bytes. A token with a long chain has a tenth of it. */
const answerBytesMax = 64 * 1024;
/** Each failure may cost its whole deadline, which a number in the book waits for: two in a row are enough. */
const circuitRules: CircuitRules = { failuresMax: 2, pauseMs: 15_000, pauseMaxMs: 300_000 };

/** Asks a time-stamp authority over HTTP (RFC 3161, 3.4). */
export class TimestampAuthority {
  #circuit: CircuitState = closedCircuit;

  constructor(
    private readonly url: string,
    private readonly clock: Clock,
  ) {}

  /** Why it is not asked at present, or null. */
  get fault(): string | null {
    return this.#circuit.kind === 'open' ? 'the time-stamp authority has failed several times' : null;
  }

  /**
   * A time-stamp of a signature.
   * @param timeoutMs how long it is waited for.
   * @returns the token of id-aa-signatureTimeStampToken.
   * @throws Error when there is none in time, or a wrong one; at once while the authority is known to fail.
   */
  async stamp(signatureValue: Buffer, timeoutMs: number): Promise<Buffer> {
    const nowMs = this.clock.now().getTime();
    if (this.#circuit.kind === 'open') {
      if (nowMs < this.#circuit.probeAtMs) {
        throw new Error('the time-stamp authority has failed several times, and is left alone for a while');
      }
      // One question is enough to find out; those that come meanwhile do without.
      this.#circuit = afterFailedProbe(this.#circuit, circuitRules, nowMs);
    }
    try {
      const imprint = createHash('sha256').update(signatureValue).digest();
      const attributes = { 'http.request.method': 'POST', 'server.address': new URL(this.url).hostname };
      const token = await inSpan('time-stamp', { kind: SpanKind.CLIENT, attributes }, () =>
        this.#ask(imprint, timeoutMs),
      );
      this.#circuit = closedCircuit;
      return token;
    } catch (error) {
      this.#circuit = afterFailure(this.#circuit, circuitRules, nowMs);
      throw error;
    }
  }

  async #ask(imprint: Buffer, timeoutMs: number): Promise<Buffer> {
    const nonce = randomBytes(8);
    // Neither zero nor negative: some authorities read it as a signed number.
    nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
    const asked = { imprint, nonce };
    const answer = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(stampRequest(asked)),
      redirect: 'error',
      signal: AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs))),
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw new WrongTimestamp(`the time-stamp authority answered ${answer.status}`);
    }
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of answer.body ?? []) {
      length += chunk.length;
      if (length > answerBytesMax) throw new WrongTimestamp('the time-stamp is too large');
      chunks.push(chunk);
    }
    return stampToken(Buffer.concat(chunks), asked, this.clock.now());
  }
}
