import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSelfSignedP12 } from '@pinkas/simulators';

/** A key with its certificate, as a service is given one. */
export interface TestCertificate {
  /** The PKCS#12 file. */
  file: string;
  password: string;
}

/** Makes a certificate that is its own issuer, in the folder of this test run, which is removed after it. */
export async function createTestCertificate(): Promise<TestCertificate> {
  const password = randomUUID();
  const file = join(process.env.PINKAS_TEST_HOME ?? tmpdir(), `signing-${randomUUID()}.p12`);
  await writeFile(file, await createSelfSignedP12({ commonName: 'Test', password, years: 1 }), {
    mode: 0o600,
  });
  return { file, password };
}
