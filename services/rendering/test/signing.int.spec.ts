import { randomUUID, X509Certificate } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IssuedDocument, renderArtifact, showSigningCertificate } from '@pinkas/contracts';
import { testBookOf } from '@pinkas/domain';
import { readChromiumFile, Signer } from '@pinkas/pdf';
import { createLogger, Metrics, newContext, systemClock, withContext } from '@pinkas/service-kit';
import { ConfigError } from '@pinkas/service-kit/config';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import { eventually } from '@pinkas/testkit';
import {
  chromiumPdf,
  issueCertificate,
  openssl,
  p12Of,
  signatureReport,
  signedParts,
  TestTimestampAuthority,
} from '@pinkas/testkit/pdf';
import type { RenderingConfig } from '../src/config.js';
import { SignatureChecks } from '../src/signature/signature-checks.js';
import { Signers } from '../src/signature/signers.js';
import { TimestampAuthority } from '../src/signature/timestamp-authority.js';
import { type RenderingUnderTest, signingP12File, signingP12Password, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const forSigning = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation'];
const page = readChromiumFile(chromiumPdf('nonce'));
const signWith = (signer: Signer, signedAt = new Date()) =>
  signer.sign(
    page,
    { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: signedAt },
    { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt },
  );
/** A business with a certificate of its own. */
const own = randomUUID();

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

  it('the checks of a certificate change with the days that are left, and name one that is self-signed', async () => {
    const signers = await openAll();
    const { validUntil } = signers.operator.certificate;
    const clock = { now: () => atAnotherTime ?? new Date() };
    const check = async (daysBefore: number, change: Partial<RenderingConfig> = {}) => {
      atAnotherTime = new Date(validUntil.getTime() - days(daysBefore));
      const diagnosis = new Diagnosis('rendering');
      const at = {
        production: true,
        viewUrlBase: 'https://pinkas.co.il/d',
        timestampAuthorityUrl: '',
        ...change,
      };
      new SignatureChecks(signers, config(at), clock, diagnosis);
      const checks = await diagnosis.run();
      atAnotherTime = undefined;
      return checks.filter(({ subject }) => subject === 'the signing certificate').map(({ state }) => state);
    };
    expect(await check(60)).toEqual(['ok', 'failure']);
    expect(await check(60, { viewUrlBase: 'http://127.0.0.1/d' })).toEqual(['ok', 'warning']);
    expect(await check(20)).toEqual(['warning', 'failure']);
    expect(await check(-1)).toEqual(['failure']);
  });

  it('a time-stamp authority is asked where it gave none within the hour, and one that gives none is a finding', async () => {
    const authority = await TestTimestampAuthority.start();
    const timestampAuthorityUrl = authority.url;
    const check = async (signers: Signers, timestampRequired = false) => {
      const diagnosis = new Diagnosis('rendering');
      const change = { timestampAuthorityUrl, timestampRequired, viewUrlBase: 'https://pinkas.co.il/d' };
      new SignatureChecks(signers, config(change), systemClock, diagnosis);
      const checks = await diagnosis.run();
      return checks.find(({ subject }) => subject.startsWith('time-stamps of'));
    };
    const signers = await openAll({ timestampAuthorityUrl });
    expect(await check(signers)).toMatchObject({ state: 'ok', finding: 'one was given now' });
    await authority.stop();
    expect(await check(signers)).toMatchObject({ state: 'ok', finding: 'the last was given 0 s ago' });
    const others = await openAll({ timestampAuthorityUrl });
    expect(await check(others)).toMatchObject({ state: 'warning' });
    expect(await check(others, true)).toMatchObject({ state: 'failure' });
  });

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

describe('TimestampAuthority', () => {
  let authority: TestTimestampAuthority;
  let now: Date | undefined;
  let client: TimestampAuthority;
  beforeEach(async () => {
    authority = await TestTimestampAuthority.start();
    now = undefined;
    client = new TimestampAuthority(authority.url, { now: () => now ?? new Date() });
  });
  afterEach(() => authority?.stop());
  const stamp = (timeoutMs = 10_000) => client.requestToken(Buffer.from('a signature'), timeoutMs);

  it('the circuit opens after two time-outs and closes after a reply', async () => {
    const stamps = authority.answer;
    authority.answer = () => {};
    for (let time = 0; time < 2; time += 1) {
      await expect(stamp(100)).rejects.toThrow();
    }
    authority.answer = stamps;
    await expect(stamp()).rejects.toThrow('circuit');
    expect(client.failure).toContain('failed several times');
    now = new Date(Date.now() + 20_000);
    await expect(stamp()).resolves.toBeInstanceOf(Buffer);
    expect(client.failure).toBeNull();
  });

  it('an open circuit sends one probe at a time', async () => {
    authority.answer = (_request, response) => void response.destroy();
    for (let time = 0; time < 2; time += 1) {
      await expect(stamp()).rejects.toThrow();
    }
    await expect(stamp()).rejects.toThrow('circuit');
    expect(authority.requests).toBe(2);
    now = new Date(Date.now() + 20_000);
    await Promise.allSettled(Array.from({ length: 5 }, () => stamp()));
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

describe('RenderArtifact with a time-stamp authority', () => {
  it('a PDF that is signed after the time of its call is not stored', async () => {
    const authority = await TestTimestampAuthority.start();
    const rendering = await startRendering({
      timestampAuthorityUrl: authority.url,
      timestampTimeoutMs: 20_000,
    });
    const metrics = async () =>
      (await fetch(`http://127.0.0.1:${rendering.service.healthPort}/metrics`)).text();
    const answered = async () =>
      [...(await metrics()).matchAll(/^pinkas_requests_total{.*artifact\.render\..*} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    const business = sampleBusiness();
    const [first, late] = [sampleDocument('quote', business), sampleDocument('quote', business)];
    const render = (document: IssuedDocument, timeoutMs: number) =>
      withContext(newContext(timeoutMs), () =>
        rendering.network.client.call(renderArtifact, { document, business, attempt: 1 }),
      );
    try {
      await render(first, 20_000);
      const { answer } = authority;
      let release: () => void = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      authority.answer = (request, response) => released.then(() => answer(request, response));
      // The caller's limit and that of the operation end at the same instant.
      await expect(render(late, renderArtifact.timeoutMs)).rejects.toMatchObject({
        code: expect.stringMatching(/^(engine_error|document_generation_failed)$/),
      });
      release();
      await eventually('the operation ends', async () => (await answered()) === 2);
      expect(await metrics()).toMatch(/^pinkas_renderings_total{outcome="made"} 2$/m);
      const rows = await rendering.database.db.selectFrom('artifact').select('document_id').execute();
      expect(rows).toEqual([{ document_id: first.id }]);
    } finally {
      await rendering.stop();
      await authority.stop();
    }
  });
});

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
  });
  afterAll(async () => {
    await rendering?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const show = (businessId: string) =>
    rendering.network.call(showSigningCertificate, { business_id: businessId });
  const certificateIn = async (file: string) =>
    (await Signer.open(await readFile(file), signingP12Password, new Date())).certificate;
  const endOf = async (file: string) => (await certificateIn(file)).validUntil.toISOString();

  it("ShowSigningCertificate returns the platform's certificate for a business without its own", async () => {
    const { subject } = await certificateIn(signingP12File);
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
