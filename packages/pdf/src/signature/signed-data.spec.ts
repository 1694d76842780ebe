import { describe, expect, it } from '@jest/globals';
import { fromBER, Sequence } from 'asn1js';
import {
  certificateHash,
  decodeSignedData,
  InvalidDerError,
  parseDer,
  parseSignedData,
} from './signed-data.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('parseDer', () => {
  it('a whole value is read', () => {
    expect(parseDer(bytes('30 05 02 01 05 05 00'))).toBeInstanceOf(Sequence);
  });

  it.each([
    ['nothing', ''],
    ['a tag alone', '30'],
    ['a value that is cut short', '30 05 02'],
    ['a length that is cut short', '04 82 01'],
    ['bytes after the end', '30 00 00'],
    ['a depth beyond every structure', '30 80 '.repeat(200)],
  ])('%s is rejected', (_what, hex) => {
    expect(() => parseDer(bytes(hex))).toThrow(InvalidDerError);
  });
});

describe('decodeSignedData', () => {
  it.each([
    ['another structure', '30 03 02 01 05'],
    ['data that is not signed', '30 0f 06 09 2a 86 48 86 f7 0d 01 07 01 a0 02 04 00'],
    ['an indefinite length', '30 80 06 09 2a 86 48 86 f7 0d 01 07 02 a0 80 30 00 00 00 00 00'],
  ])('%s is rejected', (_what, hex) => {
    expect(() => decodeSignedData(parseSignedData(bytes(hex)))).toThrow(InvalidDerError);
  });
});

describe('certificateHash', () => {
  it('the digest is SHA-256 unless the certificate identifier names another', () => {
    const read = (hex: string) => certificateHash(fromBER(bytes(hex)).result);
    expect(read('30 07 30 05 30 03 04 01 ab')).toEqual({
      algorithm: '2.16.840.1.101.3.4.2.1',
      hash: bytes('ab'),
    });
    expect(read('30 14 30 12 30 10 30 0b 06 09 60 86 48 01 65 03 04 02 03 04 01 cd')).toEqual({
      algorithm: '2.16.840.1.101.3.4.2.3',
      hash: bytes('cd'),
    });
  });
});
