import { describe, expect, it } from '@jest/globals';
import Type from 'typebox';
import { Nullable, Strict } from './fields.js';
import { compile, compileTolerant } from './validate.js';

const schema = Strict({
  id: Type.String(),
  payer: Nullable(Strict({ name: Type.String() })),
  lines: Type.Array(Strict({ amount: Type.Number() })),
  free: Type.Optional(Type.Unknown()),
});
const known = { id: 'a', payer: { name: 'b' }, lines: [{ amount: 1 }, { amount: 2 }], free: { any: 1 } };
const newer = {
  ...known,
  added: 1,
  payer: { name: 'b', added: { x: 1 } },
  lines: [{ amount: 1, added: [] }, { amount: 2 }],
};

describe('the tolerant check', () => {
  const check = compileTolerant(schema);

  it('drops at every depth what the schema does not name, and changes nothing of what it was given', () => {
    const given = structuredClone(newer);
    expect(check(given)).toEqual({ ok: true, value: known });
    expect(given).toEqual(newer);
    expect(compile(schema)(newer)).toMatchObject({ ok: false });
  });

  it('returns what needs no change as it is', () => {
    expect(check(known)).toEqual({ ok: true, value: known });
  });

  it('holds everything else as the strict one does, and does not blame what it drops', () => {
    expect(check({ ...newer, id: undefined, lines: [{ added: 1 }] })).toMatchObject({
      ok: false,
      faults: [{ path: '/id' }, { path: '/lines/0/amount', message: 'is required' }],
    });
    for (const none of [undefined, null, 17, 'x', []]) expect(check(none)).toMatchObject({ ok: false });
  });
});
