import { describe, expect, it } from '@jest/globals';
import { compile, publicRoutes } from '@pinkas/contracts';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { arbitraryOf, text } from './arbitrary-of.js';
import { seed } from './config.js';

const samples = 300;
const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { seed, numRuns: samples });

const requests: [string, TSchema][] = publicRoutes.flatMap((route) => [
  ...(route.body ? [[`the body of ${route.operation}`, route.body] as [string, TSchema]] : []),
  ...(route.query ? [[`the query of ${route.operation}`, route.query] as [string, TSchema]] : []),
]);

describe('the arbitrary of a schema', () => {
  it('the create request has an arbitrary', () => expect(requests.length).toBeGreaterThanOrEqual(4));

  it.each(requests)('the arbitrary of %s draws values that the schema accepts', (_what, schema) => {
    const check = compile(schema);
    for (const value of sample(arbitraryOf(schema))) {
      expect(check(value)).toMatchObject({ ok: true });
    }
  });

  it('the arbitrary reaches the bounds of strings, arrays and numbers', () => {
    const texts = sample(arbitraryOf(Type.String({ minLength: 2, maxLength: 40 }))).map(
      (item) => [...item].length,
    );
    expect([Math.min(...texts), Math.max(...texts)]).toEqual([2, 40]);
    const lengths = sample(arbitraryOf(Type.Array(Type.Boolean(), { minItems: 1, maxItems: 30 }))).map(
      (item) => item.length,
    );
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 30]);
    const numbers = sample(arbitraryOf(Type.Integer({ minimum: 1, maximum: 9999 })));
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([1, 9999]);
  });

  it('the arbitrary respects multipleOf and uniqueItems', () => {
    const rate = Type.Number({ minimum: 0, maximum: 99.99, multipleOf: 0.01 });
    const check = compile(rate);
    const rates = sample(arbitraryOf(rate));
    for (const one of rates) {
      expect(check(one)).toMatchObject({ ok: true });
    }
    expect(new Set(rates).size).toBeGreaterThan(20);
    const unique = Type.Array(Type.Enum(['a', 'b', 'c']), { minItems: 1, uniqueItems: true });
    for (const one of sample(arbitraryOf(unique))) {
      expect(new Set(one).size).toBe(one.length);
    }
  });

  it('the arbitrary draws every optional member and every branch of a union', () => {
    const schema = Type.Object(
      { a: Type.Optional(Type.Boolean()), b: Type.Optional(Type.Null()), c: Type.Boolean() },
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    );
    const drawn = new Set(sample(arbitraryOf(schema)).map((item) => Object.keys(item).sort().join('')));
    expect([...drawn].sort()).toEqual(['abc', 'ac', 'bc']);
  });

  it('the arbitrary counts the length of a string in code points', () => {
    for (const one of sample(text(3, 3))) {
      expect([...one]).toHaveLength(3);
    }
    expect(sample(text(3, 3)).some((item) => item.length > 3)).toBe(true);
  });

  it('the arbitrary takes overrides by path and rejects an unknown path', () => {
    const schema = Type.Object({ rows: Type.Array(Type.Object({ at: Type.Number() }), { minItems: 1 }) });
    const arbitrary = arbitraryOf(schema, { '/rows/*/at': fc.constant(7) });
    for (const { rows } of sample(arbitrary)) {
      for (const row of rows) {
        expect(row.at).toBe(7);
      }
    }
    expect(() => arbitraryOf(schema, { '/rows/at': fc.constant(7) })).toThrow('The schema has no /rows/at');
  });

  it('the arbitrary rejects an unknown schema keyword', () => {
    expect(() => arbitraryOf(Type.Object({ a: Type.Number({ exclusiveMaximum: 3 }) }))).toThrow(
      '/a has the keyword exclusiveMaximum, which is not known here',
    );
    expect(() => arbitraryOf(Type.String({ format: 'uri' }))).toThrow('/ has the format uri');
  });
});
