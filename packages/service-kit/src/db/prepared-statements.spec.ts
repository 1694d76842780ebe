import { describe, expect, it } from '@jest/globals';
import { preparedName } from './prepared-statements.js';

describe('preparedName', () => {
  it('a statement has one name', () => {
    const text = 'select "id", count(*) from "document" where "id" = $1 group by "id"';
    const name = preparedName(text);
    expect(name).toMatch(/^s\d+$/);
    expect(preparedName(text)).toBe(name);
    expect(preparedName(`${text} `)).not.toBe(name);
  });

  it.each([
    'select * from "document" where "id" = $1',
    'insert into "series" values ($1) returning *',
    'select "series".* from "series" where "type" = $1',
    'select "id" from "document" where "id" > $1 order by "id"',
    'select "id" from "document" where "id" > $1 limit $2',
    'select "id" from "card" where "name_key" like $1',
  ])('preparedName names no statement like %s', (text) => expect(preparedName(text)).toBeUndefined());

  it('statements without end are not all prepared', () => {
    const named = Array.from({ length: 1_000 }, (_, index) => preparedName(`select ${index}, $1`));
    expect(named.at(-1)).toBeUndefined();
    expect(named[0]).toBeDefined();
  });
});
