import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestCertificate } from '@pinkas/testkit';
import {
  chromiumPdf,
  issueCertificate,
  issueTimeCertificate,
  openssl,
  p12Of,
  signatureReport,
  signedParts,
  type TestCertificate,
  TestTimestampAuthority,
  timeExtensions,
} from '@pinkas/testkit/pdf';
import { Certificate, ContentInfo, SignedData, TimeStampResp } from 'pkijs';
import { readChromiumFile, requestTimestamp, Signer, verifyDetached, verifySignature } from '../src/index.js';

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
/** A certificate that is its own issuer. */
const own = await createTestCertificate();
const value = Buffer.from('the value of a signature');
const hourMs = 3_600_000;

function flipped(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}

/** A reply with another certificate in place of those that it came with. */
function withCertificate(reply: Buffer, certificate: Buffer): Buffer {
  const response = TimeStampResp.fromBER(reply);
  const token = response.timeStampToken as ContentInfo;
  const signedData = new SignedData({ schema: token.content });
  signedData.certificates = [Certificate.fromBER(certificate)];
  response.timeStampToken = new ContentInfo({
    contentType: token.contentType,
    content: signedData.toSchema(),
  });
  return Buffer.from(response.toSchema().toBER());
}

describe('Signer', () => {
  let root: TestCertificate;
  let middle: TestCertificate;
  let leaf: TestCertificate;
  beforeAll(async () => {
    root = await issueCertificate('Example Root', forIssuing);
    middle = await issueCertificate('Example Middle', forIssuing, { issuer: root });
    leaf = await issueCertificate('עסק לדוגמה', forSigning, { issuer: middle });
  });

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

  it('a signature whose time does not exist is not valid, since it is of no time of its certificate', async () => {
    const signer = await open(p12Of(leaf.key, [leaf.certificate], password));
    const signedAt = Object.assign(new Date(), { toISOString: () => '2026-13-01T00:00:00.000Z' });
    const pdf = await signWith(signer, signedAt);
    expect(pdf.toString('latin1')).toContain('/M (D:20261301000000Z)');
    expect(verifySignature(pdf, signer.certificate.fingerprint)).toContain('does not exist');
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

describe('requestTimestamp', () => {
  let authority: TestTimestampAuthority;
  let now: Date | undefined;
  let stamps: TestTimestampAuthority['answer'];
  beforeAll(async () => {
    authority = await TestTimestampAuthority.start();
    stamps = authority.answer;
  });
  afterAll(() => authority?.stop());
  beforeEach(() => {
    now = undefined;
    authority.answer = stamps;
  });
  const stampOf = (signatureValue: Buffer, url = authority.url) =>
    requestTimestamp(url, signatureValue, { timeoutMs: 10_000, now: () => now ?? new Date() });
  const stamp = () => stampOf(value);

  it('openssl verifies the token of a signature value', async () => {
    const token = await stamp();
    const files = { token, 'ca.pem': authority.certificate.certificate };
    const digest = createHash('sha256').update(value).digest('hex');
    const { stdout } = await openssl(
      ['ts', '-verify', '-digest', digest, '-token_in', '-in', 'token', '-CAfile', 'ca.pem'],
      files,
    );
    expect(stdout).toContain('Verification: OK');
  });

  it.each<[string, (answer: Buffer) => Buffer, string]>([
    ['it is empty', () => Buffer.alloc(0), 'cannot be read'],
    ['it is cut short', (answer) => answer.subarray(0, -1), 'cannot be read'],
    ['it is something else', () => Buffer.from('<html>Welcome to the proxy</html>'), 'time-stamp'],
    ['it is a refusal', () => Buffer.from('30053003020102', 'hex'), 'refused'],
    ['it is larger than any', () => Buffer.alloc(100_000, 0x30), 'too large'],
    ['its signature is wrong', (answer) => flipped(answer, answer.length - 5), 'signature of the time-stamp'],
    [
      'its time is changed after it was signed',
      (answer) => flipped(answer, answer.toString('latin1').search(/\d{14}Z/) + 13),
      'changed after it was signed',
    ],
  ])('a reply is rejected when %s', async (_what, change, words) => {
    authority.answerWith(change);
    await expect(stamp()).rejects.toThrow(words);
  });

  it('a reply is rejected when it is of another request', async () => {
    let first: Buffer | undefined;
    authority.answerWith((answer) => (first ??= answer));
    await stamp();
    await expect(stamp()).rejects.toThrow('another request');
    await expect(stampOf(Buffer.from('another value'))).rejects.toThrow('something else');
  });

  it('a reply is rejected when its time is not now', async () => {
    now = new Date(Date.now() + 10 * 60_000);
    await expect(stamp()).rejects.toThrow('the time-stamp is of');
  });

  it.each([
    ['critical,timeStamping,codeSigning', 'not made for time-stamps alone'],
    ['timeStamping', 'not made for time-stamps alone'],
    ['critical,timeStamping', 'names another certificate'],
  ])('a reply is rejected with another certificate of the same key: %s', async (purposes, words) => {
    const other = await issueTimeCertificate(purposes, authority.certificate);
    authority.answerWith((answer) => withCertificate(answer, new X509Certificate(other.certificate).raw));
    await expect(stamp()).rejects.toThrow(words);
  });

  describe('of a signature without its content', () => {
    const content = Buffer.from('a statement');
    const at = new Date();
    const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
    const fingerprintOf = ({ certificate }: TestCertificate) =>
      sha256(new X509Certificate(certificate).raw).toString('hex');
    /** Signs with a time-stamp, and verifies it as one that claims another time. */
    const verified = async (request: (signatureValue: Buffer) => Promise<Buffer>, claimedAt = at) => {
      const signer = await Signer.open(await readFile(own.file), own.password, at, () => ({
        requestTimestamp: request,
      }));
      const signature = await signer.signDigest(sha256(content), at);
      return verifyDetached(content, signature, signer.certificate.fingerprint, claimedAt);
    };

    it('the time-stamp is verified, with its time and its certificate', async () => {
      const { reason, timestamp } = await verified(stampOf);
      expect(reason).toBeNull();
      expect(timestamp?.certificates).toEqual([fingerprintOf(authority.certificate)]);
      expect(Math.abs((timestamp?.at.getTime() ?? 0) - at.getTime())).toBeLessThan(hourMs);
    });

    it('the certificates above that of the time-stamp are verified up to the root', async () => {
      const root = await issueCertificate('Example Root', forIssuing);
      const stranger = await issueCertificate('Example Root', forIssuing);
      const time = await issueCertificate('Example Time', timeExtensions('critical,timeStamping'), {
        issuer: root,
      });
      const chain = `${time.certificate}${stranger.certificate}${root.certificate}`;
      const issued = await TestTimestampAuthority.start({ certificate: time, chain });
      try {
        const { timestamp } = await verified((signatureValue) => stampOf(signatureValue, issued.url));
        expect(timestamp?.certificates).toEqual([fingerprintOf(time), fingerprintOf(root)]);
      } finally {
        await issued.stop();
      }
    });

    it('a time-stamp of something else, of another time, or changed makes the signature invalid', async () => {
      const reasonOf = async (...args: Parameters<typeof verified>) => {
        const { reason, timestamp } = await verified(...args);
        expect(timestamp).toBeNull();
        return reason;
      };
      expect(await reasonOf(() => stampOf(value))).toBe('the time-stamp is of something else');
      expect(await reasonOf(stampOf, new Date(at.getTime() + hourMs / 6))).toMatch(
        /^the time-stamp is of 20/,
      );
      const changed = async (signatureValue: Buffer) => {
        const token = await stampOf(signatureValue);
        return flipped(token, token.length - 5);
      };
      expect(await reasonOf(changed)).toBe('the signature of the time-stamp is wrong');
    });
  });
});
