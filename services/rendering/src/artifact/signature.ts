import { createHash, X509Certificate } from 'node:crypto';
import { P12Signer, PDF } from '@libpdf/core';

/** What a signature says of itself. */
export interface SigningFacts {
  /** Why it was signed, for who opens the signature. */
  readonly reason: string;
  /** The instant of production, which is the time that the signature claims. */
  readonly producedAt: Date;
}

/** Room in the file for the signature beside its certificates: attributes, RSA-4096, and the structure around them. Bytes. */
const signatureBytes = 2_048;

/**
 * Signs PDFs with the operator's certificate: PAdES baseline B-B (ETSI EN 319 142-1), over the whole file. The signature is
 * what makes a computerized document an original (Income Tax Bookkeeping Instructions, 18b).
 */
export class Signature {
  /** SHA-256 of the certificate. */
  readonly fingerprint: Buffer;
  readonly #certificate: X509Certificate;
  readonly #reservedBytes: number;

  private constructor(private readonly signer: P12Signer) {
    this.#certificate = new X509Certificate(signer.certificate);
    this.fingerprint = createHash('sha256').update(signer.certificate).digest();
    this.#reservedBytes = [signer.certificate, ...signer.certificateChain].reduce(
      (sum, certificate) => sum + certificate.length,
      signatureBytes,
    );
  }

  /**
   * Opens a PKCS#12 file and signs an empty page with it, so that a certificate that cannot sign is found at once.
   * @throws Error that says in a sentence what is wrong with the file.
   */
  static async open(p12: Uint8Array, password: string, now: Date): Promise<Signature> {
    let signer: P12Signer;
    try {
      signer = await P12Signer.create(p12, password);
    } catch (error) {
      throw new Error('the file is no PKCS#12 file with a key and a certificate, or the password is wrong', {
        cause: error,
      });
    }
    const signature = new Signature(signer);
    const empty = PDF.create();
    empty.addPage();
    await signature.sign(await empty.save(), {
      reason: 'self-test',
      producedAt: now,
    });
    return signature;
  }

  /** When the certificate ends. */
  get validUntil(): Date {
    return new Date(this.#certificate.validTo);
  }

  /**
   * Signs a PDF. Nothing may change in the file after that.
   * @throws Error when the certificate is not valid at the time of production.
   */
  async sign(pdf: Uint8Array, facts: SigningFacts): Promise<Buffer> {
    const { producedAt } = facts;
    if (producedAt < new Date(this.#certificate.validFrom) || producedAt > this.validUntil) {
      throw new Error(
        `the signing certificate is valid from ${this.#certificate.validFrom} to ${this.#certificate.validTo} only`,
      );
    }
    const file = await PDF.load(pdf);
    const { bytes } = await file.sign({
      signer: this.signer,
      level: 'B-B',
      reason: facts.reason,
      signingTime: producedAt,
      estimatedSize: this.#reservedBytes,
    });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
