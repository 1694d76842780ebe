import { describe, expect, it } from '@jest/globals';
import { invalidJsonCauses, memberTwice } from '@pinkas/contracts';
import { parseJsonObject } from './read-body.js';

const read = (text: string | Buffer, contentType = 'application/json', others = {}) =>
  parseJsonObject(Buffer.from(text as string), {
    contentType,
    contentEncoding: '',
    transferEncoding: '',
    ...others,
  });
const invalidJson = { code: 'invalid_json' };
const because = (explanation: unknown) => expect.objectContaining({ ...invalidJson, explanation });

describe('parseJsonObject', () => {
  it('a JSON object is read, with or without a charset', () => {
    expect(read('{"a":{"b":[1,{"a":"\\"{[:"}]}}')).toEqual({ a: { b: [1, { a: '"{[:' }] } });
    expect(read(' {} ', 'Application/JSON; charset=UTF-8')).toEqual({});
  });

  it.each([
    'application/json;charset="utf-8"',
    'application/json;charset=utf8',
    'application/json; charset=UTF8; version=1',
    'application/json; profile="a;charset=latin1"',
    'application/json; charset',
    'application/json; charset=',
    'application/json;;',
  ])('the content type %p is JSON: parameters have no effect but for another charset', (type) =>
    expect(read('{}', type)).toEqual({}),
  );

  it.each(['', 'text/plain', 'text/json', 'application/jsonp', 'json', 'application/json, text/plain'])(
    'the content type %p is invalid_json, which names it',
    (type) => expect(() => read('{}', type)).toThrow(because(invalidJsonCauses.contentType)),
  );

  it.each(['latin1', 'utf-16', '"iso-8859-8"', 'utf-8-sig', "'utf-8'"])(
    'the charset %s is invalid_json, which names it',
    (charset) =>
      expect(() => read('{}', `application/json; charset=${charset}`)).toThrow(
        because(invalidJsonCauses.charset),
      ),
  );

  it.each([
    { contentEncoding: 'gzip' },
    { contentEncoding: 'identity, br' },
    { transferEncoding: 'gzip, chunked' },
  ])('a body with %j is invalid_json, which names it, even where its bytes are JSON', (encoding) =>
    expect(() => read('{}', undefined, encoding)).toThrow(because(invalidJsonCauses.compressed)),
  );

  it('an encoding that changes nothing is accepted', () => {
    expect(read('{}', undefined, { contentEncoding: 'Identity', transferEncoding: 'chunked' })).toEqual({});
  });

  it.each([
    ['', invalidJsonCauses.empty],
    [' ', invalidJsonCauses.notJson],
    ['{', invalidJsonCauses.notJson],
    ['{"a":1,}', invalidJsonCauses.notJson],
    ["{'a':1}", invalidJsonCauses.notJson],
    ['{"a":NaN}', invalidJsonCauses.notJson],
    ['{} {}', invalidJsonCauses.notJson],
    ['null', invalidJsonCauses.notObject],
    ['[]', invalidJsonCauses.notObject],
    ['"a"', invalidJsonCauses.notObject],
    ['1', invalidJsonCauses.notObject],
  ])('the text %p is invalid_json, which names the cause', (text, cause) =>
    expect(() => read(text)).toThrow(because(cause)),
  );

  it('bytes that are not UTF-8 are invalid_json, so that no character is replaced silently', () => {
    const latin1 = Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
    expect(() => read(latin1)).toThrow(because(invalidJsonCauses.notUtf8));
  });

  it('a duplicate member is invalid_json, however it is escaped', () => {
    expect(() => read('{"a":1,"a":1}')).toThrow(because(memberTwice('a')));
    expect(() => read('{"a":[{"b":1,"\\u0062":2}]}')).toThrow(because(memberTwice('b')));
    expect(read('{"a":{"b":1},"b":[{"b":1},{"b":2}]}')).toBeTruthy();
    expect(read(`{"a":"${'\\n'.repeat(120_000)}"}`)).toBeTruthy();
  });

  it('a body nested deeper than 32 levels is invalid_json', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(32))).toBeTruthy();
    expect(() => read(nested(33))).toThrow(because(invalidJsonCauses.tooDeep));
    expect(() => read(nested(100_000))).toThrow(expect.objectContaining(invalidJson));
  });
});
