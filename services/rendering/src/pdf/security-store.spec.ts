import { beforeAll, describe, expect, it } from '@jest/globals';
import { chromiumPdf } from '../../test/chromium-pdf.js';
import { InvalidPdfError, readChromiumFile } from './chromium-file.js';
import { isSecurityStore, type ValidationData, withSecurityStore } from './security-store.js';
import { signableFile } from './signable-file.js';

const data: ValidationData = {
  certificates: [Buffer.from('certificate')],
  ocspReplies: [Buffer.from('first reply'), Buffer.from('\nendstream\nendobj\n>>')],
  revocationLists: [Buffer.from('list')],
};

describe('withSecurityStore', () => {
  let signed: Buffer;
  beforeAll(async () => {
    const at = new Date('2026-03-08T09:30:00Z');
    const { bytes } = await signableFile(
      readChromiumFile(chromiumPdf('nonce')),
      { documentId: 'one', title: 't', author: 'a', language: 'en', issuedAt: at },
      { name: 'Example Ltd', reason: 'r', location: null, contact: null, signedAt: at },
      16,
    );
    signed = bytes;
  });
  /** The last occurrence, which is in the update. */
  const replaced = (pdf: Buffer, words: string, others: string): Buffer => {
    const at = pdf.lastIndexOf(words);
    expect(at).toBeGreaterThanOrEqual(signed.length);
    return Buffer.concat([pdf.subarray(0, at), Buffer.from(others), pdf.subarray(at + words.length)]);
  };
  const updateOf = (pdf: Buffer) => pdf.subarray(signed.length).toString('latin1');

  it('the proofs follow the signed bytes, which stay as they are', () => {
    const pdf = withSecurityStore(signed, data);
    expect(pdf.subarray(0, signed.length).equals(signed)).toBe(true);
    expect(updateOf(pdf)).toMatch(
      /\/Type\/DSS\/Certs\[(\d+) 0 R\]\/OCSPs\[\d+ 0 R \d+ 0 R\]\/CRLs\[\d+ 0 R\]>>/,
    );
    expect(isSecurityStore(pdf, signed.length)).toBe(true);
    expect(withSecurityStore(signed, data).equals(pdf)).toBe(true);
  });

  it('the catalog names the store and is otherwise as it was', () => {
    const catalogs = [
      ...withSecurityStore(signed, data)
        .toString('latin1')
        .matchAll(/<<\/Type \/Catalog.*>>/g),
    ];
    const [before, after] = catalogs.map(([catalog]) => catalog);
    expect(after?.replace(/\/DSS \d+ 0 R/, '')).toBe(before);
  });

  it.each<[string, (pdf: Buffer, from: number) => Buffer]>([
    ['another object', (pdf) => Buffer.concat([pdf, Buffer.from('1 0 obj\n<<>>\nendobj\n')])],
    ['another catalog', (pdf) => replaced(pdf, '/Lang (he)', '/Lang (en)')],
    ['another root', (pdf) => replaced(pdf, '/Root 8 0 R', '/Root 7 0 R')],
    [
      'a number that an object has already',
      (pdf, from) => {
        const [number = ''] = /^\d+/.exec(pdf.toString('latin1', from, from + 8)) ?? [];
        return replaced(pdf, `${number} 0 obj`, `${'4'.padStart(number.length, '0')} 0 obj`);
      },
    ],
    ['no store', (pdf) => replaced(pdf, '/Type/DSS', '/Type/XYZ')],
    ['a part of it', (pdf) => pdf.subarray(0, -7)],
    ['something else', (pdf, from) => Buffer.concat([pdf.subarray(0, from), Buffer.from('words')])],
  ])('an update is not taken for proofs when it has %s', (_what, change) => {
    const pdf = withSecurityStore(signed, data);
    expect(isSecurityStore(change(pdf, signed.length), signed.length)).toBe(false);
  });

  it('a file that this system has not written is rejected', () => {
    expect(() => withSecurityStore(chromiumPdf('nonce'), data)).toThrow(InvalidPdfError);
    expect(() => withSecurityStore(withSecurityStore(signed, data), data)).toThrow(InvalidPdfError);
  });
});
