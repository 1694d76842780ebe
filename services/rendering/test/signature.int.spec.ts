import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, createLogger, Metrics } from '@pinkas/service-kit';
import type { RenderingConfig } from '../src/config.js';
import { readChromiumFile } from '../src/pdf/chromium-file.js';
import { signatureFault } from '../src/signature/signature-proof.js';
import { Signer } from '../src/signature/signer.js';
import { Signers } from '../src/signature/signers.js';
import { type Issued, issueCertificate, openssl, p12Of } from './certificates.js';
import { chromiumAnswer } from './chromium-answer.js';
import { signatureReport, signedParts } from './pdf-tools.js';
import { signingP12File, signingP12Password } from './rendering.js';

const password = 'secret';
const forSigning = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation'];
const forIssuing = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'];
const page = readChromiumFile(chromiumAnswer('nonce'));
const signWith = (signer: Signer, signedAt = new Date()) =>
  signer.sign(
    page,
    { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: signedAt },
    { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt },
  );
const open = (p12: Uint8Array, now = new Date()) => Signer.open(p12, password, async () => null, now);

describe('a signature', () => {
  let root: Issued;
  let middle: Issued;
  let leaf: Issued;
  beforeAll(async () => {
    root = await issueCertificate('Example Root', forIssuing);
    middle = await issueCertificate('Example Middle', forIssuing, { issuer: root });
    leaf = await issueCertificate('עסק לדוגמה', forSigning, { issuer: middle });
  }, 60_000);

  it('is valid to pdfsig and to openssl, with the attributes of PAdES B-B and no others', async () => {
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
    // As a reader does that trusts the root: those in between come with the signature.
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
  ])('has the room that it needs, and hardly more: %s', async (_what, length) => {
    const chain = Array.from({ length }, () => middle.certificate);
    const signer = await open(p12Of(leaf.key, [leaf.certificate, ...chain], password));
    const pdf = await signWith(signer);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    const { signature, roomBytes } = signedParts(pdf);
    expect(signature.length).toBeGreaterThan(length * 700);
    expect(roomBytes - signature.length).toBeGreaterThanOrEqual(0);
    expect(roomBytes - signature.length).toBeLessThan(64);
  });

  it('is by the certificate of the key, wherever it stands in the file', async () => {
    const signer = await open(
      p12Of(leaf.key, [root.certificate, middle.certificate, leaf.certificate], password),
    );
    expect(signer.certificate.subject).toBe('עסק לדוגמה');
    expect(await signatureReport(await signWith(signer))).toContain('Signature is Valid.');
  });

  it.each([['P-256'], ['P-384']])('may be of an elliptic curve: %s', async (curve) => {
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

  it('is the same for the same page at the same instant', async () => {
    const signer = await open(p12Of(leaf.key, [leaf.certificate], password));
    const facts = {
      documentId: 'one',
      title: 't',
      author: 'a',
      language: 'en',
      issuedAt: new Date(),
    } as const;
    const said = { reason: 'r', location: null, contact: null, signedAt: new Date() };
    const [first, second] = await Promise.all([1, 2].map(() => signer.sign(page, facts, said)));
    expect(second?.equals(first ?? Buffer.alloc(0))).toBe(true);
  });

  it('is proven whatever the words in its dictionary are', async () => {
    const signer = await open(p12Of(leaf.key, [leaf.certificate], password));
    const signedAt = new Date();
    const words = ') obj << /M (D:20010101000000Z) /ByteRange [0 1 2 3] /Contents <00> >> endobj 9 0 obj';
    const pdf = await signer.sign(
      page,
      { documentId: randomUUID(), title: words, author: words, language: 'en', issuedAt: signedAt },
      { reason: words, location: words, contact: words, signedAt },
    );
    expect(signatureFault(pdf, signer.certificate.fingerprint)).toBeNull();
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
  });

  it('is not given outside of the time of its certificate', async () => {
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
      'the certificate is not made for signatures',
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
  ])('is refused at the start when %s', async (_what, p12, words) => {
    await expect(open(await p12())).rejects.toThrow(words);
  });
});

describe('the certificates of the process', () => {
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

  it('may come as a file or as a text, but not as both', async () => {
    const signingP12Base64 = (await readFile(signingP12File)).toString('base64');
    const byText = await openAll({ signingP12File: '', signingP12Base64 });
    const byFile = await openAll();
    expect(byText.of('any').certificate.fingerprint).toEqual(byFile.of('any').certificate.fingerprint);
    for (const change of [{ signingP12Base64 }, { signingP12File: '' }]) {
      await expect(openAll(change)).rejects.toThrow('one of SIGNING_P12_FILE and SIGNING_P12_BASE64');
    }
  });

  it.each<[string, Partial<RenderingConfig>, string]>([
    ['the password is wrong', { signingP12Password: 'wrong' }, 'SIGNING_P12_FILE'],
    ['the file is not there', { signingP12File: join(tmpdir(), 'no-such.p12') }, 'ENOENT'],
    ['the text is no file', { signingP12File: '', signingP12Base64: 'AAAA' }, 'SIGNING_P12_BASE64'],
    ['the folder is not there', { signingP12Folder: join(tmpdir(), 'no-such') }, 'SIGNING_P12_FOLDER'],
  ])('stop the start with a sentence when %s', async (_what, change, words) => {
    const opening = openAll(change);
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(words);
    await expect(opening).rejects.not.toThrow(signingP12Password);
  });

  it('sign for a business by its own, and for every other by the operator’s', async () => {
    const id = randomUUID();
    const own = await issueCertificate('Example Business', forSigning);
    await writeFile(join(folder, `${id}.p12`), p12Of(own.key, [own.certificate], signingP12Password));
    await writeFile(join(folder, 'readme.txt'), 'no certificate');
    const signers = await openAll({ signingP12Folder: folder });
    expect(await signatureReport(await signWith(signers.of(id)))).toContain('Common Name: Example Business');
    expect(await signatureReport(await signWith(signers.of(randomUUID())))).toContain('Common Name: Test');
    await writeFile(join(folder, `${id}.p12`), 'torn');
    await expect(openAll({ signingP12Folder: folder })).rejects.toThrow(`${id}.p12`);
    await rm(join(folder, `${id}.p12`));
  });

  it('warn a month before the first of them ends, and are a fault once the operator’s has ended', async () => {
    const signers = await openAll();
    expect(signers.warnings(new Date())).toEqual([]);
    expect(signers.daysLeft(new Date())).toBeGreaterThan(360);
    const end = signers.of('any').certificate.validUntil.getTime();
    const soon = new Date(end - days(9.5));
    expect(signers.warnings(soon)).toEqual(['the signing certificate ends in 9 days']);
    expect(signers.fault(soon)).toBeNull();
    expect(signers.fault(new Date(end + 1))).toBe('the signing certificate has ended');
    atAnotherTime = new Date(end + 1);
    await expect(openAll()).rejects.toThrow('The signing certificate ended on');
    atAnotherTime = undefined;
  });

  it('of one business that has ended stops nobody else', async () => {
    const id = randomUUID();
    const own = await issueCertificate('Example Business', forSigning);
    await writeFile(join(folder, `${id}.p12`), p12Of(own.key, [own.certificate], signingP12Password));
    const operator = await issueCertificate('Example Operator', forSigning);
    const signingP12Base64 = p12Of(operator.key, [operator.certificate], signingP12Password).toString(
      'base64',
    );
    const signers = await openAll({ signingP12File: '', signingP12Base64, signingP12Folder: folder });
    const ended = new Date(signers.of(id).certificate.validUntil.getTime() + 1);
    await expect(signWith(signers.of(id), ended)).rejects.toThrow('valid from');
    expect(signers.warnings(ended)).toContain(`the signing certificate of business ${id} has ended`);
  });
});
