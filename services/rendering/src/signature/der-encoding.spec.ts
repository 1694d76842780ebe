import { describe, expect, it } from '@jest/globals';
import { childrenOf, objectIdentifier, readDer } from './der.js';
import { explicit, identifier, implicit, integer, octetString, sequence, setOf } from './der-encoding.js';

const hex = (bytes: Buffer) => bytes.toString('hex');

describe('a DER encoding', () => {
  it('has the shortest length that says it', () => {
    expect(hex(octetString(Buffer.alloc(2, 0xab)))).toBe('0402abab');
    expect(hex(octetString(Buffer.alloc(127))).slice(0, 4)).toBe('047f');
    expect(hex(octetString(Buffer.alloc(128))).slice(0, 6)).toBe('048180');
    expect(hex(octetString(Buffer.alloc(256))).slice(0, 8)).toBe('04820100');
  });

  it('of a number is the shortest, and never a negative one', () => {
    expect(hex(integer(Buffer.from('0000', 'hex')))).toBe('020100');
    expect(hex(integer(Buffer.from('00007f', 'hex')))).toBe('02017f');
    expect(hex(integer(Buffer.from('80', 'hex')))).toBe('02020080');
  });

  it('of an identifier is read back as it was', () => {
    for (const dotted of ['1.2.840.113549.1.9.16.2.47', '2.16.840.1.101.3.4.2.1', '1.3.6.1.5.5.7.3.8']) {
      expect(objectIdentifier(readDer(identifier(dotted)))).toBe(dotted);
    }
  });

  it('of a set stands in one order, whatever order its members came in', () => {
    const members = [Buffer.from([3]), Buffer.from([1, 1]), Buffer.from([1])].map(octetString);
    expect(hex(setOf(...members))).toBe(hex(setOf(...members.toReversed())));
    expect(childrenOf(readDer(setOf(...members))).map(({ contents }) => hex(contents))).toEqual([
      '01',
      '03',
      '0101',
    ]);
  });

  it('says its place with or without its own tag', () => {
    expect(hex(explicit(0, sequence()))).toBe('a0023000');
    expect(hex(implicit(1, sequence()))).toBe('a100');
  });
});
