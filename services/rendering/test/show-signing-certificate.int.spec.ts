import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { showSigningCertificate } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { readSigningCertificate } from '../src/signature/signing-certificate.js';
import { issueCertificate, p12Of } from './certificates.js';
import { type RenderingUnderTest, signingP12File, signingP12Password, startRendering } from './rendering.js';

const forSigning = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation'];
/** A business with a certificate of its own. */
const own = randomUUID();

describe('ShowSigningCertificate', () => {
  let rendering: RenderingUnderTest;
  let folder: string;
  let testFile: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinkas-certificates-'));
    const businesses = join(folder, 'businesses');
    await mkdir(businesses);
    testFile = join(folder, 'test.p12');
    for (const [name, file] of [
      ['Own Ltd', join(businesses, `${own}.p12`)],
      ['Test documents', testFile],
    ] as const) {
      const { key, certificate } = await issueCertificate(name, forSigning);
      await writeFile(file, p12Of(key, [certificate], signingP12Password));
    }
    rendering = await startRendering({
      signingP12Folder: businesses,
      testSigningP12File: testFile,
      testSigningP12Password: signingP12Password,
    });
  }, 60_000);
  afterAll(async () => {
    await rendering?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const show = (businessId: string) =>
    rendering.network.call(showSigningCertificate, { business_id: businessId });
  const endOf = async (file: string) =>
    (await readSigningCertificate(await readFile(file), signingP12Password)).validUntil.toISOString();

  it("ShowSigningCertificate returns the platform's certificate for a business without its own", async () => {
    const { subject } = await readSigningCertificate(await readFile(signingP12File), signingP12Password);
    expect(await show(randomUUID())).toEqual({ subject, not_after: await endOf(signingP12File), own: false });
  });

  it("ShowSigningCertificate returns a business's own certificate, whatever the letter case of its id", async () => {
    const expected = {
      subject: 'Own Ltd',
      not_after: await endOf(join(folder, 'businesses', `${own}.p12`)),
      own: true,
    };
    expect(await show(own)).toEqual(expected);
    expect(await show(own.toUpperCase())).toEqual(expected);
  });

  it('ShowSigningCertificate returns the certificate of test books for the id of a test book', async () => {
    expect(await show(testBookOf(own))).toEqual({
      subject: 'Test documents',
      not_after: await endOf(testFile),
      own: false,
    });
  });

  it('ShowSigningCertificate returns not_found for a test book where none of their documents is issued', async () => {
    const without = await startRendering({ testSigningP12File: '', testSigningP12Password: '' });
    const shown = without.network.call(showSigningCertificate, { business_id: testBookOf(own) });
    await expect(shown).rejects.toMatchObject({ code: 'not_found' });
    await without.stop();
  });
});
