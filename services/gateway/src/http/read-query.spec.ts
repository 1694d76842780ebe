import { describe, expect, it } from '@jest/globals';
import { CustomerQuery, DocumentQuery, EventQuery } from '@pinkas/contracts';
import { queryReader } from './read-query.js';

const documents = queryReader(DocumentQuery);
const events = queryReader(EventQuery);
const customers = queryReader(CustomerQuery);
const nothing = queryReader(null);
const paths = (read: ReturnType<typeof queryReader>, query: string) =>
  read(query).errors.map((error) => error.path);

describe('queryReader', () => {
  it('a parameter has the type of its schema, and its default where it is absent', () => {
    expect(documents('').values).toEqual({ include_cancelled: false, limit: 50 });
    expect(
      documents('type=quote&from=2026-01-31&include_cancelled=true&limit=7&external_ref=a%20b+c%2B&cursor=x'),
    ).toEqual({
      values: {
        type: 'quote',
        from: '2026-01-31',
        include_cancelled: true,
        limit: 7,
        external_ref: 'a b c+',
        cursor: 'x',
      },
      errors: [],
    });
    expect(customers('q=%D7%A9%3D%26')).toEqual({ values: { q: 'ש=&', limit: 20 }, errors: [] });
  });

  it('a parameter without a value is empty, and an empty pair is no parameter', () => {
    expect(customers('q')).toEqual(customers('q='));
    expect(customers('&&q=a&').values.q).toBe('a');
    expect(nothing('&')).toEqual({ values: {}, errors: [] });
  });

  it.each(['', ' 5', '+5', '5.0', '05', '5e0', '0x5', '٥', '0', '-1', '101', '1e99', '9'.repeat(400), 'NaN'])(
    'the limit %p is a validation error',
    (limit) => expect(paths(documents, `limit=${encodeURIComponent(limit)}`)).toEqual(['/query/limit']),
  );

  it.each(['1', '100'])('the limit %s is valid', (limit) =>
    expect(documents(`limit=${limit}`)).toMatchObject({ values: { limit: Number(limit) }, errors: [] }),
  );

  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['FALSE', false],
    ['0', false],
  ])('the boolean %s is %p', (text, value) =>
    expect(documents(`include_cancelled=${text}`)).toMatchObject({
      values: { include_cancelled: value },
      errors: [],
    }),
  );

  it.each(['', '2', '-1', '00', 'yes', 'on', 'null', ' true', 'true ', 'א'])(
    'the boolean %p is a validation error',
    (text) =>
      expect(paths(documents, `include_cancelled=${encodeURIComponent(text)}`)).toEqual([
        '/query/include_cancelled',
      ]),
  );

  it('a list repeats its name, which may have the brackets of PHP', () => {
    const type = ['document.issued', 'delivery.sent'];
    for (const names of [
      ['type', 'type'],
      ['type[]', 'type[]'],
      ['type[0]', 'type[1]'],
      ['type', 'type%5B%5D'],
    ]) {
      const query = names.map((name, index) => `${name}=${type[index]}`).join('&');
      expect(events(query)).toMatchObject({ values: { type }, errors: [] });
    }
    expect(paths(events, 'type[]=')).toEqual(['/query/type']);
    expect(paths(events, 'type[x]=document.issued&limit[]=1')).toEqual(['/query/type[x]', '/query/limit[]']);
  });

  it('an unknown parameter is a validation error, whatever its name is', () => {
    const names = ['x', '__proto__', 'constructor', 'Limit', 'limit[]', 'limit ', ''];
    for (const name of names) {
      expect(paths(documents, `${encodeURIComponent(name)}=1`)).toEqual([`/query/${name}`]);
    }
    expect(paths(nothing, 'a%2Fb~c=1')).toEqual(['/query/a~1b~0c']);
  });

  it('a duplicate parameter is a validation error, even with equal values', () => {
    expect(paths(documents, 'limit=1&limit=1')).toEqual(['/query/limit']);
    expect(paths(documents, 'limit=1&%6Cimit=1&limit=1')).toEqual(['/query/limit']);
  });

  it('broken percent-encoding, lone surrogates, bytes that are not UTF-8, and NUL are validation errors', () => {
    for (const broken of ['%', '%4', '%zz', '%ED%A0%80', '%FF', '%C0%80', 'a%00b']) {
      expect(paths(customers, `q=${broken}`)).toEqual(['/query/q']);
    }
    expect(paths(customers, '%FF=1')).toEqual(['/query/%FF']);
  });

  it('the length of a parameter is counted in characters, not in bytes', () => {
    expect(paths(customers, `q=${encodeURIComponent('😀'.repeat(120))}`)).toEqual([]);
    expect(paths(customers, `q=${encodeURIComponent('א'.repeat(121))}`)).toEqual(['/query/q']);
  });

  it('every invalid parameter is reported once', () => {
    const query =
      'type=invoice&type=quote&from=2026-02-30&to=&limit=x&include_cancelled=yes&external_ref=&y=1&y=2';
    expect(paths(documents, query).sort()).toEqual(
      ['external_ref', 'from', 'include_cancelled', 'limit', 'to', 'type', 'y'].map(
        (name) => `/query/${name}`,
      ),
    );
    for (const { message } of documents(query).errors) {
      expect(message.length).toBeGreaterThan(5);
    }
  });
});
