import { randomBytes } from 'node:crypto';
import type { RevocationCache } from './revocation-cache.js';
import { parseSignedData } from './signed-data.js';
import { timestampCertificates } from './timestamp-token.js';

const name = 'the certificate of the time-stamp authority';

/** Watches the certificates of the time-stamp authority, which nothing but a time-stamp names. */
export class TimestampChain {
  #certificates = '';

  constructor(
    private readonly requestToken: (signatureValue: Buffer) => Promise<Buffer>,
    private readonly revocations: RevocationCache,
  ) {}

  /** @param token a verified one. */
  observe(token: Buffer): void {
    const certificates = parseSignedData(token)
      .certificates.map((der) => der.toString('base64'))
      .join();
    if (certificates === this.#certificates) {
      return;
    }
    const chain = timestampCertificates(token);
    if (chain) {
      this.revocations.watch(name, chain.leaf, chain.others);
      this.#certificates = certificates;
    }
  }

  /** Requests a time-stamp of nothing where no certificate is known yet, so that the first document has its proofs. */
  async discover(): Promise<void> {
    if (this.#certificates === '') {
      this.observe(await this.requestToken(randomBytes(32)));
    }
  }

  dataOf(at: Date): ReturnType<RevocationCache['dataOf']> {
    return this.revocations.dataOf(name, at);
  }
}
