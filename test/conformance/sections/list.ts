import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CustomerList, DocumentPage, ErrorBody, NewDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { faultPathsOf } from '../error-table.js';
import { documentOf, plainType, quote } from '../example-bodies.js';
import { addDays } from '../israel-time.js';
import type { Answer, Issuer, Suite } from '../suite.js';
import { answersTo } from '../tables.js';

/** Section 4.5: GET /documents. */
export function documentList(suite: Suite): void {
  const list = (key: string, query = ''): Promise<Answer<DocumentPage & ErrorBody>> =>
    suite.get<DocumentPage>(key, `/documents${query}`);
  const ids = (answer: Answer<DocumentPage>) => answer.body.data.map(({ id }) => id);

  /** Walks all pages; each page's answer in the order of the walk. */
  const walk = async (key: string, query: Record<string, string>): Promise<DocumentPage['data'][]> => {
    const pages: DocumentPage['data'][] = [];
    let cursor: string | null = null;
    do {
      const parameters = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
      const { status, body }: Answer<DocumentPage & ErrorBody> = await list(key, `?${parameters}`);
      if (status !== 200) {
        throw new Error(JSON.stringify(body));
      }
      pages.push(body.data);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return pages;
  };

  describe('4.5 GET /documents', () => {
    let issuer: Issuer;
    let key: string;
    let quotes: NewDocument[];
    let orders: NewDocument[];
    let cancelled: NewDocument;
    let newestFirst: NewDocument[];
    beforeAll(async () => {
      issuer = await suite.newIssuer();
      key = issuer.key;
      quotes = [];
      orders = [];
      // Dates that go against the order of issue.
      for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) {
        quotes.push(await suite.issued(key, quote({ date: day, external_ref: `q-${day}` })));
      }
      for (const day of ['2026-01-01', '2026-01-02']) {
        orders.push(
          await suite.issued(key, documentOf('order', { date: day, external_ref: 'q-2026-03-01' })),
        );
      }
      cancelled = await suite.issued(key, documentOf('proforma', { date: '2026-02-15' }));
      await suite.cancel(key, cancelled.id);
      newestFirst = [...quotes, ...orders].reverse();
    });

    it('lists newest first by issue, whatever the dates', async () => {
      expect(ids(await list(key))).toEqual(newestFirst.map(({ id }) => id));
    });

    it('2.4 its items are documents as on creation, with what is known now', async () => {
      expect((await list(key)).body.data).toEqual(
        newestFirst.map(({ warnings: _warnings, ...document }) => document),
      );
    });

    it('decisions, Settled, Fields: what has changed since shows, allocation and delivery included', async () => {
      const own = await suite.newIssuer();
      const { warnings: _, ...invoice } = await suite.issued(own.key, documentOf('tax_invoice'));
      await suite.issued(own.key, documentOf('receipt', { based_on: invoice.id }));
      const [receipt, listed] = (await list(own.key)).body.data;
      expect([receipt?.type, listed?.id]).toEqual(['receipt', invoice.id]);
      expect(listed).toEqual({
        ...invoice,
        status: 'closed',
        totals: { ...invoice.totals, paid: 100 },
      });
    });

    it('3.1 hides what is cancelled unless include_cancelled is true', async () => {
      expect(ids(await list(key, '?include_cancelled=false'))).not.toContain(cancelled.id);
      const all = await list(key, '?include_cancelled=true');
      expect(ids(all)).toEqual([cancelled.id, ...newestFirst.map(({ id }) => id)]);
      expect(all.body.data[0]?.status).toBe('cancelled');
    });

    it('a document that is cancelled leaves the list from then on', async () => {
      const own = await suite.newIssuer();
      const { id } = await suite.issued(own.key, quote());
      expect(ids(await list(own.key))).toEqual([id]);
      await suite.cancel(own.key, id);
      expect((await list(own.key)).body).toEqual({ data: [], next_cursor: null });
    });

    const filters: [string, () => NewDocument[]][] = [
      ['?type=quote', () => quotes.toReversed()],
      ['?type=order', () => orders.toReversed()],
      ['?type=credit_note', () => []],
      ['?from=2026-03-02', () => quotes.slice(1).reverse()],
      ['?to=2026-01-01', () => orders.slice(0, 1)],
      ['?from=2026-01-02&to=2026-03-01', () => [orders[1], quotes[0]] as NewDocument[]],
      ['?from=2026-03-02&to=2026-03-02', () => quotes.slice(1, 2)],
      ['?from=2026-03-03&to=2026-03-01', () => []],
      ['?external_ref=q-2026-03-01', () => [orders[1], orders[0], quotes[0]] as NewDocument[]],
      ['?external_ref=q-2026', () => []],
      ['?external_ref=Q-2026-03-01', () => []],
      ['?external_ref=q-2026-03-0%25', () => []],
      ['?external_ref=q-2026-03-01&type=quote', () => quotes.slice(0, 1)],
      ['?external_ref=q-2026-03-01&type=order&from=2026-01-02', () => orders.slice(1)],
      ['?type=proforma&include_cancelled=true', () => [cancelled]],
      ['?type=proforma', () => []],
    ];
    it.each(filters)('filters by %s', async (query, expected) => {
      expect(ids(await list(key, query))).toEqual(expected().map(({ id }) => id));
    });

    it('external_ref is compared exactly, in any script', async () => {
      const own = await suite.newIssuer();
      const refs = ['הזמנה 1', 'a&b=c', '100%', 'a_b', 'a+b'];
      for (const ref of refs) {
        await suite.issued(own.key, quote({ external_ref: ref }));
      }
      for (const ref of refs) {
        const found = await list(own.key, `?${new URLSearchParams({ external_ref: ref })}`);
        expect(found.body.data.map(({ external_ref }) => external_ref)).toEqual([ref]);
      }
    });

    it('next_cursor leads on, and is null on the last page', async () => {
      for (const limit of [1, 2, 3, 5]) {
        const pages = await walk(key, { limit: String(limit) });
        expect(pages.flat().map(({ id }) => id)).toEqual(newestFirst.map(({ id }) => id));
        for (const page of pages.slice(0, -1)) {
          expect(page).toHaveLength(limit);
        }
      }
      expect((await list(key, '?limit=5')).body.next_cursor).toBeNull();
    });

    it('filters hold on every page', async () => {
      const pages = await walk(key, { limit: '1', external_ref: 'q-2026-03-01' });
      expect(pages.flat().map(({ id }) => id)).toEqual(
        [orders[1], orders[0], quotes[0]].map((item) => item?.id),
      );
    });

    it('a list has only documents of its own business', async () => {
      const stranger = await suite.newIssuer();
      const { id } = await suite.issued(stranger.key, quote());
      expect(ids(await list(stranger.key))).toEqual([id]);
      expect(ids(await list(key, '?limit=100&include_cancelled=true'))).not.toContain(id);
      expect((await list(stranger.key, '?external_ref=q-2026-03-01')).body.data).toEqual([]);
    });

    it('decisions, Strictness: a cursor of another business is malformed', async () => {
      const stranger = await suite.newIssuer();
      const { next_cursor: theirs } = (await list(key, '?limit=1')).body;
      const answer = await list(stranger.key, `?cursor=${encodeURIComponent(theirs ?? '')}`);
      expect(faultPathsOf(answer)).toEqual(['/query/cursor']);
    });

    it('decisions, Queries: a cursor of other filters is malformed; a limit is no filter', async () => {
      const { next_cursor } = (await list(key, '?limit=1&include_cancelled=true')).body;
      const cursor = encodeURIComponent(next_cursor ?? '');
      const others = ['', '&type=quote', '&include_cancelled=0', '&include_cancelled=true&from=2020-01-01'];
      for (const other of others) {
        expect(faultPathsOf(await list(key, `?cursor=${cursor}${other}`))).toEqual(['/query/cursor']);
      }
      expect((await list(key, `?limit=2&include_cancelled=1&cursor=${cursor}`)).status).toBe(200);
    });

    it.each([
      ['true', true],
      ['TRUE', true],
      ['1', true],
      ['False', false],
      ['0', false],
    ])('decisions, Queries: the boolean %s', async (text, isTrue) => {
      expect(ids(await list(key, `?include_cancelled=${text}`)).includes(cancelled.id)).toBe(isTrue);
    });

    const bad: [string, string][] = [
      ['type=invoice', 'type'],
      ['type=', 'type'],
      ['from=2026-02-30', 'from'],
      ['from=yesterday', 'from'],
      ['from=', 'from'],
      ['to=2026-1-1', 'to'],
      ['include_cancelled=yes', 'include_cancelled'],
      ['include_cancelled=true%20', 'include_cancelled'],
      ['include_cancelled=', 'include_cancelled'],
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=', 'limit'],
      ['limit=1e1', 'limit'],
      ['limit=%2B5', 'limit'],
      ['limit=05', 'limit'],
      ['limit=99999999999999999999', 'limit'],
      ['cursor=', 'cursor'],
      ['cursor=nonsense', 'cursor'],
      ['cursor=%00', 'cursor'],
      [`cursor=${'A'.repeat(600)}`, 'cursor'],
      ['limit=10&limit=10', 'limit'],
      ['type=quote&type=order', 'type'],
      ['page=2', 'page'],
      ['a~b%2Fc=1', 'a~0b~1c'],
      [`external_ref=${'r'.repeat(65)}`, 'external_ref'],
    ];
    it.each(bad)('decisions, Strictness: ?%s is a fault of /query/%s', async (query, name) => {
      expect(faultPathsOf(await list(key, `?${query}`))).toEqual([`/query/${name}`]);
    });

    it('decisions, Strictness: every fault of a query is named', async () => {
      const answer = await list(key, '?limit=0&type=x&page=1&from=2026-02-30&cursor=!');
      expect(faultPathsOf(answer)).toEqual(
        ['/query/cursor', '/query/from', '/query/limit', '/query/page', '/query/type'].sort(),
      );
    });

    it('decisions, Strictness: a cursor that was tampered with is malformed', async () => {
      const { next_cursor } = (await list(key, '?limit=1')).body;
      const cursor = next_cursor ?? '';
      for (const tampered of [cursor.slice(1), cursor.slice(0, -4), `${cursor}AAAA`]) {
        const answer = await list(key, `?cursor=${encodeURIComponent(tampered)}`);
        expect(faultPathsOf(answer)).toEqual(['/query/cursor']);
      }
    });
  });

  describe('4.5 filters and pages together', () => {
    let key: string;
    const book: NewDocument[] = [];
    const cancelledIds = new Set<string>();
    const day = (index: number) => addDays('2026-02-01', index);
    const types = ['quote', 'order', 'proforma', 'tax_invoice'] as const;
    beforeAll(async () => {
      ({ key } = await suite.newIssuer());
      // Four series that are issued by turns, with dates that go up at a pace of their own: one document more than a page without a
      // limit shows, each to a customer of its own.
      for (let index = 0; index < 51; index++) {
        const turn = Math.floor(index / 4);
        const pace = [3, 1, 0, 2][index % 4] ?? 0;
        const type = types[index % 4] as (typeof types)[number];
        const created = await suite.issued(
          key,
          documentOf(type, {
            date: day(turn * pace + (index % 4)),
            customer: { name: `לקוח מספר ${index}` },
            ...(index % 3 === 0 ? { external_ref: 'shop' } : {}),
          }),
        );
        book.unshift(created);
        if (type === 'order' && turn % 2 === 0) {
          cancelledIds.add(created.id);
        }
      }
      for (const id of cancelledIds) {
        await suite.cancel(key, id);
      }
    });

    const ranges: Record<string, string>[] = [
      {},
      { from: day(0) },
      { from: day(6) },
      { from: day(28) },
      { from: day(31) },
      { to: day(0) },
      { to: day(5) },
      { to: day(40) },
      { from: day(2), to: day(2) },
      { from: day(3), to: day(12) },
      { from: day(9), to: day(8) },
    ];
    const queries = ranges.flatMap((range) => [
      { ...range, limit: '3' },
      { ...range, limit: '7', include_cancelled: 'true' },
      { ...range, limit: '4', type: 'quote' },
      { ...range, limit: '2', type: 'order', include_cancelled: 'true' },
      { ...range, limit: '5', external_ref: 'shop' },
      { ...range, limit: '100', external_ref: 'shop', type: 'tax_invoice' },
    ]);
    const found = answersTo(queries, (query) => walk(key, query));
    it.each(queries.map((query) => [String(new URLSearchParams(query)), query] as const))(
      'the query ?%s is answered as the HTTP API says',
      (_says, query: Record<string, string>) => {
        const { from, to, type, external_ref, limit } = query;
        const expected = book.filter(
          (item) =>
            (from === undefined || item.date >= from) &&
            (to === undefined || item.date <= to) &&
            (type === undefined || item.type === type) &&
            (external_ref === undefined || item.external_ref === external_ref) &&
            (query.include_cancelled === 'true' || !cancelledIds.has(item.id)),
        );
        const pages = found(query as (typeof queries)[number]);
        expect(pages.flat().map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const page of pages.slice(0, -1)) {
          expect(page).toHaveLength(Number(limit));
        }
      },
    );

    it('4.5 the limit is 50 by default and may be 1 to 100', async () => {
      const pageOf = async (query: string) => {
        const { body } = await list(key, `?include_cancelled=true${query}`);
        return { shown: body.data.map(({ id }) => id), isLast: body.next_cursor === null };
      };
      const everything = book.map(({ id }) => id);
      expect(await pageOf('&limit=100')).toEqual({ shown: everything, isLast: true });
      expect(await pageOf('')).toEqual({ shown: everything.slice(0, 50), isLast: false });
      expect(await pageOf('&limit=1')).toEqual({ shown: everything.slice(0, 1), isLast: false });
    });

    it('4.8 the limit of customers is 20 by default and 50 at most', async () => {
      const shown = async (query: string) =>
        (await suite.get<CustomerList>(key, `/customers${query}`)).body.data.length;
      await eventually('50 cards are there', async () => (await shown('?limit=50')) === 50);
      expect([await shown(''), await shown('?limit=1')]).toEqual([20, 1]);
    });
  });

  describe('4.5 pages while documents are being issued', () => {
    it('show every document of before exactly once, and none twice', async () => {
      const { key } = await suite.newIssuer();
      const answered: string[] = [];
      let walking = true;
      const lanes = Promise.all(
        Array.from({ length: 8 }, async (_, lane) => {
          while (walking) {
            answered.push((await suite.issued(key, quote({ type: plainType(lane) }))).id);
          }
        }),
      );
      const walks: string[][] = [];
      const rounds = async () => {
        for (let round = 0; round < 2; round++) {
          const enough = answered.length + 8;
          await eventually('more documents are issued', () => answered.length >= enough);
          const before = [...answered];
          const seen = (await walk(key, { limit: '3' })).flat();
          const seenIds = seen.map(({ id }) => id);
          expect(new Set(seenIds).size).toBe(seenIds.length);
          expect(before.filter((id) => !seenIds.includes(id))).toEqual([]);
          walks.push(seenIds);
        }
      };
      await Promise.all([
        rounds().finally(() => {
          walking = false;
        }),
        lanes,
      ]);
      const everything = (await walk(key, { limit: '100' })).flat();
      const finalIds = everything.map(({ id }) => id);
      expect([...finalIds].sort()).toEqual([...answered].sort());
      // The list only grows at its beginning: a reader of 'newest until the last one seen' misses nothing.
      for (const seenIds of walks) {
        expect(finalIds.slice(finalIds.indexOf(String(seenIds[0])))).toEqual(seenIds);
      }
    });
  });
}
