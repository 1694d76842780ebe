import { describe, expect, it } from '@jest/globals';
import { readJsonObject } from './json-body.js';

const read = (text: string | Buffer, type = 'application/json') =>
  readJsonObject(Buffer.from(text as string), type);
const refused = { code: 'invalid_json' };

describe('reading a JSON body', () => {
  it('takes an object, with or without the character set', () => {
    expect(read('{"a":{"b":[1,{"a":"\\"{[:"}]}}')).toEqual({ a: { b: [1, { a: '"{[:' }] } });
    expect(read(' {} ', 'Application/JSON; charset=UTF-8')).toEqual({});
    expect(read('{}', 'application/json;charset="utf-8"')).toEqual({});
  });

  it.each([
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'json',
    'application/json, text/plain',
  ])('refuses the content type %p', (type) =>
    expect(() => read('{}', type)).toThrow(expect.objectContaining(refused)),
  );

  it.each(['', 'null', '[]', '"a"', '1', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '{} {}'])(
    'refuses the text %p',
    (text) => expect(() => read(text)).toThrow(expect.objectContaining(refused)),
  );

  it('refuses what is not UTF-8, so that no letter is replaced silently', () => {
    expect(() => read(Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
      expect.objectContaining(refused),
    );
  });

  it('refuses a member that stands twice, however it is written', () => {
    expect(() => read('{"a":1,"a":1}')).toThrow(expect.objectContaining(refused));
    expect(() => read('{"a":[{"b":1,"\\u0062":2}]}')).toThrow(expect.objectContaining(refused));
    expect(read('{"a":{"b":1},"b":[{"b":1},{"b":2}]}')).toBeTruthy();
    expect(read(`{"a":"${'\\n'.repeat(120_000)}"}`)).toBeTruthy();
  });

  it('refuses a body deeper than any document', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(32))).toBeTruthy();
    expect(() => read(nested(33))).toThrow(expect.objectContaining(refused));
    expect(() => read(nested(100_000))).toThrow(expect.objectContaining(refused));
  });
});
