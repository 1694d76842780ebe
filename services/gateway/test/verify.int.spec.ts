import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkDocument, findArtifact, findPublicDocument, type ReplyOf, renderPage } from '@pinkas/contracts';
import { readChromiumFile, Signer } from '@pinkas/pdf';
import { ApiError } from '@pinkas/service-kit';
import { createTestCertificate, exampleBusiness, exampleDocument } from '@pinkas/testkit';
import { chromiumPdf } from '@pinkas/testkit/pdf';
import { type GatewayUnderTest, startGateway } from './gateway.js';

const business = exampleBusiness();
const document = exampleDocument({ business_id: business.id, type: 'tax_invoice', number: 17 });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function openSigner() {
  const { file, password } = await createTestCertificate();
  return Signer.open(await readFile(file), password, new Date());
}

const sign = (signer: Signer) =>
  signer.sign(
    readChromiumFile(chromiumPdf('nonce')),
    { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: new Date() },
    { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt: new Date() },
  );

describe('the page that checks files', () => {
  let gateway: GatewayUnderTest;
  let signer: Signer;
  let pdf: Buffer;
  let foreign: Buffer;
  /** What issuing and rendering know. */
  let checked: ReplyOf<typeof checkDocument>;
  let latestRevision: number;
  let mode: 'live' | 'test';
  const asked: unknown[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    signer = await openSigner();
    pdf = await sign(signer);
    foreign = await sign(await openSigner());
    const certificate_sha256 = signer.certificate.fingerprint.toString('hex');
    gateway.network.answer(findArtifact, ({ sha256s, certificates, document: wanted }) => {
      asked.push({ sha256s, certificates });
      const isFound = wanted ? wanted.document_id === document.id : sha256s.includes(sha256(pdf));
      return {
        found: isFound
          ? {
              business_id: business.id,
              document_id: document.id,
              sha256: sha256(pdf),
              revision: 1,
              latest_revision: latestRevision,
              certificate_sha256,
              revoked_at: null,
              signed_ends: [
                {
                  type: 'tax_invoice' as const,
                  n: 20,
                  hash: 'ab'.repeat(32),
                  at: '2026-06-14T20:00:00.000Z',
                },
              ],
            }
          : null,
        known: certificates
          .filter((item) => item === certificate_sha256)
          .map((item) => ({ sha256: item, mode, revoked_at: null })),
      };
    });
    gateway.network.answer(checkDocument, () => checked);
    gateway.network.answer(findPublicDocument, ({ public_id }) => {
      if (public_id !== document.public_id) {
        throw new ApiError('not_found');
      }
      const state = { status: 'open', paid: 0, allocation_number: null, cancelled_at: null } as const;
      return { document, business, state, artifact_sha256: sha256(pdf) };
    });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    asked.length = 0;
    latestRevision = 1;
    mode = 'live';
    checked = {
      public_id: document.public_id,
      mode: 'live',
      type: 'tax_invoice',
      number: 17,
      date: '2026-06-14',
      business_name: 'עסק <לדוגמה>',
      business_tax_id: '515151515',
      artifact_sha256: sha256(pdf),
      cancelled_at: null,
      credited: 'none',
      allocation_number: '123456789',
      record_intact: true,
      in_sequence: true,
      chain: 'followed',
    };
  });

  /** Sends a file as a browser does. */
  const send = async (bytes: Buffer, language = 'en', from = '192.0.2.1') => {
    const form = new FormData();
    form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'document.pdf');
    const encoded = new Response(form);
    return gateway.http(`/verify?lang=${language}`, {
      method: 'POST',
      body: Buffer.from(await encoded.arrayBuffer()),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '', 'x-forwarded-for': from },
    });
  };
  const titleOf = ({ text }: { text: string }) => /<title>(.*?) – /.exec(text)?.[1];
  const verdict = async (bytes: Buffer) => {
    const answer = await send(bytes);
    return [answer.status, titleOf(answer)];
  };

  it('a file as it was issued is genuine, with its signer, its number, its chain and its allocation number', async () => {
    const answer = await send(pdf);
    expect(answer.status).toBe(200);
    expect(titleOf(answer)).toBe('The document is genuine');
    for (const text of [
      signer.certificate.subject,
      sha256(pdf),
      'the chain is unbroken from the document to its signed end',
      '123456789',
      'https://www.gov.il/he/departments/israel_tax_authority',
      'עסק &lt;לדוגמה&gt;',
      `https://api.example.com/d/${document.public_id}`,
    ]) {
      expect(answer.text).toContain(text);
    }
    expect(answer.text).not.toContain(document.customer.name);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(titleOf(await send(pdf, 'he'))).toBe('המסמך מקורי');
  });

  it('an earlier revision, a cancelled, a credited and a test document, and a broken record are named', async () => {
    latestRevision = 2;
    expect(await verdict(pdf)).toEqual([200, 'A genuine document, in an earlier revision']);
    checked = { ...checked, credited: 'full' };
    expect(await verdict(pdf)).toEqual([200, 'A genuine document that is credited in full']);
    checked = { ...checked, cancelled_at: '2026-06-14T20:00:00.000Z' };
    expect(await verdict(pdf)).toEqual([200, 'A genuine document that is cancelled']);
    checked = { ...checked, mode: 'test' };
    expect(await verdict(pdf)).toEqual([200, 'A test document']);
    for (const wrong of [
      { record_intact: false },
      { in_sequence: false },
      { chain: 'broken' },
      { artifact_sha256: 'cd'.repeat(32) },
    ] as const) {
      const sound = checked;
      checked = { ...checked, ...wrong };
      expect(await verdict(pdf)).toEqual([200, 'Ask the business about this document']);
      checked = sound;
    }
  });

  it('a changed byte, an appended update, another signer and no signature are named, and nothing is shown of a document', async () => {
    const changed = Buffer.from(pdf);
    changed[60] = (changed[60] ?? 0) ^ 1;
    expect(await verdict(changed)).toEqual([200, 'The file was changed after it was signed']);
    mode = 'test';
    expect(await verdict(changed)).toEqual([200, 'A test file that was changed']);
    const appended = Buffer.concat([pdf, Buffer.from('9 0 obj\n<<>>\nendobj\n%%EOF\n')]);
    expect(await verdict(appended)).toEqual([200, 'Something was added after the file was signed']);
    expect(await verdict(foreign)).toEqual([200, 'The file was not signed here']);
    expect(await verdict(chromiumPdf('x'))).toEqual([200, 'The file has no signature']);
    for (const file of [changed, foreign]) {
      expect((await send(file)).text).not.toContain('515151515');
    }
    // Only hashes leave the process.
    expect(JSON.stringify(asked).length).toBeLessThan(10_000);
  });

  it('a file that is empty, no PDF, encrypted or too large gets a sentence, and so does a form without one', async () => {
    expect(await verdict(Buffer.alloc(0))).toEqual([200, 'The file is empty']);
    expect(await verdict(Buffer.from('PK\u0003\u0004'))).toEqual([200, 'This is no PDF file']);
    expect(await verdict(Buffer.from('%PDF-1.7\n/Encrypt 5 0 R\n'))).toEqual([200, 'The file is encrypted']);
    expect(await verdict(Buffer.alloc(6 << 20))).toEqual([413, 'The file is too large']);
    const post = (body: string | Buffer, type: string) =>
      gateway.http('/verify?lang=en', { method: 'POST', body, headers: { 'content-type': type } });
    for (const [body, type] of [
      ['{}', 'application/json'],
      ['x', 'multipart/form-data'],
      ['x', 'multipart/form-data; boundary=a'],
      [
        '--a\r\ncontent-disposition: form-data; name="file"\r\n\r\ntext\r\n--a--',
        'multipart/form-data; boundary=a',
      ],
    ] as const) {
      const answer = await post(body, type);
      expect([answer.status, titleOf(answer)]).toEqual([400, 'The file did not arrive complete']);
    }
    const none =
      '--a\r\ncontent-disposition: form-data; name="file"; filename=""\r\ncontent-type: application/octet-stream\r\n\r\n\r\n--a--\r\n';
    const empty = await post(none, 'multipart/form-data; boundary=a');
    expect([empty.status, titleOf(empty)]).toEqual([400, 'No file was chosen']);
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  it('the id of a QR code, or its address, shows the document without its customer, and an unknown one nothing', async () => {
    for (const id of [document.public_id, `https://api.example.com/d/${document.public_id}?lang=he`]) {
      const answer = await gateway.http(`/verify?lang=en&id=${encodeURIComponent(id)}`);
      expect([answer.status, titleOf(answer)]).toEqual([200, 'The document exists']);
      expect(answer.text).not.toContain(document.customer.name);
    }
    for (const id of ['abc', '../etc', '<script>']) {
      const answer = await gateway.http(`/verify?lang=en&id=${encodeURIComponent(id)}`);
      expect([answer.status, titleOf(answer)]).toEqual([404, 'There is no document with this id']);
      expect(answer.text).not.toContain('<script>');
    }
    const page = await gateway.http('/verify');
    expect([page.status, /<title>(.*)<\/title>/.exec(page.text)?.[1]]).toEqual([200, 'האם המסמך מקורי?']);
  });

  it('an address sends 20 files a minute, and no more', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      statuses.push((await send(Buffer.from('x'), 'en', '192.0.2.50')).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect((await send(Buffer.from('x'), 'en', '192.0.2.51')).status).toBe(200);
  });

  it('a hosted page leads to the check of its document', async () => {
    const urls: (string | undefined)[] = [];
    gateway.network.answer(renderPage, ({ verify_url }) => {
      urls.push(verify_url);
      return { html: '<!doctype html><title>x</title>' };
    });
    await gateway.http(`/d/${document.public_id}`);
    expect(urls).toEqual([`https://api.example.com/verify?id=${document.public_id}&lang=he`]);
  });
});
