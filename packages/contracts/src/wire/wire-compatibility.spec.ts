import { describe, expect, it } from '@jest/globals';
import Type, { type TSchema } from 'typebox';
import { Nullable, Strict } from '../fields.js';
import { wireFaults } from './wire-compatibility.js';
import type { JsonSchema, WireSchemas } from './wire-schemas.js';

const subject = 'evt.issuing.document.issued.v1';
const wire = (schema: TSchema): WireSchemas => ({
  [subject]: { body: JSON.parse(JSON.stringify(schema)) as JsonSchema },
});
const faults = (before: TSchema, after: TSchema) => wireFaults(wire(before), wire(after));

const before = Strict({
  id: Type.String(),
  note: Type.Optional(Type.String({ maxLength: 10 })),
  lines: Type.Array(Strict({ amount: Type.Number() })),
  payer: Nullable(Strict({ name: Type.String() })),
});
const { id, note, lines, payer } = before.properties;

describe('what a release may change of what travels between services', () => {
  it('is nothing that both releases read alike', () => expect(faults(before, before)).toEqual([]));

  it.each<[string, TSchema]>([
    ['a member that may be absent', Strict({ id, note, lines, payer, added: Type.Optional(Type.String()) })],
    [
      'one of an item of a list',
      Strict({
        id,
        note,
        lines: Type.Array(Strict({ amount: Type.Number(), unit: Type.Optional(Type.String()) })),
        payer,
      }),
    ],
    [
      'one of what may be null',
      Strict({
        id,
        note,
        lines,
        payer: Nullable(Strict({ name: Type.String(), city: Type.Optional(Type.String()) })),
      }),
    ],
  ])('may be added: %s', (_what, after) => expect(faults(before, after)).toEqual([]));

  it.each<[string, TSchema, string]>([
    ['a member removed', Strict({ id, lines, payer }), '/note is gone'],
    ['a member renamed', Strict({ id, remark: note, lines, payer }), '/note is gone'],
    ['a member added that is required', Strict({ id, note, lines, payer, added: id }), '/added is required'],
    [
      'a member required that was not',
      Strict({ id, note: Type.String({ maxLength: 10 }), lines, payer }),
      '/note is required',
    ],
    [
      'a member that may be absent now',
      Strict({ id: Type.Optional(id), note, lines, payer }),
      '/id may be absent',
    ],
    ['another type', Strict({ id: Type.Integer(), note, lines, payer }), '/id has another type'],
    [
      'a longer text',
      Strict({ id, note: Type.Optional(Type.String({ maxLength: 20 })), lines, payer }),
      '/note has another maxLength',
    ],
    [
      'a bound that is new',
      Strict({ id: Type.String({ minLength: 1 }), note, lines, payer }),
      '/id has another minLength',
    ],
    [
      'what stands in a list',
      Strict({ id, note, lines: Type.Array(Strict({ amount: Type.String() })), payer }),
      '/lines/amount has another type',
    ],
    ['null refused', Strict({ id, note, lines, payer: Strict({ name: id }) }), '/payer has another anyOf'],
  ])('is refused: %s', (_what, after, told) => {
    expect(faults(before, after)).toContainEqual(expect.stringContaining(`${subject} body${told}`));
  });

  it('refuses a value that the release before does not know, and a subject that is gone', () => {
    const one = Type.Enum(['sent', 'failed']);
    expect(faults(Strict({ one }), Strict({ one: Type.Enum(['sent', 'failed', 'held']) }))).toHaveLength(1);
    expect(wireFaults(wire(before), {})).toEqual([expect.stringContaining(`${subject} is gone`)]);
  });

  it('takes a new version of a subject for a new subject', () => {
    const next = { ...wire(before), 'evt.issuing.document.issued.v2': { body: {} } };
    expect(wireFaults(wire(before), next)).toEqual([]);
  });
});
