import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { preparedName } from './prepared-statements.js';
import { withTlsOf } from './provision.js';
import { timeOrderedId } from './time-ordered-id.js';

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

  it('a statement that states so is prepared although it sorts', () => {
    expect(
      preparedName('/* prepare */ insert into "sum" select "day" from "document" order by "day"'),
    ).toMatch(/^s\d+$/);
  });

  it('statements without end are not all prepared', () => {
    const named = Array.from({ length: 1_000 }, (_, index) => preparedName(`select ${index}, $1`));
    expect(named.at(-1)).toBeUndefined();
    expect(named[0]).toBeDefined();
  });
});

const service =
  'postgres://login:x@db:5432/pinkas_issuing?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt&options=-c%20a%3Db';
const admin = 'postgresql://postgres:y@pinkas-postgres-rw.pinkas:5432/postgres';

describe('withTlsOf', () => {
  it('an administrator without sslmode connects with the TLS of the service', () => {
    expect(withTlsOf(service, admin)).toBe(`${admin}?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt`);
  });

  it('an administrator with sslmode keeps it', () => {
    expect(withTlsOf(service, `${admin}?sslmode=disable`)).toBe(`${admin}?sslmode=disable`);
  });

  it('an administrator of a service without TLS gets none', () => {
    expect(withTlsOf('postgres://login:x@db/pinkas_issuing', admin)).toBe(admin);
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

it('an id is a UUID of version 7, different each time, that sorts by the millisecond in which it was made', () => {
  const now = jest.spyOn(Date, 'now');
  // The example of RFC 9562, A.6.
  const atMs = 0x017f22e279b0;
  const ids = [0, 1, 1_000, 86_400_000].map((ms) => {
    now.mockReturnValue(atMs + ms);
    return timeOrderedId();
  });
  expect(ids[0]).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(Array.from({ length: 1_000 }, timeOrderedId)).size).toBe(1_000);
});
