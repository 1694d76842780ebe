import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { renderArtifact } from '@pinkas/contracts';
import { readChromiumFile, verifySignature } from '@pinkas/pdf';
import { createLogger, Metrics } from '@pinkas/service-kit';
import { eventually } from '@pinkas/testkit';
import {
  chromiumPdf,
  issueCertificate,
  openssl,
  qpdfCheck,
  signatureReport,
  type TestCertificate,
  TestCertificateAuthority,
  TestTimestampAuthority,
  timeExtensions,
} from '@pinkas/testkit/pdf';
import type { RenderingConfig } from '../src/config.js';
import { Signers } from '../src/signature/signers.js';
import { startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

const password = 'secret';
const forSigning = ['basicConstraints=CA:FALSE', 'keyUsage=critical,digitalSignature,nonRepudiation'];
const hourMs = 3_600_000;

/** What a file has as proofs, in DER, by the names of the store. */
function storedProofs(pdf: Buffer): Record<string, Buffer[]> {
  const text = pdf.toString('latin1');
  const store = Number(/\/DSS (\d+) 0 R/.exec(text)?.[1] ?? 0);
  if (store === 0) {
    return {};
  }
  // A reply begins with a status of success.
  const kindOf = (der: Buffer) =>
    der.subarray(0, 8).includes(Buffer.from([0x0a, 0x01, 0x00])) ? 'reply' : 'other';
  // The proofs are the streams of the update, which follows the end of the signed file.
  const updateAt = pdf.indexOf('%%EOF\n') + '%%EOF\n'.length;
  const proofs = [...text.slice(updateAt).matchAll(/\d+ 0 obj\n<<\/Length (\d+)>>stream\n/g)].map((match) => {
    const at = updateAt + match.index + match[0].length;
    return pdf.subarray(at, at + Number(match[1]));
  });
  return {
    replies: proofs.filter((der) => kindOf(der) === 'reply'),
    others: proofs.filter((der) => kindOf(der) === 'other'),
  };
}

describe('Signers with certificates that name their revocation', () => {
  let authority: TestCertificateAuthority;
  let shiftMs: number;
  let logged: { level: string; message: string }[];
  let metrics: Metrics;
  const now = () => new Date(Date.now() + shiftMs);
  const stopped = new AbortController().signal;
  beforeEach(async () => {
    authority = await TestCertificateAuthority.start('Example Root');
    shiftMs = 0;
    logged = [];
  });
  afterEach(() => authority?.stop());

  const p12 = async ({ key, certificate }: TestCertificate, chain: readonly string[]): Promise<string> => {
    const { files } = await openssl(
      [
        ...['pkcs12', '-export', '-inkey', 'key', '-in', 'certificate', '-out', 'p12'],
        ...(chain.length > 0 ? ['-certfile', 'chain'] : []),
        ...['-passout', `pass:${password}`],
      ],
      { key, certificate, chain: chain.join('') },
      ['p12'],
    );
    return (files[0] ?? Buffer.alloc(0)).toString('base64');
  };
  const open = async (
    certificate: TestCertificate,
    chain: readonly string[] = [authority.certificate.certificate],
    change: Partial<RenderingConfig> = {},
  ) => {
    const silent = createLogger('rendering', 'silent');
    const record = (level: string) => (_fields: object, message: string) => logged.push({ level, message });
    metrics = new Metrics();
    return Signers.open(
      {
        signingP12Base64: await p12(certificate, chain),
        signingP12Password: password,
        timestampTimeoutMs: 10_000,
        ...change,
      } as RenderingConfig,
      {
        clock: { now },
        logger: Object.assign(Object.create(silent) as typeof silent, {
          warn: record('warn'),
          error: record('error'),
        }),
        metrics,
      },
    );
  };
  const sign = async (signers: Signers) => {
    const signer = signers.forBook('any');
    const pdf = await signer.sign(
      readChromiumFile(chromiumPdf('nonce')),
      { documentId: randomUUID(), title: 't', author: 'a', language: 'en', issuedAt: now() },
      { reason: 'r', location: null, contact: null, signedAt: now() },
    );
    expect(verifySignature(pdf, signer.certificate.fingerprint)).toBeNull();
    return pdf;
  };

  it('a file has the OCSP reply that openssl verifies, and is valid', async () => {
    const leaf = await authority.issue('Example Signer', [
      ...forSigning,
      ...authority.sources('ocsp', 'list'),
    ]);
    const signers = await open(leaf);
    await signers.refreshValidationData(stopped);
    const pdf = await sign(signers);
    const report = await signatureReport(pdf);
    expect(report).toContain('Signature is Valid.');
    expect(report).toContain('Signed Ranges');
    expect(await qpdfCheck(pdf)).toContain('No syntax or stream encoding errors found');
    const { replies = [], others } = storedProofs(pdf);
    expect([replies.length, others]).toEqual([1, []]);
    const { stdout } = await openssl(
      ['ocsp', '-respin', 'reply', '-CAfile', 'ca', '-issuer', 'ca', '-cert', 'leaf'],
      { reply: replies[0] ?? '', ca: authority.certificate.certificate, leaf: leaf.certificate },
    );
    expect(stdout).toContain('leaf: good');
    // The list is requested only where the responder does not reply.
    expect(authority.requests).toEqual(['/ocsp']);
  });

  it('a signature is invalid when anything but proofs follows the signed bytes', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    const signers = await open(leaf);
    await signers.refreshValidationData(stopped);
    const pdf = await sign(signers);
    const { fingerprint } = signers.forBook('any').certificate;
    const [reply = Buffer.alloc(0)] = storedProofs(pdf).replies ?? [];
    const replyAt = pdf.indexOf(reply);
    const updateAt = pdf.indexOf('%%EOF\n') + '%%EOF\n'.length;
    const missed = Array.from({ length: pdf.length - updateAt }, (_, index) => updateAt + index).filter(
      (at) => {
        const forged = Buffer.from(pdf);
        forged[at] = (forged[at] ?? 0) ^ 1;
        // The proof is signed by its issuer, not by this signature.
        return (
          (at < replyAt || at >= replyAt + reply.length) && verifySignature(forged, fingerprint) === null
        );
      },
    );
    expect(missed).toEqual([]);
    const longer = Buffer.concat([pdf, Buffer.from('1 0 obj\n<<>>\nendobj\n')]);
    expect(verifySignature(longer, fingerprint)).toContain('does not cover the whole file');
  });

  it('a service that runs has the proofs at hand for its documents', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    const rendering = await startRendering({
      signingP12File: '',
      signingP12Base64: await p12(leaf, [authority.certificate.certificate]),
      signingP12Password: password,
    });
    try {
      const business = sampleBusiness();
      await eventually('a document has proofs', async () => {
        const document = sampleDocument('tax_invoice', business);
        await rendering.network.call(renderArtifact, { document, business, attempt: 1 });
        const { pdf } = await rendering.database.db
          .selectFrom('artifact')
          .select('pdf')
          .$narrowType<{ pdf: Buffer }>()
          .where('document_id', '=', document.id)
          .executeTakeFirstOrThrow();
        expect(await signatureReport(pdf)).toContain('Signature is Valid.');
        return storedProofs(pdf).replies?.length === 1;
      });
    } finally {
      await rendering.stop();
    }
  });

  it('a document waits for no proof: without one it is signed as before', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    const signers = await open(leaf);
    expect(storedProofs(await sign(signers))).toEqual({});
    expect(authority.requests).toEqual([]);
    authority.answers.set('/ocsp', () => {});
    const refreshing = new AbortController();
    const refresh = signers.refreshValidationData(refreshing.signal);
    expect(storedProofs(await sign(signers))).toEqual({});
    refreshing.abort();
    await refresh;
    expect(logged).toEqual([]);
  });

  it.each<[string, (ca: TestCertificateAuthority) => void]>([
    ['is unavailable', (ca) => ca.answers.set('/ocsp', (_, response) => void response.writeHead(503).end())],
    [
      'replies with something else',
      (ca) => ca.answers.set('/ocsp', (_, response) => void response.end('<p>')),
    ],
    [
      'replies with more than a proof can be',
      (ca) => ca.answers.set('/ocsp', (_, response) => void response.end(Buffer.alloc(200_000, 0x30))),
    ],
    [
      'redirects',
      (ca) =>
        ca.answers.set('/ocsp', (_, response) => void response.writeHead(302, { location: '/list' }).end()),
    ],
    ['refuses', (ca) => ca.answers.set('/ocsp', (_, r) => void r.end(Buffer.from('30030a0106', 'hex')))],
    [
      'changes a byte of its reply',
      (ca) =>
        ca.answers.set('/ocsp', async (request, response) => {
          const reply = await ca.reply(request);
          const at = reply.toString('latin1').search(/20\d{12}Z/) + 13;
          reply[at] = (reply[at] ?? 0) ^ 1;
          response.end(reply);
        }),
    ],
  ])('the revocation list is taken when the OCSP responder %s', async (_what, change) => {
    const leaf = await authority.issue('Example Signer', [
      ...forSigning,
      ...authority.sources('ocsp', 'list'),
    ]);
    change(authority);
    const signers = await open(leaf);
    await signers.refreshValidationData(stopped);
    expect(authority.requests).toEqual(['/ocsp', '/list']);
    const { replies, others = [] } = storedProofs(await sign(signers));
    expect([replies, others.length]).toEqual([[], 1]);
    const { stdout } = await openssl(['crl', '-inform', 'DER', '-in', 'list', '-CAfile', 'ca', '-noout'], {
      list: others[0] ?? '',
      ca: authority.certificate.certificate,
    });
    expect(stdout).toBe('');
  });

  it('a reply is accepted from a responder that the issuer has appointed, and from no other', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    authority.responder = await authority.issue('Example Responder', [
      'extendedKeyUsage=OCSPSigning',
      'noCheck=ignored',
    ]);
    const appointed = await open(leaf);
    await appointed.refreshValidationData(stopped);
    expect(storedProofs(await sign(appointed)).replies).toHaveLength(1);
    for (const responder of [
      await authority.issue('Example Stranger', forSigning),
      await issueCertificate('Example Impostor', ['extendedKeyUsage=OCSPSigning', 'noCheck=ignored']),
    ]) {
      authority.responder = responder;
      const signers = await open(leaf);
      await signers.refreshValidationData(stopped);
      expect(storedProofs(await sign(signers))).toEqual({});
    }
    expect(logged).toEqual(Array(2).fill({ level: 'warn', message: 'revocation request failed' }));
  });

  it('a proof of another certificate is not taken', async () => {
    const other = await authority.issue('Example Other', [...forSigning, ...authority.sources('ocsp')]);
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    let request: Buffer | undefined;
    authority.answers.set('/ocsp', async (bytes, response) => {
      request ??= bytes;
      response.end(await authority.reply(request));
    });
    await (await open(other)).refreshValidationData(stopped);
    const signers = await open(leaf);
    await signers.refreshValidationData(stopped);
    expect(storedProofs(await sign(signers))).toEqual({});
  });

  it('a proof is fetched again before it ends, is used until then, and not after it', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
    const signers = await open(leaf);
    const refreshAt = async (hours: number) => {
      shiftMs = hours * hourMs;
      await signers.refreshValidationData(stopped);
    };
    await refreshAt(0);
    await refreshAt(11);
    expect(authority.requests).toHaveLength(1);
    authority.answers.set('/ocsp', (_request, response) => void response.writeHead(500).end());
    await refreshAt(13);
    expect(authority.requests).toHaveLength(2);
    expect(storedProofs(await sign(signers)).replies).toHaveLength(1);
    // A failed request is repeated after a pause, which grows.
    await refreshAt(13);
    expect(authority.requests).toHaveLength(2);
    await refreshAt(23);
    expect(authority.requests).toHaveLength(3);
    shiftMs = 25 * hourMs;
    expect(storedProofs(await sign(signers))).toEqual({});
    expect(await metrics.text()).toContain('pinkas_revocation_requests_total{outcome="failed"} 2');
  });

  it('a revoked certificate signs nothing more, readiness warns, and what was signed after it is found', async () => {
    const leaf = await authority.issue('Example Signer', [
      ...forSigning,
      ...authority.sources('ocsp', 'list'),
    ]);
    const signers = await open(leaf);
    const { fingerprint } = signers.forBook('any').certificate;
    await signers.refreshValidationData(stopped);
    expect(signers.warnings(now())).toEqual([]);
    const before = await sign(signers);
    authority.revoke(leaf, new Date(Date.now() + hourMs));
    shiftMs = 13 * hourMs;
    await signers.refreshValidationData(stopped);
    expect(signers.warnings(now())).toEqual([
      expect.stringMatching(/^the signing certificate of Example Signer .* was revoked on \d{4}-\d\d-\d\d$/),
    ]);
    await expect(sign(signers)).rejects.toThrow('its certificate was revoked at');
    expect([signers.failure(now()), signers.revokedCount()]).toEqual([null, 1]);
    expect(logged).toEqual([{ level: 'error', message: 'certificate revoked' }]);

    const allowing = await open(leaf, undefined, { signWhenRevoked: true });
    await allowing.refreshValidationData(stopped);
    const after = await sign(allowing);
    expect(storedProofs(after)).toEqual({});
    const revokedAt = allowing.revokedAt(fingerprint);
    expect(verifySignature(before, fingerprint, revokedAt)).toBeNull();
    expect(verifySignature(after, fingerprint, revokedAt)).toMatch(
      /^the certificate was revoked on \d{4}-\d\d-\d\d, before it signed$/,
    );
  });

  it('a revoked certificate is found in a revocation list', async () => {
    const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('list')]);
    authority.revoke(leaf);
    const signers = await open(leaf);
    await signers.refreshValidationData(stopped);
    expect(signers.warnings(now())).toEqual([expect.stringContaining('was revoked on')]);
  });

  it('an issuer that is not in the PKCS#12 file is fetched from where the certificate states, and is in the file', async () => {
    const leaf = await authority.issue('Example Signer', [
      ...forSigning,
      ...authority.sources('ocsp', 'issuer'),
    ]);
    const signers = await open(leaf, []);
    await signers.refreshValidationData(stopped);
    const { replies, others } = storedProofs(await sign(signers));
    expect([replies?.length, others?.length]).toEqual([1, 1]);
    expect(authority.requests).toEqual(['/issuer', '/ocsp']);
  });

  it('the proofs of a chain are in a file all together or not at all', async () => {
    const middleKey = await authority.issue('Example Middle', [
      'basicConstraints=critical,CA:TRUE',
      'keyUsage=critical,keyCertSign,cRLSign,digitalSignature',
      ...authority.sources('list'),
    ]);
    const middle = await TestCertificateAuthority.start('unused');
    try {
      Object.assign(middle, { certificate: middleKey, responder: middleKey });
      const leaf = await middle.issue('Example Signer', [...forSigning, ...middle.sources('ocsp')]);
      authority.answers.set('/list', (_request, response) => void response.writeHead(500).end());
      const signers = await open(leaf, [middleKey.certificate, authority.certificate.certificate]);
      await signers.refreshValidationData(stopped);
      expect(storedProofs(await sign(signers))).toEqual({});
      authority.answers.clear();
      shiftMs = hourMs;
      await signers.refreshValidationData(stopped);
      const { replies, others } = storedProofs(await sign(signers));
      expect([replies?.length, others?.length]).toEqual([1, 1]);
    } finally {
      await middle.stop();
    }
  });

  it('the first document has the proofs of the time-stamp authority as well', async () => {
    const time = await authority.issue('Example Time', [
      ...timeExtensions('critical,timeStamping'),
      ...authority.sources('ocsp'),
    ]);
    const stamps = await TestTimestampAuthority.start({
      certificate: time,
      chain: `${time.certificate}${authority.certificate.certificate}`,
    });
    try {
      const leaf = await authority.issue('Example Signer', [...forSigning, ...authority.sources('ocsp')]);
      const signers = await open(leaf, undefined, { timestampAuthorityUrl: stamps.url });
      await signers.refreshValidationData(stopped);
      expect(stamps.requests).toBe(1);
      const pdf = await sign(signers);
      expect(storedProofs(pdf).replies).toHaveLength(2);
      expect(await signatureReport(pdf)).toContain('Signature is Valid.');
      await signers.refreshValidationData(stopped);
      // One to learn its certificate; a longer signature than the first placeholder is made twice.
      expect(stamps.requests).toBe(3);
    } finally {
      await stamps.stop();
    }
  });
});
