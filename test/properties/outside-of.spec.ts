import { describe, expect, it } from '@jest/globals';
import { CancelDocument, CreateDocument, compile } from '@pinkas/contracts';
import Type from 'typebox';
import { outsideOf, placeOf } from './outside-of.js';

describe('what lies outside of a schema', () => {
  it('every place of the create request has values outside of its schema', () => {
    const places = [...outsideOf(CreateDocument).keys()];
    expect(places).toEqual(
      expect.arrayContaining([
        '/type',
        '/customer/name',
        '/items',
        '/items/*/quantity',
        '/payments/*/bank_code',
      ]),
    );
    expect(places.length).toBeGreaterThan(40);
  });

  it.each([
    ['an enumeration', Type.Enum(['a', 'b'])],
    ['a text', Type.String({ minLength: 2, maxLength: 30 })],
    ['a pattern', Type.String({ pattern: '^\\d{5,9}$' })],
    ['a day', CreateDocument.properties.date],
    ['an id', CreateDocument.properties.based_on],
    ['an address', CreateDocument.properties.customer.properties.email],
    ['a number', Type.Number({ exclusiveMinimum: 0, maximum: 100 })],
    ['a number from', Type.Number({ minimum: 0, maximum: 100 })],
    ['an integer', Type.Integer({ minimum: 1, maximum: 99 })],
    ['a truth', Type.Boolean()],
    ['a list', Type.Array(Type.Object({}), { minItems: 1, maxItems: 3 })],
    ['members', CreateDocument.properties.customer],
  ])('the schema of %s rejects every value outside of it', (_what, schema) => {
    const check = compile(schema);
    const values = outsideOf(schema).get('') ?? [];
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) {
      expect([value, check(JSON.parse(value)).ok]).toEqual([value, false]);
    }
  });

  it('a place is found by its JSON pointer', () => {
    expect(placeOf('/items/12/quantity')).toBe('/items/*/quantity');
    expect(placeOf('/payments/0')).toBe('/payments/*');
    expect(outsideOf(CancelDocument).has(placeOf('/reason'))).toBe(true);
  });
});
