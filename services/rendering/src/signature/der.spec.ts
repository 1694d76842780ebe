import { describe, expect, it } from '@jest/globals';
import { childrenOf, instantOf, objectIdentifier, readDer } from './der.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('a DER value', () => {
  it('is read with short and long lengths, and what follows is left alone', () => {
    expect(readDer(bytes('04 02 AB CD 05 00'))).toEqual({
      tag: 4,
      whole: bytes('04 02 AB CD'),
      contents: bytes('AB CD'),
    });
    const long = Buffer.concat([bytes('04 82 01 00'), Buffer.alloc(256, 7)]);
    expect(readDer(long).contents).toEqual(Buffer.alloc(256, 7));
  });

  it('gives the values that it holds', () => {
    expect(childrenOf(readDer(bytes('30 05 02 01 05 05 00'))).map(({ tag }) => tag)).toEqual([2, 5]);
    expect(childrenOf(readDer(bytes('30 00')))).toEqual([]);
  });

  it.each(['', '30', '30 05 02', '04 82 01', '1F 81 01 00', '30 80 00 00', '30 85 00 00 00 00 01 00'])(
    'is refused where the bytes "%s" are none',
    (hex) => expect(() => readDer(bytes(hex))).toThrow('a '),
  );

  it('is refused where it is asked for the values in it and holds none', () =>
    expect(() => childrenOf(readDer(bytes('04 02 05 00')))).toThrow('a value holds no others'));

  it.each([
    ['06 09 2A 86 48 86 F7 0D 01 07 02', '1.2.840.113549.1.7.2'],
    ['06 09 60 86 48 01 65 03 04 02 01', '2.16.840.1.101.3.4.2.1'],
    ['06 03 55 04 03', '2.5.4.3'],
    ['06 03 88 37 03', '2.999.3'],
  ])('names an object: %s', (hex, dotted) => expect(objectIdentifier(readDer(bytes(hex)))).toBe(dotted));

  it('tells an instant in both of its forms', () => {
    const time = (tag: string, text: string) =>
      instantOf(readDer(Buffer.concat([bytes(tag), Buffer.from([text.length]), Buffer.from(text)])));
    expect(time('17', '260615080000Z')).toEqual(new Date('2026-06-15T08:00:00Z'));
    expect(time('17', '990615080000Z')).toEqual(new Date('1999-06-15T08:00:00Z'));
    expect(time('18', '20500615080000Z')).toEqual(new Date('2050-06-15T08:00:00Z'));
    expect(() => time('17', '2606150800Z')).toThrow('an instant has another form');
  });
});
