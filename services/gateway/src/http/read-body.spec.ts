import { describe, expect, it } from '@jest/globals';
import { parseJsonObject } from './read-body.js';

const read = (text: string | Buffer, type = 'application/json') =>
  parseJsonObject(Buffer.from(text as string), type);
const invalidJson = { code: 'invalid_json' };

describe('parseJsonObject', () => {
  it('a JSON object is read, with or without a charset', () => {
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
  ])('the content type %p is invalid_json', (type) =>
    expect(() => read('{}', type)).toThrow(expect.objectContaining(invalidJson)),
  );

  it.each(['', 'null', '[]', '"a"', '1', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '{} {}'])(
    'the text %p is invalid_json',
    (text) => expect(() => read(text)).toThrow(expect.objectContaining(invalidJson)),
  );

  it('bytes that are not UTF-8 are invalid_json, so that no character is replaced silently', () => {
    expect(() => read(Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
      expect.objectContaining(invalidJson),
    );
  });

  it('a duplicate member is invalid_json, however it is escaped', () => {
    expect(() => read('{"a":1,"a":1}')).toThrow(expect.objectContaining(invalidJson));
    expect(() => read('{"a":[{"b":1,"\\u0062":2}]}')).toThrow(expect.objectContaining(invalidJson));
    expect(read('{"a":{"b":1},"b":[{"b":1},{"b":2}]}')).toBeTruthy();
    expect(read(`{"a":"${'\\n'.repeat(120_000)}"}`)).toBeTruthy();
  });

  it('a body nested deeper than 32 levels is invalid_json', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(32))).toBeTruthy();
    expect(() => read(nested(33))).toThrow(expect.objectContaining(invalidJson));
    expect(() => read(nested(100_000))).toThrow(expect.objectContaining(invalidJson));
  });
});
