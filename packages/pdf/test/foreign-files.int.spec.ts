import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createTestCertificate } from '@pinkas/testkit';
import { chromiumPdf } from '@pinkas/testkit/pdf';
import { withSecurityStore } from '../src/file/security-store.js';
import { readChromiumFile, Signer } from '../src/index.js';
import { examineFile, readSignature, verifySignature } from '../src/verify.js';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const mutations = 10_000;
const seed = Number(process.env.PINKAS_SEED ?? 46);

/** A generator of numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('a file of a stranger', () => {
  let signed: Buffer;
  let certificate: Buffer;
  let another: Buffer;
  beforeAll(async () => {
    const sign = async () => {
      const { file, password } = await createTestCertificate();
      const signer = await Signer.open(await readFile(file), password, new Date());
      const now = new Date();
      const pdf = await signer.sign(
        readChromiumFile(chromiumPdf('nonce')),
        { documentId: randomUUID(), title: 'כותרת', author: 'עסק', language: 'he', issuedAt: now },
        { reason: 'מסמך ממוחשב', location: 'חיפה', contact: null, signedAt: now },
      );
      return { pdf, fingerprint: signer.certificate.fingerprint };
    };
    const first = await sign();
    signed = first.pdf;
    certificate = first.fingerprint;
    another = (await sign()).pdf;
  });

  /** What a service does with a file: everything that may be done with one whose origin is not known. */
  const look = (file: Buffer) => {
    const examined = examineFile(file);
    return { ...examined, reason: verifySignature(file, certificate) };
  };

  it('a signed file is examined with its hash and its certificate, and its signature names the signer', () => {
    const { kind, certificates, earlier, reason } = look(signed);
    expect({ kind, certificates, earlier, reason }).toEqual({
      kind: 'signed',
      certificates: [certificate.toString('hex')],
      earlier: [],
      reason: null,
    });
    expect(examineFile(signed).sha256).toBe(sha256(signed));
    expect(readSignature(signed, certificate)).toMatchObject({
      reason: null,
      signature: { subject: expect.any(String), timestamp: null },
    });
    expect(readSignature(another, certificate)).toEqual({
      reason: 'the signature is of another certificate',
      signature: null,
    });
  });

  it('an appended update is distinguished from the file that was signed, with proofs against revocation and without', () => {
    const update = Buffer.from('9 0 obj\n<</Type/Catalog>>\nendobj\nstartxref\n1\n%%EOF\n');
    const proven = withSecurityStore(signed, {
      certificates: [Buffer.from('certificate')],
      ocspReplies: [],
      revocationLists: [],
    });
    for (const file of [signed, proven]) {
      const { earlier, reason } = look(Buffer.concat([file, update]));
      expect(earlier).toContainEqual({ bytes: file.length, sha256: sha256(file) });
      expect(reason).toBe('the signature does not cover the whole file');
    }
    expect(look(proven).reason).toBeNull();
  });

  it('10,000 mutated files are examined without an exception, and no signature over other bytes is valid', () => {
    const random = randomFrom(seed);
    const at = () => Math.floor(random() * signed.length);
    const isPadding = (file: Buffer) => file.length === signed.length && sha256(file) === sha256(signed);
    const mutate = [
      () => Buffer.from(signed.subarray(0, at())),
      () =>
        Buffer.concat([
          signed,
          Buffer.from(
            String.fromCharCode(...Array.from({ length: 1 + (at() % 64) }, () => at() % 256)),
            'latin1',
          ),
        ]),
      () => {
        const file = Buffer.from(signed);
        for (let left = 1 + (at() % 8); left > 0; left -= 1) {
          file[at()] = at() % 256;
        }
        return file;
      },
      () => {
        const [from, to] = [at(), at()].sort((a, b) => a - b);
        return Buffer.concat([signed.subarray(0, from), signed.subarray(to)]);
      },
      () => {
        const [from, to] = [at(), at()].sort((a, b) => a - b);
        return Buffer.concat([
          signed.subarray(0, to),
          signed.subarray(from, Math.min(to ?? 0, (from ?? 0) + 4_096)),
          signed.subarray(to),
        ]);
      },
      // In the structure of the signature, where parsers are.
      () => {
        const file = Buffer.from(signed);
        const start = file.indexOf('/Contents <') + '/Contents <'.length;
        const digit = start + (at() % 4_000);
        file[digit] = '0123456789abcdef'.charCodeAt(at() % 16);
        return file;
      },
    ];
    const kinds = new Set<string>();
    let valid = 0;
    for (let count = 0; count < mutations; count += 1) {
      const file = mutate[count % mutate.length]?.() ?? signed;
      // Decoding a signature is what takes time: of one file in eleven, and so of each way to mutate one.
      const { kind, reason } = count % 11 === 0 ? look(file) : { ...examineFile(file), reason: '' };
      kinds.add(kind);
      valid += reason === null && !isPadding(file) && !isSameSigned(file) ? 1 : 0;
    }
    const expected = ['empty', 'encrypted', 'not_pdf', 'signed', 'unsigned'];
    expect([...kinds].filter((kind) => !expected.includes(kind))).toEqual([]);
    expect(kinds.size).toBeGreaterThan(2);
    expect(valid).toBe(0);
  });

  /** Whether only the signature differs: what is unsigned in it may be written in another way. */
  const isSameSigned = (file: Buffer) => {
    const [start, end] = [
      signed.indexOf('/Contents <'),
      signed.indexOf('>', signed.indexOf('/Contents <') + 11),
    ];
    return (
      file.length === signed.length &&
      file.subarray(0, start).equals(signed.subarray(0, start)) &&
      file.subarray(end).equals(signed.subarray(end))
    );
  };

  it.each<[string, () => Buffer, string]>([
    ['an empty file', () => Buffer.alloc(0), 'empty'],
    ['a picture', () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'not_pdf'],
    ['a PDF without a signature', () => chromiumPdf('nonce'), 'unsigned'],
    [
      'an encrypted PDF',
      () => Buffer.from('%PDF-1.7\ntrailer\n<</Root 1 0 R/Encrypt 5 0 R>>\n%%EOF\n'),
      'encrypted',
    ],
    [
      'five megabytes of nothing',
      () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(5 << 20)]),
      'unsigned',
    ],
    [
      'five megabytes of ranges',
      () => Buffer.from(`%PDF-1.7\n${'/ByteRange [0 1 2 3] '.repeat(250_000)}`),
      'signed',
    ],
    [
      'a range with five megabytes of blanks',
      () => Buffer.from(`%PDF-1.7\n/ByteRange [0 1 ${' '.repeat(5 << 20)}`),
      'unsigned',
    ],
    [
      'a signature of values that are nested 60,000 deep',
      () => {
        const hex = '3080'.repeat(60_000);
        const head = '%PDF-1.7\n/ByteRange [0 00050 240052 1] /Contents ';
        return Buffer.from(`${head.padEnd(50, ' ')}<${hex}>x`);
      },
      'signed',
    ],
  ])('%s is examined, and has no valid signature', (_name, make, kind) => {
    const found = look(make());
    expect(found.kind).toBe(kind);
    expect(found.reason).not.toBeNull();
  });

  it('a cross-reference table that decompresses to 64 MB behind a signature is not decompressed', () => {
    const bomb = deflateSync(Buffer.alloc(64 << 20), { level: 9 });
    const id = '0'.repeat(32);
    const tableAt = 100;
    const trailer = `8 0 obj\n<</Type/XRef/Size 9/W[1 4 2]/Root 1 0 R/Info 2 0 R/ID[<${id}><${id}>]/Filter/FlateDecode/Length ${bomb.length}>>stream\n`;
    const end = `\nendstream\nendobj\nstartxref\n${tableAt}\n%%EOF\n`;
    const length = tableAt + trailer.length + bomb.length + end.length;
    const range = `/ByteRange [0 60 70 ${length - 70}]`;
    const head = `%PDF-1.7\n${range}`.padEnd(tableAt, ' ');
    const store = '9 0 obj\n<</Type/DSS>>\nendobj\n';
    const file = Buffer.concat([Buffer.from(head + trailer), bomb, Buffer.from(end + store)]);
    const before = process.memoryUsage().rss;
    expect(look(file).reason).toBe('the signature does not cover the whole file');
    expect(process.memoryUsage().rss - before).toBeLessThan(48 << 20);
  });
});
