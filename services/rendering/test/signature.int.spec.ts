import { randomUUID, X509Certificate } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testBookOf } from '@pinkas/domain';
import { createLogger, Metrics } from '@pinkas/service-kit';
import { ConfigError } from '@pinkas/service-kit/config';
import type { RenderingConfig } from '../src/config.js';
import { readChromiumFile } from '../src/pdf/chromium-file.js';
import { Signer } from '../src/signature/signer.js';
import { Signers } from '../src/signature/signers.js';
import { verifySignature } from '../src/signature/verify-signature.js';
import { issueCertificate, openssl, p12Of, type TestCertificate } from './certificates.js';
import { chromiumPdf } from './chromium-pdf.js';
import { signatureReport, signedParts } from './pdf-tools.js';
import { signingP12File, signingP12Password } from './rendering.js';

const password = 'secret';
const forSigning = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation'];
const forIssuing = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'];
const page = readChromiumFile(chromiumPdf('nonce'));
const signWith = (signer: Signer, signedAt = new Date()) =>
  signer.sign(
    page,
    { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: signedAt },
    { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt },
  );
const open = (p12: Uint8Array, now = new Date()) => Signer.open(p12, password, now);

describe('Signer', () => {
  let root: TestCertificate;
  let middle: TestCertificate;
  let leaf: TestCertificate;
  beforeAll(async () => {
    root = await issueCertificate('Example Root', forIssuing);
    middle = await issueCertificate('Example Middle', forIssuing, { issuer: root });
    leaf = await issueCertificate('עסק לדוגמה', forSigning, { issuer: middle });
  }, 60_000);

  it('a signature is valid to pdfsig and to openssl, with the attributes of PAdES B-B and no others', async () => {
    const signer = await open(
      p12Of(leaf.key, [leaf.certificate, middle.certificate, root.certificate], password),
    );
    const pdf = await signWith(signer);
    const report = await signatureReport(pdf);
    for (const words of [
      'Signature is Valid.',
      'Total document signed',
      'ETSI.CAdES.detached',
      'עסק לדוגמה',
    ]) {
      expect(report).toContain(words);
    }
    const { signature, content } = signedParts(pdf);
    const files = { 'cms.der': signature, content, 'root.pem': root.certificate };
    // As a reader that trusts the root: the certificates between come with the signature.
    await openssl(
      [
        ...['cms', '-verify', '-inform', 'DER', '-in', 'cms.der', '-content', 'content', '-binary'],
        ...['-CAfile', 'root.pem', '-purpose', 'any', '-out', 'out'],
      ],
      files,
    );
    const { stdout } = await openssl(
      ['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', 'cms.der'],
      files,
    );
    const attributes = stdout.slice(
      stdout.indexOf('signedAttrs:'),
      stdout.indexOf('signatureAlgorithm:', stdout.indexOf('signedAttrs:')),
    );
    expect([...attributes.matchAll(/object: (\S+)/g)].map(([, name]) => name)).toEqual([
      'contentType',
      'messageDigest',
      'id-smime-aa-signingCertificateV2',
    ]);
    expect(stdout).toMatch(/unsignedAttrs:\s+<ABSENT>/);
  });

  it.each([
    ['with a long chain', 12],
    ['with its certificate alone', 0],
  ])('the placeholder fits the signature: %s', async (_what, length) => {
    const chain = Array.from({ length }, () => middle.certificate);
    const signer = await open(p12Of(leaf.key, [leaf.certificate, ...chain], password));
    const pdf = await signWith(signer);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const { signature, placeholderBytes } = signedParts(pdf);
    expect(signature.length).toBeGreaterThan(length * 700);
    expect(placeholderBytes - signature.length).toBeGreaterThanOrEqual(0);
    expect(placeholderBytes - signature.length).toBeLessThan(64);
  });

  it('the certificate of the key signs, wherever it is in the file', async () => {
    const signer = await open(
      p12Of(leaf.key, [root.certificate, middle.certificate, leaf.certificate], password),
    );
    expect(signer.certificate.subject).toBe('עסק לדוגמה');
    expect(await signatureReport(await signWith(signer))).toContain('Signature is Valid.');
  });

  it.each([['P-256'], ['P-384']])('a signature by an elliptic curve is valid: %s', async (curve) => {
    const algorithm = ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`];
    const { key, certificate } = await issueCertificate('Example Curve', forSigning, { algorithm });
    const { files } = await openssl(
      [
        ...['pkcs12', '-export', '-inkey', 'key', '-in', 'certificate', '-out', 'p12'],
        ...['-passout', `pass:${password}`],
      ],
      { key, certificate },
      ['p12'],
    );
    const signer = await open(files[0] ?? Buffer.alloc(0));
    for (let time = 0; time < 20; time += 1) {
      expect(await signatureReport(await signWith(signer))).toContain('Signature is Valid.');
    }
  });

  it('the same page at the same instant has the same signature', async () => {
    const signer = await open(p12Of(leaf.key, [leaf.certificate], password));
    const facts = {
      documentId: 'one',
      title: 't',
      author: 'a',
      language: 'en',
      issuedAt: new Date(),
    } as const;
    const entries = { reason: 'r', location: null, contact: null, signedAt: new Date() };
    const [first, second] = await Promise.all([1, 2].map(() => signer.sign(page, facts, entries)));
    expect(second?.equals(first ?? Buffer.alloc(0))).toBe(true);
  });

  it('a signature is valid whatever the texts in its dictionary are', async () => {
    const signer = await open(p12Of(leaf.key, [leaf.certificate], password));
    const signedAt = new Date();
    const words = ') obj << /M (D:20010101000000Z) /ByteRange [0 1 2 3] /Contents <00> >> endobj 9 0 obj';
    const pdf = await signer.sign(
      page,
      { documentId: randomUUID(), title: words, author: words, language: 'en', issuedAt: signedAt },
      { reason: words, location: words, contact: words, signedAt },
    );
    expect(verifySignature(pdf, signer.certificate.fingerprint)).toBeNull();
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
  });

  it('a certificate signs nothing before or after its validity', async () => {
    const p12 = p12Of(leaf.key, [leaf.certificate], password);
    await expect(open(p12, new Date('2001-01-01'))).rejects.toThrow('its certificate is valid from');
    const signer = await open(p12);
    await expect(signWith(signer, new Date('2101-01-01'))).rejects.toThrow('its certificate is valid from');
  });

  it.each<[string, () => Promise<Buffer>, string]>([
    [
      'the key is of another certificate',
      async () => p12Of(leaf.key, [middle.certificate, root.certificate], password),
      'belongs to none',
    ],
    [
      'its key usage is not for signatures',
      async () => {
        const sealed = await issueCertificate('Example Cipher', ['keyUsage=critical,keyEncipherment']);
        return p12Of(sealed.key, [sealed.certificate], password);
      },
      'key usage',
    ],
    [
      'the key is weak',
      async () => {
        const weak = await issueCertificate('Example Weak', forSigning, {
          algorithm: ['-newkey', 'rsa:1024'],
        });
        return p12Of(weak.key, [weak.certificate], password);
      },
      'too weak',
    ],
    [
      'the password is another',
      async () => p12Of(leaf.key, [leaf.certificate], 'other'),
      'password is wrong',
    ],
    ['it is something else', async () => Buffer.from('no certificate'), 'no PKCS#12 file'],
  ])('a certificate is rejected at the start when %s', async (_what, p12, words) => {
    await expect(open(await p12())).rejects.toThrow(words);
  });
});

describe('Signers', () => {
  const folder = join(process.env.PINKAS_TEST_HOME ?? tmpdir(), `signing-${randomUUID()}`);
  let atAnotherTime: Date | undefined;
  const logger = createLogger('rendering', 'silent');
  const config = (change: Partial<RenderingConfig> = {}) =>
    ({ signingP12File, signingP12Password, ...change }) as RenderingConfig;
  const openAll = (change: Partial<RenderingConfig> = {}) =>
    Signers.open(config(change), {
      clock: { now: () => atAnotherTime ?? new Date() },
      logger,
      metrics: new Metrics(),
    });
  const days = (count: number) => count * 86_400_000;
  beforeAll(() => mkdir(folder));
  afterAll(() => rm(folder, { recursive: true }));

  it('the certificate is a file or a text, but not both', async () => {
    const signingP12Base64 = (await readFile(signingP12File)).toString('base64');
    const byText = await openAll({ signingP12File: '', signingP12Base64 });
    const byFile = await openAll();
    expect(byText.forBook('any').certificate.fingerprint).toEqual(
      byFile.forBook('any').certificate.fingerprint,
    );
    for (const change of [{ signingP12Base64 }, { signingP12File: '' }]) {
      await expect(openAll(change)).rejects.toThrow('one of SIGNING_P12_FILE and SIGNING_P12_BASE64');
    }
  });

  it.each<[string, Partial<RenderingConfig>, string]>([
    ['the password is wrong', { signingP12Password: 'wrong' }, 'SIGNING_P12_FILE'],
    ['the file is not there', { signingP12File: join(tmpdir(), 'no-such.p12') }, 'ENOENT'],
    ['the text is no file', { signingP12File: '', signingP12Base64: 'AAAA' }, 'SIGNING_P12_BASE64'],
    ['the folder is not there', { signingP12Folder: join(tmpdir(), 'no-such') }, 'SIGNING_P12_FOLDER'],
  ])('the start stops with a reason when %s', async (_what, change, words) => {
    const opening = openAll(change);
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(words);
    await expect(opening).rejects.not.toThrow(signingP12Password);
  });

  it('a business with a certificate signs by its own, every other by that of the operator', async () => {
    const id = randomUUID();
    const own = await issueCertificate('Example Business', forSigning);
    await writeFile(join(folder, `${id}.p12`), p12Of(own.key, [own.certificate], signingP12Password));
    await writeFile(join(folder, 'readme.txt'), 'no certificate');
    const signers = await openAll({ signingP12Folder: folder });
    expect(await signatureReport(await signWith(signers.forBook(id)))).toContain(
      'Common Name: Example Business',
    );
    expect(await signatureReport(await signWith(signers.forBook(randomUUID())))).toContain(
      'Common Name: Test',
    );
    await writeFile(join(folder, `${id}.p12`), 'torn');
    await expect(openAll({ signingP12Folder: folder })).rejects.toThrow(`${id}.p12`);
    await rm(join(folder, `${id}.p12`));
  });

  it('the certificate of the operator may be in the folder of the businesses', async () => {
    const shared = await mkdtemp(join(folder, 'shared-'));
    const id = randomUUID();
    const [operator, own] = [
      await issueCertificate('Example Operator', forSigning),
      await issueCertificate('Example Business', forSigning),
    ];
    const file = join(shared, 'certificate.p12');
    await writeFile(file, p12Of(operator.key, [operator.certificate], signingP12Password));
    await writeFile(join(shared, `${id}.p12`), p12Of(own.key, [own.certificate], signingP12Password));
    // As Kubernetes mounts a secret.
    await mkdir(join(shared, '..data'));
    const signers = await openAll({ signingP12File: file, signingP12Folder: `${shared}/` });
    expect(signers.forBook(id).certificate.subject).toBe('Example Business');
    expect(signers.forBook(randomUUID()).certificate.subject).toBe('Example Operator');
  });

  it('the start stops when the folder has no certificate of a business', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'));
    await expect(openAll({ signingP12Folder: empty })).rejects.toThrow(/has no <business id>\.p12/);
    const file = join(empty, 'certificate.p12');
    await copyFile(signingP12File, file);
    const opening = openAll({ signingP12File: file, signingP12Folder: empty });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(/has no <business id>\.p12/);
  });

  it.each([
    ['the extension is in upper case', (id: string) => `${id}.P12`],
    ['the id is in upper case', (id: string) => `${id.toUpperCase()}.p12`],
    ['the extension is pfx', (id: string) => `${id}.pfx`],
    ['the name is no id', () => 'business.p12'],
    ['the name has as many characters as an id', () => `${'-'.repeat(36)}.p12`],
  ])('the start stops when a certificate in the folder belongs to no business: %s', async (_what, nameOf) => {
    const misnamed = await mkdtemp(join(folder, 'misnamed-'));
    await copyFile(signingP12File, join(misnamed, `${randomUUID()}.p12`));
    const name = nameOf('7c9e6679-7425-40de-944b-e07fc1f90ae7');
    await copyFile(signingP12File, join(misnamed, name));
    const opening = openAll({ signingP12Folder: misnamed });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(`no business signs with: ${name}.`);
  });

  it.each([
    ['rsa:2048', 1],
    ['rsa:3072', 0],
  ])(
    'a certificate with a key that is too short after 2028 is opened with a warning in the log: %s',
    async (key, warnings) => {
      const { key: pem, certificate } = await issueCertificate('Example Operator', forSigning, {
        algorithm: ['-newkey', key],
      });
      const warned: unknown[] = [];
      const signers = await Signers.open(
        config({
          signingP12File: '',
          signingP12Base64: p12Of(pem, [certificate], signingP12Password).toString('base64'),
        }),
        {
          clock: { now: () => new Date() },
          logger: Object.assign(Object.create(logger) as typeof logger, {
            warn: (fields: object, message: string) => warned.push({ ...fields, message }),
          }),
          metrics: new Metrics(),
        },
      );
      expect(await signatureReport(await signWith(signers.forBook('any')))).toContain('Signature is Valid.');
      expect(warned).toEqual(
        Array.from({ length: warnings }, () => ({
          certificate: 'SIGNING_P12_BASE64',
          subject: 'Example Operator',
          reason: expect.stringContaining('2048 bits is accepted until the end of 2028'),
          message: 'signing certificate is weak',
        })),
      );
    },
  );

  it('the certificates that are made for tests and the local stack have a P-256 key', async () => {
    const { certificate } = (await openAll()).forBook('any');
    expect(new X509Certificate(certificate.der).publicKey.asymmetricKeyDetails).toEqual({
      namedCurve: 'prime256v1',
    });
    expect(certificate.weakness).toBeNull();
  });

  it('readiness warns a month before a certificate expires and fails when that of the operator has expired', async () => {
    const signers = await openAll();
    expect(signers.warnings(new Date())).toEqual([]);
    expect(signers.daysLeft(new Date())).toBeGreaterThan(360);
    const end = signers.forBook('any').certificate.validUntil.getTime();
    const soon = new Date(end - days(9.5));
    expect(signers.warnings(soon)).toEqual(['the signing certificate expires in 9 days']);
    expect(signers.failure(soon)).toBeNull();
    expect(signers.failure(new Date(end + 1))).toBe('the signing certificate has expired');
    atAnotherTime = new Date(end + 1);
    await expect(openAll()).rejects.toThrow('The signing certificate expired on');
    atAnotherTime = undefined;
  });

  it('an expired certificate of a business stops only its documents', async () => {
    const id = randomUUID();
    const own = await issueCertificate('Example Business', forSigning);
    await writeFile(join(folder, `${id}.p12`), p12Of(own.key, [own.certificate], signingP12Password));
    const operator = await issueCertificate('Example Operator', forSigning);
    const signingP12Base64 = p12Of(operator.key, [operator.certificate], signingP12Password).toString(
      'base64',
    );
    const signers = await openAll({ signingP12File: '', signingP12Base64, signingP12Folder: folder });
    const ended = new Date(signers.forBook(id).certificate.validUntil.getTime() + 1);
    await expect(signWith(signers.forBook(id), ended)).rejects.toThrow('valid from');
    expect(signers.warnings(ended)).toContain(`the signing certificate of business ${id} has expired`);
  });

  it('a test book signs by the certificate for test books, which is none of a live book, or not at all', async () => {
    const own = await issueCertificate('Example Test', forSigning);
    const testSigningP12Base64 = p12Of(own.key, [own.certificate], 'other').toString('base64');
    const signers = await openAll({ testSigningP12Base64, testSigningP12Password: 'other' });
    const id = randomUUID();
    expect(signers.forBook(testBookOf(id)).certificate.subject).toBe('Example Test');
    expect(signers.forBook(id).certificate.subject).toBe('Test');
    const without = await openAll();
    expect(() => without.forBook(testBookOf(id))).toThrow('TEST_SIGNING_P12_FILE is not set');
    await expect(
      openAll({ testSigningP12File: signingP12File, testSigningP12Password: signingP12Password }),
    ).rejects.toThrow('signs no other documents');
  });
});
