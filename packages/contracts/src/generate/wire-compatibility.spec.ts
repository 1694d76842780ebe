import { describe, expect, it } from '@jest/globals';
import Type, { type TSchema } from 'typebox';
import { Nullable, Strict } from '../schema/fields.js';
import { breakingChanges } from './wire-compatibility.js';
import type { JsonSchema, WireSchemas } from './wire-record.js';

const subject = 'evt.issuing.document.issued.v1';
const wire = (schema: TSchema): WireSchemas => ({
  [subject]: { body: JSON.parse(JSON.stringify(schema)) as JsonSchema },
});
const changes = (before: TSchema, after: TSchema) => breakingChanges(wire(before), wire(after));

const before = Strict({
  id: Type.String(),
  note: Type.Optional(Type.String({ maxLength: 10 })),
  lines: Type.Array(Strict({ amount: Type.Number() })),
  payer: Nullable(Strict({ name: Type.String() })),
});
const { id, note, lines, payer } = before.properties;

describe('breakingChanges', () => {
  it('a schema is compatible with itself', () => {
    expect(changes(before, before)).toEqual([]);
  });

  it.each<[string, TSchema]>([
    ['of the schema', Strict({ id, note, lines, payer, added: Type.Optional(Type.String()) })],
    [
      'of an item of a list',
      Strict({
        id,
        note,
        lines: Type.Array(Strict({ amount: Type.Number(), unit: Type.Optional(Type.String()) })),
        payer,
      }),
    ],
    [
      'of an object that may be null',
      Strict({
        id,
        note,
        lines,
        payer: Nullable(Strict({ name: Type.String(), city: Type.Optional(Type.String()) })),
      }),
    ],
  ])('adding an optional member %s is compatible', (_where, after) => {
    expect(changes(before, after)).toEqual([]);
  });

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
      'what is in a list',
      Strict({ id, note, lines: Type.Array(Strict({ amount: Type.String() })), payer }),
      '/lines/amount has another type',
    ],
    ['null refused', Strict({ id, note, lines, payer: Strict({ name: id }) }), '/payer has another anyOf'],
  ])('this change is breaking: %s', (_what, after, change) => {
    expect(changes(before, after)).toContainEqual(expect.stringContaining(`${subject} body${change}`));
  });

  it('a new value of an enum and a removed subject are breaking', () => {
    const state = Type.Enum(['sent', 'failed']);
    expect(changes(Strict({ state }), Strict({ state: Type.Enum(['sent', 'failed', 'held']) }))).toHaveLength(
      1,
    );
    expect(breakingChanges(wire(before), {})).toEqual([expect.stringContaining(`${subject} is gone`)]);
  });

  it('a new version of a subject is a new subject', () => {
    const next = { ...wire(before), 'evt.issuing.document.issued.v2': { body: {} } };
    expect(breakingChanges(wire(before), next)).toEqual([]);
  });
});
