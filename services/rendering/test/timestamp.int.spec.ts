import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import { Certificate, ContentInfo, SignedData, TimeStampResp } from 'pkijs';
import type { RenderingConfig } from '../src/config.js';
import { readChromiumFile } from '../src/pdf/chromium-file.js';
import { Signers } from '../src/signature/signers.js';
import { TimestampAuthority } from '../src/signature/timestamp-authority.js';
import { openssl } from './certificates.js';
import { chromiumPdf } from './chromium-pdf.js';
import { signatureReport, signedParts } from './pdf-tools.js';
import { signingP12File, signingP12Password } from './rendering.js';
import { issueTimeCertificate, TestTimestampAuthority } from './timestamp-authority.js';

const value = Buffer.from('the value of a signature');

describe('TimestampAuthority', () => {
  let authority: TestTimestampAuthority;
  let now: Date | undefined;
  let client: TimestampAuthority;
  let stamps: TestTimestampAuthority['answer'];
  beforeAll(async () => {
    authority = await TestTimestampAuthority.start();
    stamps = authority.answer;
  }, 60_000);
  afterAll(() => authority?.stop());
  beforeEach(() => {
    now = undefined;
    authority.answer = stamps;
    authority.requests = 0;
    client = new TimestampAuthority(authority.url, { now: () => now ?? new Date() });
  });
  const stamp = (timeoutMs = 10_000) => client.requestToken(value, timeoutMs);

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
    await expect(client.requestToken(Buffer.from('another value'), 10_000)).rejects.toThrow('something else');
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

  it('the circuit opens after two time-outs and closes after a reply', async () => {
    authority.answer = () => {};
    for (let time = 0; time < 2; time += 1) {
      await expect(stamp(100)).rejects.toThrow();
    }
    authority.answer = stamps;
    await expect(stamp()).rejects.toThrow('circuit');
    expect(authority.requests).toBe(2);
    expect(client.failure).toContain('failed several times');
    now = new Date(Date.now() + 20_000);
    await expect(stamp()).resolves.toBeInstanceOf(Buffer);
    expect(client.failure).toBeNull();
  });

  it('an open circuit sends one probe at a time', async () => {
    authority.answer = () => {};
    for (let time = 0; time < 2; time += 1) {
      await expect(stamp(100)).rejects.toThrow();
    }
    now = new Date(Date.now() + 20_000);
    await Promise.allSettled(Array.from({ length: 5 }, () => stamp(100)));
    expect(authority.requests).toBe(3);
  });
});

describe('Signers with a time-stamp authority', () => {
  let authority: TestTimestampAuthority;
  let metrics: Metrics;
  beforeEach(async () => {
    authority = await TestTimestampAuthority.start();
  });
  afterEach(() => authority.stop());
  const open = (change: Partial<RenderingConfig> = {}) => {
    const config = {
      signingP12File,
      signingP12Password,
      timestampAuthorityUrl: authority.url,
      timestampTimeoutMs: 5_000,
      timestampRequired: false,
      ...change,
    } as RenderingConfig;
    metrics = new Metrics();
    return Signers.open(config, { clock: systemClock, logger: createLogger('rendering', 'silent'), metrics });
  };
  const sign = async (signers: Signers) => {
    const signedAt = new Date();
    const facts = {
      documentId: randomUUID(),
      title: 't',
      author: 'a',
      language: 'en',
      issuedAt: signedAt,
    } as const;
    const entries = { reason: 'r', location: null, contact: null, signedAt };
    return signers.forBook('any').sign(readChromiumFile(chromiumPdf('nonce')), facts, entries);
  };
  const printed = async (pdf: Buffer) => {
    const { stdout } = await openssl(['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', 'cms'], {
      cms: signedParts(pdf).signature,
    });
    return stdout;
  };

  it('a signature with a time-stamp is PAdES B-T and fits its placeholder', async () => {
    const signers = await open();
    const pdf = await sign(signers);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    expect(await printed(pdf)).toMatch(/unsignedAttrs:\s+object: id-smime-aa-timeStampToken/);
    const { signature, placeholderBytes } = signedParts(pdf);
    expect(placeholderBytes - signature.length).toBeLessThan(64);
    // The first signature measures a token; from then on one request is enough.
    const requests = authority.requests;
    await sign(signers);
    expect(authority.requests).toBe(requests + 1);
  });

  it('a document is signed without a time-stamp when the authority fails, and readiness warns', async () => {
    authority.answer = (_request, response) => void response.writeHead(500).end();
    const signers = await open();
    for (let time = 0; time < 3; time += 1) {
      const pdf = await sign(signers);
      expect(await signatureReport(pdf)).toContain('Signature is Valid.');
      expect(await printed(pdf)).toMatch(/unsignedAttrs:\s+<ABSENT>/);
    }
    expect(authority.requests).toBe(2);
    expect(await metrics.text()).toContain('pinkas_timestamps_total{outcome="missing"} 3');
    expect(signers.failure(new Date())).toBeNull();
    expect(signers.warnings(new Date())).toEqual([expect.stringContaining('signed without a time-stamp')]);
  });

  it('signing and readiness fail when a required time-stamp is missing', async () => {
    authority.answer = (_request, response) => void response.writeHead(500).end();
    const signers = await open({ timestampRequired: true });
    await expect(sign(signers)).rejects.toThrow('answered 500');
    await expect(sign(signers)).rejects.toThrow('answered 500');
    expect(signers.failure(new Date())).toContain('time-stamp authority');
    await expect(open({ timestampRequired: true, timestampAuthorityUrl: '' })).rejects.toThrow(
      'needs a TIMESTAMP_AUTHORITY_URL',
    );
  });
});

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
