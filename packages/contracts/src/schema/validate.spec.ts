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

describe('compileTolerant', () => {
  const check = compileTolerant(schema);

  it('compileTolerant drops unknown members at every depth and does not change its input', () => {
    const given = structuredClone(newer);
    expect(check(given)).toEqual({ ok: true, value: known });
    expect(given).toEqual(newer);
    expect(compile(schema)(newer)).toMatchObject({ ok: false });
  });

  it('compileTolerant returns a value without unknown members as it is', () => {
    expect(check(known)).toEqual({ ok: true, value: known });
  });

  it('compileTolerant reports every other error and none for what it drops', () => {
    expect(check({ ...newer, id: undefined, lines: [{ added: 1 }] })).toMatchObject({
      ok: false,
      errors: [{ path: '/id' }, { path: '/lines/0/amount', message: 'is required' }],
    });
    for (const none of [undefined, null, 17, 'x', []]) {
      expect(check(none)).toMatchObject({ ok: false });
    }
  });
});

describe('compile', () => {
  it('the error of a value that is none of an enumeration names all of it', () => {
    const check = compile(Strict({ method: Type.Enum(['cash', 'check']) }));
    expect(check({ method: 'coins' })).toEqual({
      ok: false,
      errors: [{ path: '/method', message: 'must be one of cash, check' }],
    });
  });
});
