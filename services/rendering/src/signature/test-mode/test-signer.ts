import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isTestBook } from '@pinkas/domain';
import type { Signer } from '@pinkas/pdf';
import { ConfigError } from '@pinkas/service-kit/config';
import type { RenderingConfig } from '../../config.js';

/** The signer of a book: no certificate of a live one ever signs for a test book. */
export const signerOfBook = (bookId: string, live: Signer, test: Signer | null): Signer | null =>
  isTestBook(bookId) ? test : live;

/**
 * The certificate of test books; null where none is configured. It has neither time-stamps nor proofs against revocation: they cost,
 * and prove what no one relies on.
 * @param live the signers of live books.
 * @throws ConfigError where it is one of theirs.
 */
export async function openTestSigner(
  {
    testSigningP12File: file,
    testSigningP12Base64: base64,
    testSigningP12Password: password,
  }: Pick<RenderingConfig, 'testSigningP12File' | 'testSigningP12Base64' | 'testSigningP12Password'>,
  live: readonly Signer[],
  open: (
    name: string,
    read: () => Promise<Buffer>,
    password: string,
    extras: () => object,
  ) => Promise<Signer>,
): Promise<Signer | null> {
  if (!file && !base64) {
    return null;
  }
  const plain = () => ({});
  const test = file
    ? await open(`TEST_SIGNING_P12_FILE (${file})`, () => readFile(file), password, plain)
    : await open('TEST_SIGNING_P12_BASE64', async () => Buffer.from(base64, 'base64'), password, plain);
  if (live.some((signer) => publicKeyOf(signer).equals(publicKeyOf(test)))) {
    throw new ConfigError('The documents of test books need a certificate that signs no other documents.');
  }
  return test;
}

/** The same under a renewed certificate. */
const publicKeyOf = ({ certificate }: Signer): Buffer =>
  new X509Certificate(certificate.der).publicKey.export({ type: 'spki', format: 'der' });
