import { createHash } from 'node:crypto';
import type { ChromiumFile } from '../file/chromium-file.js';
import { type ValidationData, withSecurityStore } from '../file/security-store.js';
import { type SignableFile, type SignatureFacts, signableFile } from '../file/signable-file.js';
import type { DocumentFacts } from '../file/xmp.js';
import { SignedDataWriter } from './signed-data-writer.js';
import { readSigningCertificate, type SigningCertificate } from './signing-certificate.js';
import { verifySignature } from './verify-signature.js';

/** Returns a time-stamp token for the value of a signature, or null for none. */
export type RequestTimestamp = (signatureValue: Buffer) => Promise<Buffer | null>;

/** Returns what proves at an instant that the certificates of a signature are not revoked, or null where that is not at hand. */
type FindValidationData = (at: Date) => ValidationData | null;

/** Since when the certificate, or one above it, is known to be revoked; null: it is not. */
type FindRevocation = () => Date | null;

/** What a signature may have beside the certificate. */
export interface SignatureExtras {
  readonly findRevocation: FindRevocation;
  readonly requestTimestamp: RequestTimestamp;
  readonly findValidationData: FindValidationData;
}

const noTimestamp: RequestTimestamp = async () => null;
const plain: SignatureExtras = {
  findRevocation: () => null,
  requestTimestamp: noTimestamp,
  findValidationData: () => null,
};

/** Signatures of an elliptic curve differ in their length by a few bytes. */
const slackBytes = 32;

/** An empty page. */
const blank: ChromiumFile = {
  bytes: Buffer.alloc(0),
  objects: new Map(
    [
      '<<>>',
      '<</Type /Page/Parent 3 0 R/MediaBox[0 0 595 842]>>',
      '<</Type /Pages/Count 1/Kids [2 0 R]>>',
      '<</Type /Catalog/Pages 3 0 R>>',
    ].map((body, index) => [index + 1, Buffer.from(body)]),
  ),
  information: 1,
  pages: [2],
  catalog: 4,
};

/**
 * Signs PDFs with one certificate: PAdES baseline B-B (ETSI EN 319 142-1) over the complete file, B-T where there is a time-stamp,
 * and B-LT where the proofs for all certificates are at hand as well. The signature is what makes a computerized document an original (Income Tax Bookkeeping Instructions, 18b).
 */
export class Signer {
  /** By the length of the last signatures. */
  #placeholderBytes: number;
  readonly #writer: SignedDataWriter;

  private constructor(
    readonly certificate: SigningCertificate,
    private readonly extras: SignatureExtras,
    signatureBytes: number,
  ) {
    this.#placeholderBytes = signatureBytes + slackBytes;
    this.#writer = new SignedDataWriter(certificate);
  }

  /**
   * Opens a PKCS#12 file, signs an empty page with it and verifies the signature, so that a certificate that cannot sign stops
   * the start; an expired one is opened.
   * @throws Error whose message is half a sentence about the file.
   */
  static async open(
    p12: Uint8Array,
    password: string,
    now: Date,
    extrasOf: (certificate: SigningCertificate) => Partial<SignatureExtras> = () => ({}),
  ): Promise<Signer> {
    const certificate = await readSigningCertificate(p12, password);
    const example = await new SignedDataWriter(certificate).sign(createHash('sha256').digest(), noTimestamp);
    const untimed = new Signer(certificate, plain, example.length);
    if (untimed.daysLeft(now) > 0) {
      await untimed.#selfTest(now);
    }
    return new Signer(certificate, { ...plain, ...extrasOf(certificate) }, example.length);
  }

  /** Days until the certificate expires; zero or less: it has expired. */
  daysLeft(now: Date): number {
    return (this.certificate.validUntil.getTime() - now.getTime()) / 86_400_000;
  }

  /**
   * Writes the facts into Chromium's PDF and signs it. Nothing may change in the file after that.
   * @throws Error when the certificate is not valid at the time of signing, or revoked.
   */
  async sign(
    printed: ChromiumFile,
    facts: DocumentFacts,
    signature: Omit<SignatureFacts, 'name'>,
  ): Promise<Buffer> {
    const { subject } = this.certificate;
    this.#checkUsable(signature.signedAt);
    const named = { ...signature, name: subject };
    const { requestTimestamp, findValidationData } = this.extras;
    for (;;) {
      // Another document may change it while this one waits for its time-stamp.
      const placeholderBytes = this.#placeholderBytes;
      const file = await signableFile(printed, facts, named, placeholderBytes);
      const signed = await this.#writer.sign(digestOf(file), requestTimestamp);
      if (signed.length <= placeholderBytes) {
        const pdf = withSignature(file, signed);
        const validation = findValidationData(signature.signedAt);
        return validation ? withSecurityStore(pdf, validation) : pdf;
      }
      // A time-stamp has any length, and the signature covers the length of its own placeholder.
      this.#placeholderBytes = Math.max(this.#placeholderBytes, signed.length + slackBytes);
    }
  }

  /**
   * Signs a digest alone, time-stamped where documents are.
   * @param digest SHA-256.
   * @returns CMS signed data without its content.
   * @throws Error when the certificate is not valid at that time, or revoked.
   */
  async signDigest(digest: Buffer, at: Date): Promise<Buffer> {
    this.#checkUsable(at);
    return this.#writer.sign(digest, this.extras.requestTimestamp);
  }

  #checkUsable(at: Date): void {
    const { validFrom, validUntil } = this.certificate;
    if (at < validFrom || at > validUntil) {
      const [from, until] = [validFrom, validUntil].map((instant) => instant.toISOString());
      throw new Error(`its certificate is valid from ${from} to ${until} only`);
    }
    const revokedAt = this.extras.findRevocation();
    if (revokedAt) {
      throw new Error(`its certificate was revoked at ${revokedAt.toISOString()}`);
    }
  }

  async #selfTest(now: Date): Promise<void> {
    const pdf = await this.sign(
      blank,
      { documentId: 'self-test', title: 'self-test', author: 'self-test', language: 'en', issuedAt: now },
      { reason: 'self-test', location: null, contact: null, signedAt: now },
    );
    const reason = verifySignature(pdf, this.certificate.fingerprint);
    if (reason !== null) {
      throw new Error(`a page that was signed with it is not valid: ${reason}`);
    }
  }
}

function digestOf({ bytes, placeholderAt, placeholderEnd }: SignableFile): Buffer {
  return createHash('sha256')
    .update(bytes.subarray(0, placeholderAt))
    .update(bytes.subarray(placeholderEnd))
    .digest();
}

function withSignature({ bytes, placeholderAt }: SignableFile, signature: Buffer): Buffer {
  bytes.write(signature.toString('hex'), placeholderAt + 1, 'latin1');
  return bytes;
}
