import { createHash } from 'node:crypto';
import type { ChromiumFile } from '../pdf/chromium-file.js';
import { type SignableFile, type SignatureFacts, signableFile } from '../pdf/signable-file.js';
import type { DocumentFacts } from '../pdf/xmp.js';
import { signatureFault } from './signature-proof.js';
import { signedData } from './signed-data.js';
import { readSigningCertificate, type SigningCertificate } from './signing-certificate.js';

/** Makes a time-stamp token for the value of a signature, or null where the signature is to have none. */
export type Stamp = (signatureValue: Buffer) => Promise<Buffer | null>;

const noStamp: Stamp = async () => null;

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
 * Signs PDFs with one certificate: PAdES baseline B-B (ETSI EN 319 142-1) over the whole file, or B-T where there is a
 * time-stamp. The signature is what makes a computerized document an original (Income Tax Bookkeeping Instructions, 18b).
 */
export class Signer {
  /** How much room a signature needs, by what the last ones had. */
  #roomBytes: number;

  private constructor(
    readonly certificate: SigningCertificate,
    private readonly stamp: Stamp,
    signatureBytes: number,
  ) {
    this.#roomBytes = signatureBytes + slackBytes;
  }

  /**
   * Opens a PKCS#12 file, signs an empty page with it and proves the signature, so that a certificate that cannot sign is
   * found at once; one that has ended is opened all the same.
   * @throws Error that says in half a sentence what is wrong with the file.
   */
  static async open(p12: Uint8Array, password: string, stamp: Stamp, now: Date): Promise<Signer> {
    const certificate = await readSigningCertificate(p12, password);
    const example = await signedData(createHash('sha256').digest(), certificate, noStamp);
    const proven = new Signer(certificate, noStamp, example.length);
    if (proven.daysLeft(now) > 0) await proven.#prove(now);
    return new Signer(certificate, stamp, example.length);
  }

  /** Days until the certificate ends; none or less: it has ended. */
  daysLeft(now: Date): number {
    return (this.certificate.validUntil.getTime() - now.getTime()) / 86_400_000;
  }

  /**
   * Writes the facts into what Chromium has printed, and signs it. Nothing may change in the file after that.
   * @throws Error when the certificate is not valid at the time of signing.
   */
  async sign(
    printed: ChromiumFile,
    facts: DocumentFacts,
    signature: Omit<SignatureFacts, 'name'>,
  ): Promise<Buffer> {
    const { subject, validFrom, validUntil } = this.certificate;
    if (signature.signedAt < validFrom || signature.signedAt > validUntil) {
      const [from, until] = [validFrom, validUntil].map((instant) => instant.toISOString());
      throw new Error(`its certificate is valid from ${from} to ${until} only`);
    }
    const said = { ...signature, name: subject };
    for (;;) {
      // Another document may change it while this one waits for its time-stamp.
      const roomBytes = this.#roomBytes;
      const file = await signableFile(printed, facts, said, roomBytes);
      const signed = await signedData(digestOf(file), this.certificate, this.stamp);
      if (signed.length <= roomBytes) return withSignature(file, signed);
      // A time-stamp is as long as its authority pleases, and the room for it is a part of what is signed.
      this.#roomBytes = Math.max(this.#roomBytes, signed.length + slackBytes);
    }
  }

  async #prove(now: Date): Promise<void> {
    const pdf = await this.sign(
      blank,
      { documentId: 'self-test', title: 'self-test', author: 'self-test', language: 'en', issuedAt: now },
      { reason: 'self-test', location: null, contact: null, signedAt: now },
    );
    const fault = signatureFault(pdf, this.certificate.fingerprint);
    if (fault !== null) throw new Error(`a page that was signed with it is not valid: ${fault}`);
  }
}

function digestOf({ bytes, roomAt, roomEnd }: SignableFile): Buffer {
  return createHash('sha256').update(bytes.subarray(0, roomAt)).update(bytes.subarray(roomEnd)).digest();
}

function withSignature({ bytes, roomAt }: SignableFile, signature: Buffer): Buffer {
  bytes.write(signature.toString('hex'), roomAt + 1, 'latin1');
  return bytes;
}
