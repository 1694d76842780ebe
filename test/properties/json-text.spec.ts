import { describe, expect, it } from '@jest/globals';
import { jsonTextOf, placesIn, plain, readJson, written } from './json-text.js';

const value = { a: [1, { b: 'x"y' }], 'c/d': null };

describe('JSON as text', () => {
  it('the writer produces the same text as JSON.stringify', () =>
    expect(written(jsonTextOf(value))).toBe(JSON.stringify(value)));

  it('the writer lists each place by its JSON pointer', () =>
    expect(placesIn(jsonTextOf(value)).map((place) => place.at)).toEqual([
      '/a',
      '/a/0',
      '/a/1',
      '/a/1/b',
      '/c~1d',
    ]));

  it('the writer replaces one place by any text', () => {
    const changed = (at: string, change: (place: ReturnType<typeof placesIn>[number]) => void) => {
      const json = jsonTextOf(value);
      for (const place of placesIn(json)) {
        if (place.at === at) {
          change(place);
        }
      }
      return written(json);
    };
    expect(changed('/a/1/b', (place) => place.replace(plain('1e400')))).toBe(
      '{"a":[1,{"b":1e400}],"c/d":null}',
    );
    expect(changed('/a/0', (place) => place.remove())).toBe('{"a":[{"b":"x\\"y"}],"c/d":null}');
    expect(changed('/a/1/b', (place) => place.addBeside('b', plain('2')))).toBe(
      '{"a":[1,{"b":"x\\"y","b":2}],"c/d":null}',
    );
    expect(changed('/c~1d', (place) => place.rename?.('__proto__'))).toBe(
      '{"a":[1,{"b":"x\\"y"}],"__proto__":null}',
    );
  });

  it('the reader finds duplicate members, however escaped, and the depth', () => {
    expect(readJson('{"a":1,"\\u0061":2}')).toMatchObject({ repeats: true, depth: 1 });
    expect(readJson('{"a":{"b":1},"b":[{"b":"}\\"b\\":"}]}')).toMatchObject({ repeats: false, depth: 3 });
    for (const none of ['', '[]', 'null', '{"a":1', '{"a":01}']) {
      expect(readJson(none)).toBeUndefined();
    }
  });
});
