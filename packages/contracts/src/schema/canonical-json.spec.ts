import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it('the example of RFC 8785, 3.2.2, has the form of 3.2.4', () => {
    const example = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false] }`;
    expect(canonicalJson(JSON.parse(example))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('members are in the order of their UTF-16 code units (RFC 8785, 3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const members = Object.fromEntries(names.map((name) => [name, '']));
    expect(canonicalJson(members)).toBe('{"\\r":"","1":"","\u0080":"","ö":"","€":"","😀":"","\ufb33":""}');
  });

  it('a value that JSON cannot hold is rejected, and undefined members are left out', () => {
    expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}');
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, 1n]) {
      expect(() => canonicalJson([value])).toThrow('no canonical form');
    }
  });
});
