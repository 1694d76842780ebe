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
  it('has requests to draw', () => expect(requests.length).toBeGreaterThanOrEqual(4));

  it.each(requests)('draws values of %s that the schema accepts', (_what, schema) => {
    const check = compile(schema);
    for (const value of sample(arbitraryOf(schema))) expect(check(value)).toMatchObject({ ok: true });
  });

  it('reaches the ends of a text, an array and a number', () => {
    const texts = sample(arbitraryOf(Type.String({ minLength: 2, maxLength: 40 }))).map(
      (one) => [...one].length,
    );
    expect([Math.min(...texts), Math.max(...texts)]).toEqual([2, 40]);
    const lengths = sample(arbitraryOf(Type.Array(Type.Boolean(), { minItems: 1, maxItems: 30 }))).map(
      (one) => one.length,
    );
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 30]);
    const numbers = sample(arbitraryOf(Type.Integer({ minimum: 1, maximum: 9999 })));
    expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([1, 9999]);
  });

  it('draws steps of a number, and what is unique', () => {
    const rate = Type.Number({ minimum: 0, maximum: 99.99, multipleOf: 0.01 });
    const check = compile(rate);
    const rates = sample(arbitraryOf(rate));
    for (const one of rates) expect(check(one)).toMatchObject({ ok: true });
    expect(new Set(rates).size).toBeGreaterThan(20);
    const unique = Type.Array(Type.Enum(['a', 'b', 'c']), { minItems: 1, uniqueItems: true });
    for (const one of sample(arbitraryOf(unique))) expect(new Set(one).size).toBe(one.length);
  });

  it('draws every optional member now and then, and every branch of what is required', () => {
    const schema = Type.Object(
      { a: Type.Optional(Type.Boolean()), b: Type.Optional(Type.Null()), c: Type.Boolean() },
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    );
    const drawn = new Set(sample(arbitraryOf(schema)).map((one) => Object.keys(one).sort().join('')));
    expect([...drawn].sort()).toEqual(['abc', 'ac', 'bc']);
  });

  it('counts the length of a text in code points', () => {
    for (const one of sample(text(3, 3))) expect([...one]).toHaveLength(3);
    expect(sample(text(3, 3)).some((one) => one.length > 3)).toBe(true);
  });

  it('takes what the caller says for a place, and complains about a place that is not there', () => {
    const schema = Type.Object({ rows: Type.Array(Type.Object({ at: Type.Number() }), { minItems: 1 }) });
    const arbitrary = arbitraryOf(schema, { '/rows/*/at': fc.constant(7) });
    for (const { rows } of sample(arbitrary)) for (const row of rows) expect(row.at).toBe(7);
    expect(() => arbitraryOf(schema, { '/rows/at': fc.constant(7) })).toThrow('The schema has no /rows/at');
  });

  it('refuses a keyword that it was not taught, instead of drawing past it', () => {
    expect(() => arbitraryOf(Type.Object({ a: Type.Number({ exclusiveMaximum: 3 }) }))).toThrow(
      '/a has the keyword exclusiveMaximum, which is not known here',
    );
    expect(() => arbitraryOf(Type.String({ format: 'uri' }))).toThrow('/ has the format uri');
  });
});
