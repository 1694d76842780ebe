import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import type { RenderingConfig } from '../src/config.js';
import { readChromiumFile } from '../src/pdf/chromium-file.js';
import { childrenOf, readDer } from '../src/signature/der.js';
import { explicit, sequence } from '../src/signature/der-encoding.js';
import { Signers } from '../src/signature/signers.js';
import { TimestampAuthority } from '../src/signature/timestamp-authority.js';
import { openssl } from './certificates.js';
import { chromiumAnswer } from './chromium-answer.js';
import { signatureReport, signedParts } from './pdf-tools.js';
import { signingP12File, signingP12Password } from './rendering.js';
import { issueTimeCertificate, TestAuthority } from './timestamp-authority.js';

const value = Buffer.from('the value of a signature');

describe('a time-stamp', () => {
  let authority: TestAuthority;
  let now: Date | undefined;
  let asker: TimestampAuthority;
  let stamps: TestAuthority['answer'];
  beforeAll(async () => {
    authority = await TestAuthority.start();
    stamps = authority.answer;
  }, 60_000);
  afterAll(() => authority?.stop());
  beforeEach(() => {
    now = undefined;
    authority.answer = stamps;
    authority.asked = 0;
    asker = new TimestampAuthority(authority.url, { now: () => now ?? new Date() });
  });
  const stamp = (timeoutMs = 10_000) => asker.stamp(value, timeoutMs);

  it('is one that openssl verifies, of the value that was signed', async () => {
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
      'it tells of another time than was signed',
      (answer) => flipped(answer, answer.toString('latin1').search(/\d{14}Z/) + 13),
      'changed after it was signed',
    ],
  ])('is refused when %s', async (_what, change, words) => {
    authority.answerWith(change);
    await expect(stamp()).rejects.toThrow(words);
  });

  it('is refused when it answers another question', async () => {
    let first: Buffer | undefined;
    authority.answerWith((answer) => (first ??= answer));
    await stamp();
    await expect(stamp()).rejects.toThrow('another question');
    await expect(asker.stamp(Buffer.from('another value'), 10_000)).rejects.toThrow('something else');
  });

  it('is refused when its time is not ours', async () => {
    now = new Date(Date.now() + 10 * 60_000);
    await expect(stamp()).rejects.toThrow('the time-stamp is of');
  });

  it.each([
    ['critical,timeStamping,codeSigning', 'not made for time-stamps alone'],
    ['timeStamping', 'not made for time-stamps alone'],
    ['critical,timeStamping', 'names another certificate'],
  ])('is refused with another certificate of the same key: %s', async (purposes, words) => {
    const other = await issueTimeCertificate(purposes, authority.certificate);
    authority.answerWith((answer) => withCertificate(answer, new X509Certificate(other.certificate).raw));
    await expect(stamp()).rejects.toThrow(words);
  });

  it('is waited for no longer than its time, and then not asked for a while', async () => {
    authority.answer = () => {};
    for (let time = 0; time < 2; time += 1) await expect(stamp(100)).rejects.toThrow();
    authority.answer = stamps;
    await expect(stamp()).rejects.toThrow('left alone');
    expect(authority.asked).toBe(2);
    expect(asker.fault).toContain('failed several times');
    now = new Date(Date.now() + 20_000);
    await expect(stamp()).resolves.toBeInstanceOf(Buffer);
    expect(asker.fault).toBeNull();
  });

  it('is asked for once, not by everybody, to find out whether the authority is back', async () => {
    authority.answer = () => {};
    for (let time = 0; time < 2; time += 1) await expect(stamp(100)).rejects.toThrow();
    now = new Date(Date.now() + 20_000);
    await Promise.allSettled(Array.from({ length: 5 }, () => stamp(100)));
    expect(authority.asked).toBe(3);
  });
});

describe('a signature with a time-stamp', () => {
  let authority: TestAuthority;
  let metrics: Metrics;
  beforeEach(async () => {
    authority = await TestAuthority.start();
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
    const said = { reason: 'r', location: null, contact: null, signedAt };
    return signers.of('any').sign(readChromiumFile(chromiumAnswer('nonce')), facts, said);
  };
  const printed = async (pdf: Buffer) => {
    const { stdout } = await openssl(['cms', '-cmsout', '-print', '-noout', '-inform', 'DER', '-in', 'cms'], {
      cms: signedParts(pdf).signature,
    });
    return stdout;
  };

  it('is PAdES B-T: valid, with the token of its own value, in the room that it needs', async () => {
    const signers = await open();
    const pdf = await sign(signers);
    expect(await signatureReport(pdf)).toContain('Signature is Valid.');
    expect(await printed(pdf)).toMatch(/unsignedAttrs:\s+object: id-smime-aa-timeStampToken/);
    const { signature, roomBytes } = signedParts(pdf);
    expect(roomBytes - signature.length).toBeLessThan(64);
    // The first one learns how long a token is; from then on one question is enough.
    const asked = authority.asked;
    await sign(signers);
    expect(authority.asked).toBe(asked + 1);
  });

  it('is given without it where the authority fails, and the operator is told', async () => {
    authority.answer = (_request, response) => void response.writeHead(500).end();
    const signers = await open();
    for (let time = 0; time < 3; time += 1) {
      const pdf = await sign(signers);
      expect(await signatureReport(pdf)).toContain('Signature is Valid.');
      expect(await printed(pdf)).toMatch(/unsignedAttrs:\s+<ABSENT>/);
    }
    expect(authority.asked).toBe(2);
    expect(await metrics.text()).toContain('pinkas_timestamps_total{outcome="missing"} 3');
    expect(signers.fault(new Date())).toBeNull();
    expect(signers.warnings(new Date())).toEqual([expect.stringContaining('signed without a time-stamp')]);
  });

  it('is refused without it where it is demanded, and that is a fault', async () => {
    authority.answer = (_request, response) => void response.writeHead(500).end();
    const signers = await open({ timestampRequired: true });
    await expect(sign(signers)).rejects.toThrow('answered 500');
    await expect(sign(signers)).rejects.toThrow('answered 500');
    expect(signers.fault(new Date())).toContain('time-stamp authority');
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

/** An answer with another certificate in the place of the one that it was signed with. */
function withCertificate(answer: Buffer, certificate: Buffer): Buffer {
  const [status, token] = childrenOf(readDer(answer)).map(({ whole }) => whole) as [Buffer, Buffer];
  const [type, content] = childrenOf(readDer(token)) as [{ whole: Buffer }, ReturnType<typeof readDer>];
  const parts = childrenOf(childrenOf(content)[0] ?? content).map(({ tag, whole }) =>
    tag === 0xa0 ? explicit(0, certificate) : whole,
  );
  return sequence(status, sequence(type.whole, explicit(0, sequence(...parts))));
}
